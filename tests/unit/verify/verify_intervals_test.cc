// Between which numbers values are for all inputs (verify/facts/signs/intervals.h): random numbers that are made of
// bits lie below 1, which their logarithms rest on; beside each stands a twin that may leave those bounds.
#include "verify/facts/signs/intervals.h"

#include <gtest/gtest.h>

#include "core/plan/passes/lower.h"
#include "tests/unit/verify/verify_fixture.h"
#include "verify/facts/signs/positive.h"

namespace isoshard::verify::verify_intervals_test {
namespace {

Plan plan_of(const std::string& lines) {
  const Module module = parse(R"(
global @bits : u32[4] input
global @numbers : i32[4] input
global @x : f32[4] input
untyped program @a {
  %bits = view @bits [-]
  %numbers = view @numbers [-]
  %x = view @x [-]
)" + lines + R"(  return @y = %o [-]
}
)");
  return lower(module, *module.find_program("a"));
}

PlanValueId named(const Plan& plan, const std::string& name) {
  for (size_t v = 0; v < plan.values.size(); ++v) {
    if (plan.value(PlanValueId(v)).name() == name) return PlanValueId(v);
  }
  return {};
}

std::optional<Interval> bounds(const std::string& lines) {
  const Plan plan = plan_of(lines);
  return Intervals(plan).at(named(plan, "o"));
}

KnownSign sign(const std::string& lines) {
  const Plan plan = plan_of(lines);
  return signs_of(plan)[named(plan, "o").index()];
}

const std::string kUniform =
    "  %n = shift_right_logical %bits, 9\n  %f = convert %n {dtype=f32}\n  %u = multiply %f, 1/8388608\n";

TEST(VerifyIntervals, BitsAreBoundedByWhatIsShiftedAway) {
  const std::optional<Interval> n = bounds("  %o = shift_right_logical %bits, 9\n");
  ASSERT_TRUE(n);
  EXPECT_EQ(0, n->low);
  EXPECT_EQ(8388607, n->high);
  EXPECT_EQ(4294967295.0, bounds("  %o = add %bits, %bits\n")->high);                 // which wraps around
  EXPECT_EQ(-2147483648.0, bounds("  %o = add %numbers, 0\n")->low);                  // an i32
  EXPECT_EQ(2147483647.0, bounds("  %o = shift_right_logical %numbers, 9\n")->high);  // of a sign, too
  EXPECT_FALSE(bounds("  %o = add %x, 0\n"));
}

TEST(VerifyIntervals, TheLargerOfTwoIntegersIsNoLessThanEither) {
  EXPECT_EQ(1, bounds("  %o = maximum %numbers, 1\n")->low);
  EXPECT_EQ(KnownSign::positive, sign("  %c = maximum %numbers, 1\n  %o = convert %c {dtype=f32}\n"));
  EXPECT_EQ(KnownSign::any, sign("  %c = maximum %numbers, 0\n  %m = minimum %c, -1\n  %o = convert %m {dtype=f32}\n"));
  EXPECT_EQ(KnownSign::any, sign("  %c = add maximum(%numbers, 1), 1\n  %o = convert %c {dtype=f32}\n"))
      << "which may wrap around";
}

TEST(VerifyIntervals, UniformNumbersAreBelow1) {
  const std::optional<Interval> u = bounds(kUniform + "  %o = maximum %u, 1/1000000\n");
  ASSERT_TRUE(u);
  EXPECT_LT(u->high, 1);
  EXPECT_GT(u->low, 0);
  EXPECT_EQ(KnownSign::positive, sign(kUniform + "  %m = maximum %u, 1/1000000\n  %l = log %m\n  %o = negate %l\n"));
  EXPECT_EQ(KnownSign::positive, sign(kUniform + "  %o = subtract 1, %u\n"));
}

TEST(VerifyIntervals, WhatMayReachAnEndHasNoSign) {
  EXPECT_NE(KnownSign::positive, sign(kUniform + "  %o = add %u, 0\n"));  // 0 is one of them
  EXPECT_EQ(KnownSign::any, sign(kUniform + "  %d = multiply %u, 2\n  %o = subtract 1, %d\n"));
  EXPECT_EQ(KnownSign::any, sign("  %n = shift_right_logical %bits, 8\n  %f = convert %n {dtype=f32}\n"
                                 "  %u = multiply %f, 1/8388608\n  %o = subtract 1, %u\n"));
  EXPECT_EQ(KnownSign::any, sign(kUniform + "  %s = multiply %u, %x\n  %o = subtract 1, %s\n"));
}

TEST(VerifyIntervals, WhatALoopHandsOnHasNone) {
  const std::string loop =
      "  %z = constant {value=1, dtype=f32, shape=[4]}\n  %o = scan (%c = %z) trips 3 {\n"
      "    %n = subtract %c, 1\n    yield (%n)\n  }\n";
  EXPECT_FALSE(bounds(loop));
}

/// where(l == 0, 1, l), of what is not negative.
TEST(VerifyIntervals, AGuardOfZeroIsPositive) {
  const std::string square = "  %l = multiply %x, %x\n";
  EXPECT_EQ(KnownSign::positive, sign(square + "  %p = compare %l, 0 {direction=eq}\n  %o = select %p, 1, %l\n"));
  EXPECT_EQ(KnownSign::positive, sign("  %p = compare %x, 0 {direction=gt}\n  %o = select %p, %x, 1\n"));
  EXPECT_EQ(KnownSign::any, sign("  %p = compare %x, 0 {direction=eq}\n  %o = select %p, 1, %x\n"));
  EXPECT_NE(KnownSign::positive, sign(square + "  %p = compare %l, 0 {direction=eq}\n  %o = select %p, %l, 1\n"));
  EXPECT_NE(KnownSign::positive, sign(square + "  %p = compare %x, 0 {direction=eq}\n  %o = select %p, 1, %l\n"));
  EXPECT_NE(KnownSign::positive, sign("  %p = compare %x, 0 {direction=ge}\n  %o = select %p, %x, 1\n"));
}

}  // namespace
}  // namespace isoshard::verify::verify_intervals_test
