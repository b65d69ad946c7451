// A case in a file that has no test of ctest.
#include <gtest/gtest.h>

namespace isoshard {
namespace {

TEST(RunFile, Strays) {}

}  // namespace
}  // namespace isoshard
