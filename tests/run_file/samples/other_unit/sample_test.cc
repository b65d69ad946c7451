// A case that does not hold.
#include <gtest/gtest.h>

namespace isoshard::sample_test {
namespace {

TEST(RunFile, Fails) { FAIL() << "on purpose"; }

}  // namespace
}  // namespace isoshard::sample_test
