// What rungs C and D certify: nesting of exponentials, sensitivity, degrees.
#include <gtest/gtest.h>

#include <cmath>

#include "core/plan/lower.h"
#include "core/support/result.h"
#include "sim/conversion.h"
#include "sim/domains/f32_f64.h"
#include "sim/perturbation.h"
#include "tests/unit/verify_fixture.h"
#include "verify/certify.h"
#include "verify/degree.h"
#include "verify/error_bound.h"
#include "verify/exp_depth.h"

namespace isoshard::verify::verify_exp_test {
namespace {

Module module_of(const std::string& lines) {
  return parse(
      "mesh @m [a=2]\n"
      "global @x : f64[6] input\nglobal @y : f64[6] input\n"
      "untyped program @p on @m {\n  %x = view @x [-]\n  %y = view @y [-]\n" +
      lines + "  return @o = %o [-]\n}\n");
}

ExpDepth depth_of(const std::string& lines, int64_t steps = 1, bool logistic = false) {
  const Module module = module_of(lines);
  return exp_depths(lower(module, *module.find_program("p")), steps, logistic).at(0);
}

TEST(VerifyExpDepth, CountsNestingOnTheWorstPath) {
  EXPECT_EQ(depth_of("  %o = add %x, %y\n").depth, 0);
  EXPECT_EQ(depth_of("  %e = exponential %x\n  %f = exponential %y\n  %o = multiply %e, %f\n").depth, 1);
  EXPECT_EQ(depth_of("  %e = exponential %x\n  %f = multiply %e, %y\n  %o = exponential %f\n").depth, 2);
  const ExpDepth three = depth_of(
      "  %e = exponential %x\n  %f = exponential %e\n  %g = exponential %f\n"
      "  %o = add %g, %x\n");
  EXPECT_EQ(three.depth, 3);
  EXPECT_EQ(three.value, "g");
  EXPECT_EQ(three.location.line(), 10U);
}

TEST(VerifyExpDepth, OpaqueFunctionsStartAnew) {
  EXPECT_EQ(depth_of("  %e = exponential %x\n  %f = tanh %e\n  %o = exponential %f\n").depth, 1);
  EXPECT_EQ(depth_of("  %e = logistic %x\n  %o = exponential %e\n").depth, 1);
  EXPECT_EQ(depth_of("  %e = logistic %x\n  %o = exponential %e\n", 1, true).depth, 2) << "rung D: made of exp";
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
      "  %n = scan (%c = %x) trips 7 {\n    %e = tanh %c\n    %f = exponential %e\n    yield (%f)\n  }\n"
      "  %o = add %n, %y\n";
  EXPECT_EQ(depth_of(loop).depth, 3);
  EXPECT_EQ(depth_of(online).depth, 1);
}

TEST(VerifyExpDegree, ExponentialsDoubleDegrees) {
  const auto degree = [](const std::string& lines) {
    const Module module = module_of(lines);
    return count_degrees(lower(module, *module.find_program("p")), 1, ExpDegrees{}).outputs.at(0);
  };
  EXPECT_EQ(degree("  %o = exponential %x\n").numerator, 2);
  const Degree quotient = degree("  %q = divide %x, %y\n  %o = exponential %q\n");
  EXPECT_EQ(quotient.numerator, 2);
  EXPECT_EQ(quotient.denominator, 2);
  const Degree log = degree("  %e = exponential %x\n  %o = log %e\n");
  EXPECT_EQ(log.log_degree, 2);
  EXPECT_EQ(degree("  %e = exponential %x\n  %l = log %e\n  %o = exponential %l\n").numerator, 2 + 2);
  EXPECT_EQ(degree("  %l = log %x\n  %o = multiply %l, %y\n").log_degree, 0);
  EXPECT_EQ(degree("  %l = log %x\n  %o = divide %l, 3\n").log_degree, 1);
}

TEST(VerifyExpDegree, FactorsOfLogarithmsCount) {
  const Module module = module_of("  %o = log %x\n");
  const Plan plan = lower(module, *module.find_program("p"));
  const auto error = [&](double factors) {
    const DegreeCounts counts = count_degrees(plan, 1, ExpDegrees{false, factors});
    return log2_error(bound_terms(counts, counts, {0}), 2);
  };
  EXPECT_LT(error(1), -30);
  EXPECT_NEAR(error(1024) - error(1), 18, 2.5);
}

/// Two programs of x and y [6] on one device each; `c` compares on rung C.
struct Compared {
  Module module;
  Pair pair;
  RingOptions options;
  RingOutcome outcome;
  Certificate certificate;

