// Of which values one run says for all inputs where they are 0 (verify/pair_facts/settled.h): masks of constants leave
// such values, and beside each stands a twin in which an input has a say.
#include "verify/pair_facts/settled.h"

#include <gtest/gtest.h>

#include "core/plan/passes/lower.h"
#include "tests/unit/verify/verify_fixture.h"

namespace isoshard::verify::verify_settled_test {
namespace {

/// What is known of %o, which `lines` make of @x, f64[4] on two devices, of integers @i, f64 scores that are masked
/// from the second one of each device on, %s, and their exponentials, %e.
struct Known {
  bool zeros = false, infinite = false, finite = false, low = false;
};
Known known(const std::string& lines) {
  const Module module = parse(R"(mesh @m [p=2]
global @x : f64[4] input
global @i : i32[4] input in 0..2
untyped program @a on @m {
  %x = view @x [p]
  %i = view @i [p]
  %places = iota {dtype=i32, shape=[2], dim=0}
  %seen = compare %places, 1 {direction=lt}
  %s = select %seen, %x, -inf
  %e = exponential %s
)" + lines + R"(  return @y = %o [p]
}
)");
  const Plan plan = lower(module, *module.find_program("a"));
  for (size_t v = 0; v < plan.values.size(); ++v) {
    if (plan.value(PlanValueId(v)).name() != "o") continue;
    const SettledZeros all = settled_zeros(plan);
    return {all.zeros[v], all.infinite[v], all.finite[v], all.low[v]};
  }
  return {};
}
bool settled(const std::string& lines) { return known(lines).zeros; }

TEST(VerifySettled, ExponentialsUnderMasksOfConstantsAre) {
  EXPECT_TRUE(settled("  %o = add %e, 0\n"));
  EXPECT_TRUE(settled("  %o = exponential %x\n"));
  EXPECT_FALSE(settled("  %o = add %x, 0\n"));
  EXPECT_FALSE(settled("  %p = compare %i, 1 {direction=lt}\n  %t = select %p, %x, -inf\n  %o = exponential %t\n"));
  EXPECT_FALSE(settled("  %p = compare %x, 0 {direction=lt}\n  %t = select %p, %x, -inf\n  %o = exponential %t\n"));
}

TEST(VerifySettled, SumsOfWhatIsNotNegativeAre) {
  EXPECT_TRUE(settled("  %o = add %e, %e\n"));
  EXPECT_FALSE(settled("  %o = subtract %e, %e\n"));
  EXPECT_FALSE(settled("  %n = negate %e\n  %o = add %n, %e\n"));
  EXPECT_TRUE(settled("  %r = reduce %e {op=add, dims=[0]}\n  %o = broadcast_in_dim %r {dims=[], shape=[2]}\n"));
  EXPECT_TRUE(settled("  %o = all_reduce %e {axis=p}\n"));
  EXPECT_TRUE(settled("  %o = multiply %e, %e\n"));
  EXPECT_FALSE(settled("  %o = multiply %e, %x\n"));
  EXPECT_TRUE(settled("  %d = exponential %x\n  %o = divide %e, %d\n"));
  EXPECT_FALSE(settled("  %o = divide %e, %e\n"));  // of 0 and 0 none is known
}

/// The first block of an online softmax may have no score: its maximum is -inf, and what is subtracted then 0.
TEST(VerifySettled, WhatAsksForInfinitiesIs) {
  const std::string top = "  %m = reduce %s {op=max, dims=[0]}\n  %w = broadcast_in_dim %m {dims=[], shape=[2]}\n";
  EXPECT_TRUE(settled(top + "  %d = subtract %s, %w\n  %o = exponential %d\n"));
  const std::string infinite = "  %l = constant {value=-inf, dtype=f64, shape=[2]}\n";
  const std::string asked = top + infinite + "  %p = compare %w, %l {direction=eq}\n  %z = select %p, 0, %w\n";
  EXPECT_TRUE(settled(asked + "  %d = subtract %s, %z\n  %o = exponential %d\n"));
  const std::string other = top + infinite + "  %p = compare %w, %x {direction=eq}\n  %z = select %p, %l, %w\n";
  EXPECT_FALSE(settled(other + "  %d = subtract %s, %z\n  %o = exponential %d\n"));
}

/// A mask of numbers that are given says otherwise for others; nan and inf are never low.
TEST(VerifySettled, ANumberOrMinusInfinityIsLow) {
  const std::string masked = "  %p = compare %i, 1 {direction=lt}\n  %t = select %p, %x, -inf\n";
  const std::string top =
      masked + "  %m = reduce %t {op=max, dims=[0]}\n  %w = broadcast_in_dim %m {dims=[], shape=[2]}\n";
  EXPECT_TRUE(known(masked + "  %o = add %t, %x\n").low);
  EXPECT_FALSE(known(masked + "  %o = add %t, %x\n").finite);
  EXPECT_FALSE(known(masked + "  %o = add %t, %x\n").infinite);
  EXPECT_TRUE(known("  %o = add %s, %x\n").infinite);
  EXPECT_TRUE(known(top + "  %o = multiply %w, 1/2\n").low);
  EXPECT_FALSE(known(top + "  %o = multiply %w, %x\n").low);
  EXPECT_FALSE(known(top + "  %o = negate %w\n").low);
  EXPECT_FALSE(known(top + "  %o = subtract %t, %w\n").low);
  EXPECT_FALSE(known("  %o = divide 1, %x\n").low);
  EXPECT_TRUE(known(top + "  %o = exponential %w\n").finite);
  EXPECT_TRUE(known(top + "  %o = maximum %w, %x\n").finite);
}

/// where(isfinite(m), m, 0), and its twins.
TEST(VerifySettled, AGuardOfInfinityIsFinite) {
  const std::string top =
      "  %p = compare %i, 1 {direction=lt}\n  %t = select %p, %x, -inf\n  %m = maximum %t, %t\n"
      "  %l = constant {value=-inf, dtype=f64, shape=[2]}\n  %h = constant {value=inf, dtype=f64, shape=[2]}\n";
  EXPECT_TRUE(known(top + "  %g = is_finite %m\n  %o = select %g, %m, 0\n").finite);
  EXPECT_TRUE(known(top + "  %g = compare %m, %l {direction=eq}\n  %o = select %g, 0, %m\n").finite);
  EXPECT_TRUE(known(top + "  %g = compare %m, %l {direction=gt}\n  %o = select %g, %m, 0\n").finite);
  EXPECT_FALSE(known(top + "  %g = is_finite %m\n  %o = select %g, 0, %m\n").finite);
  EXPECT_FALSE(known(top + "  %g = is_finite %x\n  %o = select %g, %m, 0\n").finite);
  EXPECT_FALSE(known(top + "  %g = is_finite %m\n  %o = select %g, %m, %l\n").finite);
  EXPECT_FALSE(known(top + "  %g = compare %m, %h {direction=eq}\n  %o = select %g, 0, %m\n").finite);
  EXPECT_FALSE(known(top + "  %g = compare %m, %l {direction=ge}\n  %o = select %g, %m, 0\n").finite);
}

TEST(VerifySettled, WhatLoopsHandOnIsWhereEachRoundKeepsIt) {
  const auto loop = [](const std::string& body) {
    return "  %z = constant {value=0, dtype=f64, shape=[2]}\n  %o = scan (%c = %z, %k = %e, %v = %x) trips 3 {\n" +
           body + "    yield (%n, %k, %v)\n  }\n";
  };
  const auto first = [&](const std::string& body) {
    std::string text = loop(body);
    return settled(text.replace(text.find("%o = scan"), 9, "%o, %o1, %o2 = scan"));
  };
  EXPECT_TRUE(first("    %n = add %c, %k\n"));
  EXPECT_FALSE(first("    %q = multiply %k, %v\n    %n = add %c, %q\n"));
}

}  // namespace
}  // namespace isoshard::verify::verify_settled_test
