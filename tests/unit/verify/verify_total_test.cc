// Which programs have no special input (verify/facts/signs/total.h): what is total stands beside a twin that is not.
#include "verify/facts/signs/total.h"

#include <gtest/gtest.h>

#include "core/plan/passes/lower.h"
#include "tests/unit/verify/verify_fixture.h"

namespace isoshard::verify::verify_total_test {
namespace {

/// Whether the program is total that returns %y, made of the floats %x and %w (on each of two devices rows of one
/// array, in blocks as `layout` says, and all of another one) and the integers %id.
bool total(const std::string& statements, const std::string& layout = "d") {
  const Module module = parse(R"(mesh @m [d=2]
global @x : f32[4, 3] input
global @w : f32[2, 3] param init=lecun_normal
global @id : i32[2] input in 0..2
program @p on @m {
  %x = view @x [)" + layout + R"(, -]
  %w = view @w [-, -]
)" + statements + R"(  return @y = %y [)" +
                              layout + R"(, -]
}
)");
  return is_total(lower(module, ProgramId(0)));
}

TEST(VerifyTotal, SumsProductsAndFunctionsDefinedEverywhereAre) {
  EXPECT_TRUE(total("  %y = %x * %w + 2 * tanh(%x) - logistic(%w) * exponential(%x) * sine(%x)\n"));
  EXPECT_TRUE(total("  %z = dot_general(%x, %w) {contract=[1]x[1]}\n  %y = dot_general(%z, %w) {contract=[1]x[0]}\n"));
  EXPECT_TRUE(
      total("  %s = reduce(%x * %x) {op=add, dims=[0], partial={d}}\n  %a = all_reduce(%s) {axis=d, to=R}\n"
            "  %y = %x * broadcast_in_dim(%a) {dims=[1], shape=[2, 3]}\n"));
}

TEST(VerifyTotal, QuotientsAndRootsAreWhereTheSignIsKnown) {
  EXPECT_TRUE(total("  %y = %x / (1 + exponential(-%x))\n"));
  EXPECT_FALSE(total("  %y = %x / (%w * %w)\n"));
  EXPECT_FALSE(total("  %y = %x / %w\n"));
  EXPECT_TRUE(total("  %y = rsqrt(%x * %x + 1)\n"));
  EXPECT_FALSE(total("  %y = rsqrt(%x * %x)\n"));
  EXPECT_TRUE(total("  %y = sqrt(%x * %x)\n"));
  EXPECT_FALSE(total("  %y = sqrt(%x)\n"));
  EXPECT_TRUE(total("  %y = log(1 + exponential(%x))\n"));
  EXPECT_FALSE(total("  %y = log(%x)\n"));
}

TEST(VerifyTotal, WhatJumpsIsNot) {
  EXPECT_TRUE(total("  %y = maximum(abs(%x), %w)\n"));
  EXPECT_TRUE(
      total("  %m = reduce(%x) {op=max, dims=[0]}\n  %y = %x - broadcast_in_dim(%m) {dims=[1], shape=[2, 3]}\n"));
  EXPECT_FALSE(total("  %y = sign(%x)\n"));
  EXPECT_FALSE(total("  %y = atan2(%x, %w)\n"));
  EXPECT_FALSE(total("  %y = floor(%x)\n"));
  EXPECT_FALSE(total("  %y = select(%x > 0, %x, %w)\n"));
}

TEST(VerifyTotal, IntegersAreWhereNoInputIsOne) {
  EXPECT_TRUE(total("  %r = iota {dtype=i32, shape=[2, 3], dim=1}\n  %y = select(%r > 1, %x, %w)\n"));
  EXPECT_FALSE(
      total("  %id = view @id [-]\n  %f = convert(%id) {dtype=f32}\n"
            "  %y = %x * broadcast_in_dim(%f) {dims=[0], shape=[2, 3]}\n"));
}

TEST(VerifyTotal, NarrowFloatsInfinitiesAndPaddingAreNot) {
  EXPECT_FALSE(total("  %n = convert(%x) {dtype=bf16}\n  %y = convert(%n) {dtype=f32}\n"));
  EXPECT_FALSE(total("  %c = constant {value=-inf, dtype=f32, shape=[2, 3]}\n  %y = exponential(%x + %c)\n"));
  EXPECT_FALSE(
      total("  %e = slice %x {start=[0, 0], limit=[0, 3]}\n  %m = reduce(%e) {op=max, dims=[0]}\n"
            "  %y = %x - broadcast_in_dim(%m) {dims=[1], shape=[2, 3]}\n"));
  EXPECT_TRUE(total("  %c = constant {value=-1, dtype=f32, shape=[2, 3]}\n  %y = exponential(%x + %c)\n"));
}

TEST(VerifyTotal, UnevenBlocksAreNot) {
  const auto of_rows = [](const std::string& rows) {
    const Module module = parse("mesh @m [d=2]\nglobal @x : f32[" + rows + R"(] input
program @p on @m {
  %x = view @x [uneven d]
  return @y = %x * %x [uneven d] : f32[)" +
                                rows + R"(]
}
)");
    return is_total(lower(module, ProgramId(0)));
  };
  EXPECT_TRUE(of_rows("4"));
  EXPECT_FALSE(of_rows("3"));
}

/// Laws hold for all inputs then: the report of an EQUAL is what it was, and a program that differs is still one.
TEST(VerifyTotal, AnswersStayWhatTheyWere) {
  const auto verdict = [](const std::string& right) {
    return check_text(R"(mesh @m [d=2]
global @x : f32[4] input
program @a on @m {
  %x = view @x [d]
  return @y = %x * %x - 1 [d]
}
program @b {
  %x = view @x [-]
  return @y = )" + right +
                      R"( [-]
}
check @a == @b
)")
        .verdict();
  };
  EXPECT_EQ(verdict("(%x - 1) * (%x + 1)"), Verdict::equal);
  EXPECT_EQ(verdict("(%x - 1) * (%x + 1) + 1e-6 * %x"), Verdict::not_equal);
}

}  // namespace
}  // namespace isoshard::verify::verify_total_test