  Compared(const std::string& left, const std::string& right)
      : module(parse("global @x : f64[6] input\nglobal @y : f64[6] input\n"
                     "program @l {\n  %x = view @x [-]\n  %y = view @y [-]\n" +
                     left + "  return @o = %o [-]\n}\nprogram @r {\n  %x = view @x [-]\n  %y = view @y [-]\n" + right +
                     "  return @o = %o [-]\n}\ncheck @l == @r\n")),
        pair(make_pair_of(module, module.checks.at(0))) {
    options.exponential = true;
    outcome = compare_in_ring(pair, options);
    certificate = certify(pair, options, outcome, {true});
  }
};

TEST(VerifyCertify, WhatHoldsIsCertified) {
  const Compared c("  %s = add %x, %y\n  %o = exponential %s\n",
                   "  %e = exponential %x\n  %f = exponential %y\n  %o = multiply %e, %f\n");
  EXPECT_TRUE(c.outcome.equal());
  EXPECT_EQ(c.certificate.reason, "");
  EXPECT_EQ(c.certificate.perturbed, 2U + 3U);
  EXPECT_TRUE(c.certificate.silent.empty());
}

TEST(VerifyCertify, AZeroProductIsABlindSpot) {
  const std::string left =
      "  %e = exponential %x\n  %f = exponential %y\n  %d = subtract %e, %f\n  %p = multiply %d, %d\n"
      "  %o = multiply %p, %d\n";
  const Compared c(left, "  %o = subtract %x, %x\n");
  EXPECT_TRUE(c.outcome.equal()) << "p^3 is 0";
  EXPECT_NE(c.certificate.reason.find("blind to"), std::string::npos) << c.certificate.reason;
  EXPECT_TRUE(c.certificate.location.known());
}

TEST(VerifyCertify, AShiftOfASoftmaxIsAGauge) {
  const std::string reduced =
      "  %m = reduce %x {op=max, dims=[0]}\n  %b = broadcast_in_dim %m {dims=[], shape=[6]}\n"
      "  %c = subtract %x, %b\n";
  const std::string rest =
      "  %e = exponential %c\n  %z = reduce %e {op=add, dims=[0]}\n"
      "  %w = broadcast_in_dim %z {dims=[], shape=[6]}\n  %q = divide %e, %w\n"
      "  %o = multiply %q, %y\n";
  const Compared c(reduced + rest, "  %c = add %x, 0\n" + rest);
  EXPECT_TRUE(c.outcome.equal());
  EXPECT_EQ(c.certificate.reason, "");
}

TEST(VerifyCertify, DeepNestingIsNotCertified) {
  const std::string deep = "  %e = exponential %x\n  %f = exponential %e\n  %o = exponential %f\n";
  const Compared c(deep, deep);
  EXPECT_TRUE(c.outcome.equal());
  EXPECT_NE(c.certificate.reason.find("nested more than 2 deep"), std::string::npos) << c.certificate.reason;
}

// Of the right value only halves are there, so no opaque identity can stand on both sides.
TEST(VerifyCertify, AnUncertifiedEqualityIsNoVerdict) {
  const CheckReport r = check_text(
      "global @x : f64[6] input\n"
      "program @l {\n  %x = view @x [-]\n  %a = exponential %x\n  %b = exponential %a\n  %o = exponential %b\n"
      "  return @o = %o [-]\n}\n"
      "program @r {\n  %x = view @x [-]\n  %xh = multiply %x, 0.5\n  %a1 = exponential %xh\n"
      "  %a2 = multiply %a1, 0.5\n  %ah = multiply %a1, %a2\n  %b1 = exponential %ah\n  %b2 = multiply %b1, 0.5\n"
      "  %bh = multiply %b1, %b2\n  %c1 = exponential %bh\n  %o = multiply %c1, %c1\n  return @o = %o [-]\n}\n"
      "check @l == @r\n");
  EXPECT_EQ(r.exit_code(), 3);
  EXPECT_NE(r.headline().find("rung C finds the outputs equal, but cannot certify it"), std::string::npos)
      << r.headline();
  EXPECT_NE(r.headline().find("no values with counterparts separate nested exponentials before exponential"),
            std::string::npos)
      << r.headline();
  EXPECT_TRUE(r.reason_location.known());
}

/// What a run stores of @o [4], 2 elements per device, where 1 is added to the argument of the exponential in the loop.
std::vector<double> run_perturbed(std::optional<int64_t> iteration) {
  const Module module = parse(
      "mesh @m [a=2]\nglobal @x : f64[4] input\n"
      "untyped program @p on @m {\n  %x = view @x [a]\n"
      "  %o = scan (%c = %x) trips 3 {\n    %e = exponential %c\n    %n = add %e, %c\n    yield (%n)\n  }\n"
      "  return @o = %o [a]\n}\n");
  const Plan plan = lower(module, *module.find_program("p"));
  const sim::Domain& domain = sim::float_domain();
  sim::Perturbation added{
      {}, 1, {iteration.value_or(0)}, 0, sim::from_doubles({DType::f64, {}}, std::vector<double>{1}, domain)};
  for (size_t i = 0; i < plan.instructions.size(); ++i) {
    if (plan.instructions[i].op == "exponential") added.instruction = InstructionId(i);
  }
  sim::RunOptions options;
  options.perturbation = iteration ? &added : nullptr;
  const std::vector<sim::Value> globals{
      sim::from_doubles({DType::f64, {4}}, std::vector<double>{0, 0.5, -1, -2}, domain)};
  std::vector<double> result;
  const Result<sim::RunResult> run = sim::run(plan, domain, globals, options);
  for (const sim::StoredBlock& block : run->outputs.at(0)) {
    for (const double x : block.value.plane<double>(0)) result.push_back(x);
  }
  return result;
}

TEST(Perturbation, ChangesOneElementOnOneDeviceInOneIteration) {
  const std::vector<double> plain = run_perturbed(std::nullopt), last = run_perturbed(2), first = run_perturbed(0);
  double x = -1;
  for (int i = 0; i < 2; ++i) x += std::exp(x);
  ASSERT_EQ(plain.size(), 4U);
  EXPECT_NEAR(last[2], x + std::exp(x + 1), 1e-12) << "the exponential sees x + 1, the sum x";
  EXPECT_NE(first[2], plain[2]);
  EXPECT_NE(first[2], last[2]);
  for (const size_t i : {size_t{0}, size_t{1}, size_t{3}}) {
    EXPECT_EQ(first[i], plain[i]);
    EXPECT_EQ(last[i], plain[i]);
  }
  EXPECT_EQ(run_perturbed(3), plain) << "there is no such iteration";
}

}  // namespace
}  // namespace isoshard::verify::verify_exp_test
