// A case of the same name as one in unit/sample_test.cc.
#include <gtest/gtest.h>

namespace isoshard::twin_test {
namespace {

TEST(RunFile, HasASeed) {}

}  // namespace
}  // namespace isoshard::twin_test
