// Which inputs rung F takes: wrong programs that it must show and right ones that it must not.
#include <gtest/gtest.h>

#include "tests/unit/verify_fixture.h"
#include "verify/float_facts.h"

namespace isoshard::verify {
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
  const Module module = parse(two(lines, "  %o = add %x, %y\n"));
  return nonnegative_inputs(make_pair_of(module, module.checks.at(0)));
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

}  // namespace
}  // namespace isoshard::verify
