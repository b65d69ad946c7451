// Which inputs rung F takes: wrong programs that it must show and right ones that it must not.
#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/verify/verify_fixture.h"
#include "verify/compare/make_pair.h"
#include "verify/floats/float_run.h"
#include "verify/pair_facts/float_facts.h"

namespace isoshard::verify::verify_float_test {
namespace {

/// Two programs of one device over f64[6] @x, @y; they make %o.
std::string two(const std::string& left, const std::string& right, const std::string& globals = "") {
  const std::string head = " {\n  %x = view @x [-]\n  %y = view @y [-]\n", tail = "  return @o = %o [-]\n}\n";
  return "global @x : f64[6] input\nglobal @y : f64[6] input\n" + globals + "program @left" + head + left + tail +
         "program @right" + head + right + tail + "check @left == @right\n";
}

/// The sum over all elements, so that one NaN hides everything.
std::string total(const std::string& of) {
  return "  %t = reduce " + of + " {op=add, dims=[0]}\n  %o = broadcast_in_dim %t {shape=[6], dims=[]}\n";
}

TEST(VerifyFloat, ArgumentsOfRootsAndLogarithmsAreNotNegative) {
  for (const std::string f : {"sqrt", "rsqrt", "log"}) {
    const std::string made = "  %r = " + f + " %x\n";
    const CheckReport r = check_text(two(made + total("%r"), made + "  %s = multiply %r, 2\n" + total("%s")));
    EXPECT_EQ(r.verdict(), Verdict::not_equal) << f << ": " << r.headline();
  }
}

/// The second moment of Adam, b v + (1 - b) g g, over two steps.
TEST(VerifyFloat, SecondMomentsAreNotNegative) {
  const auto adam = [](const std::string& epsilon) {
    return "  %v = view @v [-]\n  %a = multiply %v, 0.9\n  %b = multiply %x, %x\n  %c = multiply %b, 0.1\n"
           "  %n = add %a, %c\n  update @v = %n [-]\n  %h = divide %n, 0.5\n  %q = sqrt %h\n  %e = add %q, " +
           epsilon + "\n  %r = divide %y, %e\n" + total("%r");
  };
  const std::string v = "global @v : f64[6] state\n";
  const CheckReport wrong = check_text(two(adam("1e-3"), adam("2e-3"), v));
  EXPECT_EQ(wrong.verdict(), Verdict::not_equal) << wrong.headline();
  EXPECT_EQ(check_text(two(adam("1e-3"), adam("1e-3"), v)).verdict(), Verdict::equal);
}

std::vector<bool> nonnegative(const std::string& lines) {
  const Module module = parse(two("  %o = add %x, %y\n", lines));
  return nonnegative_inputs(make_pair_of(module, module.checks.at(0)), Whose::reference);
}

TEST(VerifyFloat, OnlySumsWithNonNegativeFactorsMakeInputsNonNegative) {
  const auto both = std::vector<bool>{true, true}, first = std::vector<bool>{true, false},
             none = std::vector<bool>{false, false};
  EXPECT_EQ(nonnegative("  %s = add %x, %y\n  %o = sqrt %s\n"), both);
  EXPECT_EQ(nonnegative("  %s = multiply %x, 3\n  %o = log %s\n"), first);
  EXPECT_EQ(nonnegative("  %s = divide %x, 3\n  %r = reverse %s {dims=[0]}\n  %o = rsqrt %r\n"), first);
  EXPECT_EQ(nonnegative("  %s = multiply %x, -3\n  %o = sqrt %s\n"), none);
  EXPECT_EQ(nonnegative("  %s = subtract %x, %y\n  %o = sqrt %s\n"), none);
  EXPECT_EQ(nonnegative("  %s = multiply %x, %y\n  %o = sqrt %s\n"), none) << "which of both?";
  EXPECT_EQ(nonnegative("  %s = divide %x, %y\n  %o = sqrt %s\n"), both) << "Adam's second moment and its correction";
  EXPECT_EQ(nonnegative("  %s = divide %x, -3\n  %o = sqrt %s\n"), none);
  EXPECT_EQ(nonnegative("  %s = maximum %x, 0\n  %o = sqrt %s\n"), none) << "both sides of the maximum matter";
  EXPECT_EQ(nonnegative("  %s = exponential %x\n  %o = log %s\n"), none);
  EXPECT_EQ(nonnegative("  %o = tanh %x\n"), none);
}

/// At scales 2^-8, 1 and 2^8 a limit of 1e5 is never reached.
TEST(VerifyFloat, BothSidesOfClipsAreExercised) {
  const auto clip = [](const std::string& limit) { return "  %o = minimum %x, " + limit + "\n"; };
  const CheckReport far = check_text(two(clip("100000"), clip("100001")));
  EXPECT_EQ(far.verdict(), Verdict::not_equal) << far.headline();
  EXPECT_GE(far.outputs.at(0).floats.counterexample->scale, 0x1p12);
  const CheckReport near = check_text(two(clip("0.000001"), clip("0.000002")));
  EXPECT_EQ(near.verdict(), Verdict::not_equal) << near.headline();
  const auto select = [](const std::string& limit) {
    return "  %p = compare %x, " + limit + " {direction=gt}\n  %o = select %p, %y, %x\n";
  };
  EXPECT_EQ(check_text(two(select("100000"), select("-100000"))).verdict(), Verdict::not_equal);
  EXPECT_EQ(check_text(two(clip("100000"), clip("100000"))).verdict(), Verdict::equal);
}

/// Both programs in rung F, with the masks of the only output infinite or not.
FloatOutput compared(const std::string& left, const std::string& right, bool masked) {
  const Module module = parse(two(left, right));
  FloatOptions options;
  options.seed = 7;
  options.workers = 1;
  options.known.resize(1);
  options.known[0].masked = masked;
  return compare_in_floats(make_pair_of(module, module.checks.at(0)), options, {false}).outputs.at(0);
}

std::string exponential_of_masked(const std::string& x, const std::string& divisor) {
  return "  %s = subtract " + x + ", 10000\n  %d = divide %s, " + divisor +
         "\n  %e = exponential %d\n  %o = add %e, %y\n";
}

TEST(VerifyFloat, MasksAreInfiniteWhereTheRungReadThemSo) {
  const std::string zero = "  %o = add %y, 0\n", mask = "  %o = subtract %x, 10000\n";
  const FloatOutput equal = compared(exponential_of_masked("%x", "1"), zero, true);
  EXPECT_FALSE(equal.counterexample || equal.trace);
  // The same number in two ways, but in neither of its halves a mask: a rung would tell them apart.
  const std::string halves = "  %h = subtract %x, 5000\n  %o = subtract %h, 5000\n";
  EXPECT_FALSE(compared(mask, halves, false).counterexample);
  const FloatOutput infinite = compared(mask, halves, true);
  ASSERT_TRUE(infinite.counterexample);
  EXPECT_EQ(infinite.counterexample->masks, Masks::infinite);
  EXPECT_EQ(infinite.counterexample->sharded, -std::numeric_limits<double>::infinity());
  EXPECT_LT(infinite.counterexample->reference, -9000);
  // What is added to them is not lost.
  const FloatOutput other = compared(mask, "  %z = multiply %x, 2\n  %o = subtract %z, 10000\n", true);
  ASSERT_TRUE(other.counterexample);
  EXPECT_EQ(other.counterexample->masks, Masks::as_written) << "what a reader can compute comes first";
  EXPECT_FALSE(compared(mask, mask, true).counterexample);
}

TEST(VerifyFloat, FiniteMasksCountWhereTheyAreNoTrace) {
  const std::string zero = "  %o = add %y, 0\n";
  const FloatOutput leak = compared(exponential_of_masked("%x", "1000"), zero, true);
  ASSERT_TRUE(leak.counterexample);
  EXPECT_EQ(leak.counterexample->masks, Masks::as_written);
  // exp(-500) among elements of size 1.
  const std::string row = "  %i = iota {dim=0, shape=[6], dtype=i32}\n  %c = compare %i, 2 {direction=lt}\n";
  const std::string trace =
      "  %s = subtract %x, 10000\n  %d = divide %s, 20\n  %v = exponential %d\n" + row + "  %o = select %c, %v, %r\n";
  const std::string sum = "  %r = add %y, 1/3\n";
  const std::string none = "  %v = multiply %x, 0\n" + row + "  %o = select %c, %v, %r\n";
  const FloatOutput small = compared(sum + trace, sum + none, true);
  EXPECT_FALSE(small.counterexample);
  ASSERT_TRUE(small.trace);
  EXPECT_LT(small.trace->sharded, 1e-200);
  EXPECT_EQ(small.trace->masks, Masks::as_written);
  const FloatOutput unmasked = compared(sum + trace, sum + none, false);
  ASSERT_TRUE(unmasked.counterexample);
  EXPECT_EQ(unmasked.counterexample->masks, Masks::none);
}

/// The largest of six equal numbers that were rounded: which one it is would decide an integer, and no draw would
/// count.
TEST(VerifyFloat, TiesThatNoOpenOutputNeedsDoNotHideADifference) {
  const auto with_index = [](const std::string& result) {
    return "  %s0 = reduce %x {op=add, dims=[0]}\n  %s1 = multiply %s0, 0.1\n  %s = add %s1, 0.1\n"
           "  %b = broadcast_in_dim %s {dims=[], shape=[6]}\n"
           "  %most, %at = reduce %b {op=argmax, dims=[0]}\n" +
           result;
  };
  const CheckReport wrong = check_text(two(with_index("  %o = add %x, %y\n"), with_index("  %o = subtract %x, %y\n")));
  EXPECT_EQ(wrong.verdict(), Verdict::not_equal) << wrong.headline();
  const std::string read =
      "  %f = convert %at {dtype=f64}\n  %e = add %f, 1\n"
      "  %g = broadcast_in_dim %e {dims=[], shape=[6]}\n";
  const CheckReport tied =
      check_text(two(with_index(read + "  %o = add %x, %g\n"), with_index(read + "  %o = subtract %x, %g\n")));
  EXPECT_EQ(tied.verdict(), Verdict::undecided) << "which index is right nobody knows: " << tied.headline();
}

/// Two formulas of one number, which are rounded, are not known to be equal: those of whole numbers are not rounded.
TEST(VerifyFloat, EqualSumsOfWholeNumbersAreEqual) {
  const auto shares = [](const std::string& factor) {
    return "  %a = add %x, %x\n  %s = add %a, %y\n  %b = add %x, %y\n  %u = add %x, %b\n  %c = compare %s, %u "
           "{direction=eq}\n"
           "  %f = convert %c {dtype=f64}\n  %g = multiply %f, " +
           factor + "\n  %o = multiply %g, %x\n";
  };
  const CheckReport wrong = check_text(two(shares("1"), shares("2")));
  EXPECT_EQ(wrong.verdict(), Verdict::not_equal) << wrong.headline();
  EXPECT_EQ(wrong.outputs.at(0).floats.counterexample->inputs, "whole numbers");
  EXPECT_EQ(wrong.outputs.at(0).floats.counterexample->bound, 0);
  EXPECT_EQ(check_text(two(shares("2"), shares("2"))).verdict(), Verdict::equal);
}

TEST(VerifyFloat, MinusInfinityIsSeen) {
  const auto scores = [](const std::string& limit) {
    return "  %i = iota {dim=0, shape=[6], dtype=i32}\n  %c = compare %i, " + limit + " {direction=lt}\n" +
           "  %low = constant {value=-inf, dtype=f64, shape=[6]}\n  %o = select %c, %x, %low\n";
  };
  const CheckReport wrong = check_text(two(scores("3"), scores("4")));
  EXPECT_EQ(wrong.verdict(), Verdict::not_equal) << wrong.headline();
  EXPECT_EQ(wrong.outputs.at(0).floats.counterexample->sharded, -std::numeric_limits<double>::infinity());
  EXPECT_FALSE(compared(scores("3"), scores("3"), false).counterexample);
}

}  // namespace
}  // namespace isoshard::verify::verify_float_test
