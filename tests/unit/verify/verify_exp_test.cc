// Rung E: nesting of exponentials, degrees, what it decides.
#include <gtest/gtest.h>

#include "core/plan/passes/lower.h"
#include "tests/unit/verify/verify_fixture.h"
#include "verify/bounds/count_degrees.h"
#include "verify/bounds/degree.h"
#include "verify/bounds/error_bound.h"
#include "verify/facts/exp_depth.h"

namespace isoshard::verify::verify_exp_test {
namespace {

Module module_of(const std::string& lines) {
  return parse(
      "mesh @m [a=2]\n"
      "global @x : f64[6] input\nglobal @y : f64[6] input\n"
      "untyped program @p on @m {\n  %x = view @x [-]\n  %y = view @y [-]\n" +
      lines + "  return @o = %o [-]\n}\n");
}

ExpDepth depth_of(const std::string& lines, int64_t steps = 1) {
  const Module module = module_of(lines);
  return exp_depths(lower(module, *module.find_program("p")), steps).at(0);
}

TEST(VerifyExpDepth, CountsNestingOnTheWorstPath) {
  EXPECT_EQ(depth_of("  %o = add %x, %y\n").depth, 0);
  EXPECT_EQ(depth_of("  %e = exponential %x\n  %f = exponential %y\n  %o = multiply %e, %f\n").depth, 1);
  EXPECT_EQ(depth_of("  %e = exponential %x\n  %f = multiply %e, %y\n  %o = exponential %f\n").depth, 2);
  const ExpDepth three = depth_of(
      "  %e = exponential %x\n  %f = exponential %e\n  %g = exponential %f\n"
      "  %o = add %g, %x\n");
  EXPECT_EQ(three.depth, 3);
  const ExpDepth five = depth_of(
      "  %e = exponential %x\n  %f = exponential %e\n  %g = exponential %f\n  %h = exponential %g\n"
      "  %i = exponential %h\n  %o = add %i, %x\n");
  EXPECT_EQ(five.depth, 5);
  EXPECT_EQ(five.value, "%i");
  EXPECT_EQ(five.location.line(), 12U);
}

TEST(VerifyExpDepth, OpaqueFunctionsStartAnew) {
  EXPECT_EQ(depth_of("  %e = exponential %x\n  %f = sqrt %e\n  %o = exponential %f\n").depth, 1);
  EXPECT_EQ(depth_of("  %e = logistic %x\n  %o = exponential %e\n").depth, 2) << "made of exp";
  EXPECT_EQ(depth_of("  %e = tanh %x\n  %o = exponential %e\n").depth, 2) << "made of exp";
  EXPECT_EQ(depth_of("  %e = exponential %x\n  %f = exponential %e\n  %g = exponential %f\n  %o = sqrt %g\n").depth, 3)
      << "what was deep before does not become right";
}

TEST(VerifyExpDepth, LogarithmsTakeOneOff) {
  const std::string lse = "  %e = exponential %x\n  %z = add %e, %y\n  %l = log %z\n";
  EXPECT_EQ(depth_of(lse + "  %o = exponential %l\n").depth, 1);
  EXPECT_EQ(depth_of(lse + "  %o = add %l, %y\n").depth, 1) << "compared by exp of it";
  EXPECT_EQ(depth_of(lse + "  %s = subtract %l, %e\n  %o = exponential %s\n").depth, 2);
  EXPECT_EQ(depth_of(lse + "  %p = multiply %l, %y\n  %o = exponential %p\n").depth, 1);
}

TEST(VerifyExpDepth, LoopsAndSteps) {
  const std::string loop =
      "  %n = scan (%c = %x) trips 7 {\n    %e = exponential %c\n    yield (%e)\n  }\n  %o = add %n, %y\n";
  const std::string online =
      "  %n = scan (%c = %x) trips 7 {\n    %e = sine %c\n    %f = exponential %e\n    yield (%f)\n  }\n"
      "  %o = add %n, %y\n";
  EXPECT_EQ(depth_of(loop).depth, kMostExpDepth + 1) << "counted no further";
  EXPECT_EQ(depth_of(online).depth, 1);
}

TEST(VerifyExpDegree, ExponentialsAreVariables) {
  const auto degree = [](const std::string& lines) {
    const Module module = module_of(lines);
    return count_degrees(lower(module, *module.find_program("p")), 1, ExpDegrees{}).outputs.at(0);
  };
  EXPECT_EQ(degree("  %o = exponential %x\n").numerator, 1);
  const Degree quotient = degree("  %q = divide %x, %y\n  %e = exponential %q\n  %o = multiply %e, %e\n");
  EXPECT_EQ(quotient.numerator, 2);
  EXPECT_EQ(quotient.denominator, 0);
  EXPECT_EQ(quotient.exponentials, 2) << "counted where they are read";
  EXPECT_EQ(degree("  %e = exponential %x\n  %o = sqrt %e\n").exponentials, 0) << "behind an opaque function";
  const Degree log = degree("  %e = exponential %x\n  %o = log %e\n");
  EXPECT_EQ(log.log_degree, 1);
  EXPECT_EQ(degree("  %e = exponential %x\n  %l = log %e\n  %o = exponential %l\n").numerator, 1 + 1);
  EXPECT_EQ(degree("  %l = log %x\n  %o = multiply %l, %y\n").log_degree, 0);
  EXPECT_EQ(degree("  %l = log %x\n  %o = divide %l, 3\n").log_degree, 1);
}

/// As they are asked about last, and as they are asked about first.
TEST(VerifyExpDegree, SinusoidsAreTwoExponentialsWhereTheyAreAny) {
  const Module module = module_of("  %s = sine %x\n  %c = cosine %s\n  %e = exponential %c\n  %o = add %e, 1\n");
  const Plan plan = lower(module, *module.find_program("p"));
  EXPECT_EQ(exp_depths(plan, 1).at(0).depth, 1);
  EXPECT_EQ(exp_depths(plan, 1, {}, true).at(0).depth, 3);
  const DegreeCounts opaque = count_degrees(plan, 1, ExpDegrees{});
  EXPECT_EQ(opaque.outputs.at(0).exponentials, 1);
  EXPECT_EQ(opaque.recognised, 0);
  const DegreeCounts counts = count_degrees(plan, 1, ExpDegrees{1, true});
  EXPECT_EQ(counts.outputs.at(0).exponentials, 2 + 2 + 1);
  EXPECT_EQ(counts.outputs.at(0).numerator, 1);
  EXPECT_EQ(counts.outputs.at(0).evaluations, 0);
  EXPECT_EQ(counts.exponent_numerator, 1);
  EXPECT_EQ(counts.recognised, 2 * 6) << "6 sums with a number on each of 2 devices";
  EXPECT_EQ(counts.opaque_numerator, 1);
  const BoundTerms terms = bound_terms(counts, counts, {0});
  EXPECT_LT(log2_error(terms, 2), 0);
  EXPECT_GT(log2_error(terms, 2), log2_error(bound_terms(opaque, opaque, {0}), 2));
}

TEST(VerifyExpDegree, FactorsOfLogarithmsCount) {
  const Module module = module_of("  %o = log %x\n");
  const Plan plan = lower(module, *module.find_program("p"));
  const auto error = [&](double factors) {
    const DegreeCounts counts = count_degrees(plan, 1, ExpDegrees{factors});
    BoundTerms terms = bound_terms(counts, counts, {0});
    terms.log2_prime = 26;
    return log2_error(terms, 2);
  };
  EXPECT_LT(error(1), -30);
  EXPECT_NEAR(error(1024) - error(1), 18, 2.5);
}

/// What check says of two programs of x and y [6] on one device each.
CheckReport compared(const std::string& left, const std::string& right) {
  return check_text(
      "global @x : f64[6] input\nglobal @y : f64[6] input\n"
      "program @l {\n  %x = view @x [-]\n  %y = view @y [-]\n" +
      left + "  return @o = %o [-]\n}\nprogram @r {\n  %x = view @x [-]\n  %y = view @y [-]\n" + right +
      "  return @o = %o [-]\n}\ncheck @l == @r\n");
}

/// `depth` exponentials around exp(x + y), or around exp(x) exp(y).
std::string nested(int depth, bool product) {
  std::string text = product ? "  %a = exponential %x\n  %b = exponential %y\n  %n.1 = multiply %a, %b\n"
                             : "  %s = add %x, %y\n  %n.1 = exponential %s\n";
  for (int d = 2; d <= depth; ++d) {
    text += "  %n." + std::to_string(d) + " = exponential %n." + std::to_string(d - 1) + "\n";
  }
  return text + "  %o = tanh %n." + std::to_string(depth) + "\n";
}

TEST(VerifyExp, TowersAreAsHighAsTheProgramsNeed) {
  for (int depth = 1; depth < kMostExpDepth; ++depth) {
    const CheckReport r = compared(nested(depth, false), nested(depth, true));
    EXPECT_EQ(r.verdict(), Verdict::equal) << depth << ": " << r.headline();
    EXPECT_TRUE(r.assumes.opaque.empty());
  }
}

TEST(VerifyExp, DeeperOnesNeedAPlaceForAnOpaqueIdentity) {
  const CheckReport r = compared(nested(kMostExpDepth + 1, false), nested(kMostExpDepth + 1, true));
  EXPECT_EQ(r.verdict(), Verdict::equal) << r.headline();
  EXPECT_FALSE(r.assumes.opaque.empty());
}

TEST(VerifyExp, ProductsOfDifferencesAreNotZero) {
  const std::string left =
      "  %e = exponential %x\n  %f = exponential %y\n  %d = subtract %e, %f\n  %p = multiply %d, %d\n"
      "  %o = multiply %p, %d\n";
  EXPECT_EQ(compared(left, "  %o = subtract %x, %x\n").verdict(), Verdict::not_equal);
}

TEST(VerifyExp, AMaximumThatCancels) {
  const std::string reduced =
      "  %m = reduce %x {op=max, dims=[0]}\n  %b = broadcast_in_dim %m {dims=[], shape=[6]}\n"
      "  %c = subtract %x, %b\n";
  const std::string rest =
      "  %e = exponential %c\n  %z = reduce %e {op=add, dims=[0]}\n"
      "  %w = broadcast_in_dim %z {dims=[], shape=[6]}\n  %q = divide %e, %w\n"
      "  %o = multiply %q, %y\n";
  EXPECT_EQ(compared(reduced + rest, "  %c = add %x, 0\n" + rest).verdict(), Verdict::equal);
}

// Of the right value only halves are there, so no opaque identity can stand on both sides.
TEST(VerifyExp, BeyondAllLawsNothingIsDecided) {
  const auto chain = [](bool halves) {
    std::string text = halves ? "  %h.0 = multiply %x, 0.5\n" : "  %n.0 = add %x, 0\n";
    for (int d = 1; d <= kMostExpDepth + 1; ++d) {
      const std::string to = std::to_string(d), from = std::to_string(d - 1);
      text += halves ? "  %a." + to + " = exponential %h." + from + "\n  %b." + to + " = multiply %a." + to +
                           ", 0.5\n  %h." + to + " = multiply %a." + to + ", %b." + to + "\n"
                     : "  %n." + to + " = exponential %n." + from + "\n";
    }
    const std::string last = std::to_string(kMostExpDepth + 1);
    return text + (halves ? "  %o = multiply %a." + last + ", %a." + last + "\n" : "  %o = add %n." + last + ", 0\n");
  };
  const CheckReport r = compared(chain(false), chain(true));
  EXPECT_EQ(r.exit_code(), 3);
  EXPECT_NE(r.headline().find("exponentials are nested more than 4 deep at %n.5, where rung E knows no law"),
            std::string::npos)
      << r.headline();
  EXPECT_NE(r.headline().find("no values with counterparts separate nested exponentials before exponential"),
            std::string::npos)
      << r.headline();
  EXPECT_TRUE(r.reason.location.known());
}

}  // namespace
}  // namespace isoshard::verify::verify_exp_test
