// What is shown of padding by structure, and what is assumed where data decides.
#include <gtest/gtest.h>

#include "tests/unit/verify/verify_fixture.h"

namespace isoshard::verify::verify_padding_test {
namespace {

/// The sum of @x, uneven over two devices, whose own elements `term` makes of %x, %own (which element is there), %i and
/// %w.
CheckReport of(const std::string& term) {
  return check_text(R"(mesh @m [d=2]
global @x : f32[3] input
global @w : f32[2] input
global @i : i32[] input in 0..3
program @a on @m {
  %x = view @x [uneven d]
  %w = view @w [-]
  %i = view @i []
  %n = block_size @x [uneven d] {dim=0}
  %io = iota {dtype=i32, shape=[2]}
  %own = %io < %n
  %one = broadcast_in_dim(%i == 1) {dims=[], shape=[2]}
)" + term + R"(  %s = reduce %t {op=add, dims=[0], partial={d}}
  return @y = all_reduce(%s) {axis=d, to=R} []
}
program @b {
  %x = view @x [-]
  return @y = reduce(%x) {op=add, dims=[0]} []
}
check @a == @b
)");
}

TEST(VerifyPadding, ASelectByPlaceProvesIt) {
  const CheckReport report = of("  %t = select(%own, %x, 0)\n");
  EXPECT_EQ(report.verdict(), Verdict::equal);
  EXPECT_FALSE(report.assumes.padding);
}

TEST(VerifyPadding, ASelectByDataBehindOneByPlaceDoes) {
  const CheckReport report = of("  %z = select(%own, %x, 0)\n  %t = select(%one, %z, %z * 1)\n");
  EXPECT_EQ(report.verdict(), Verdict::equal);
  EXPECT_FALSE(report.assumes.padding);
}

TEST(VerifyPadding, AGateOfAnIntegerLetsItThrough) {
  const CheckReport report = of("  %t = select(%own, %x, 0) + select(%one, %x * 0, 0)\n");
  EXPECT_EQ(report.verdict(), Verdict::not_equal);
  EXPECT_FALSE(report.assumes.padding);
}

TEST(VerifyPadding, AGateThatNoRunOpensIsAssumedToStayShut) {
  const CheckReport report = of("  %t = select(%own, %x, 0) + select(%w > 1000, %x * 0, 0)\n");
  EXPECT_EQ(report.verdict(), Verdict::equal);
  EXPECT_TRUE(report.assumes.padding);
}

TEST(VerifyPadding, ComparisonsDoNotHideIt) {
  const CheckReport report = of("  %t = select(%own, %x, 0) + select(%x > %w * 0 + 1000, %w * 0 + 1, 0) * 0\n");
  EXPECT_TRUE(report.verdict() != Verdict::equal || report.assumes.padding);
}

}  // namespace
}  // namespace isoshard::verify::verify_padding_test
