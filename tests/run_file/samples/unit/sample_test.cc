// Cases that hold.
#include <gtest/gtest.h>

#include <cstdlib>

namespace isoshard::sample_test {
namespace {

TEST(RunFile, HasASeed) { EXPECT_NE(std::getenv("RC_PARAMS"), nullptr); }

class RunFileEach : public ::testing::TestWithParam<int> {};

TEST_P(RunFileEach, IsSmall) { EXPECT_LT(GetParam(), 3); }

INSTANTIATE_TEST_SUITE_P(Small, RunFileEach, ::testing::Range(0, 3));

}  // namespace
}  // namespace isoshard::sample_test
