// Loops in degree bounds, cones and reports.

#include <gtest/gtest.h>

#include "core/plan/passes/lower.h"
#include "tests/unit/verify/verify_fixture.h"
#include "verify/bounds/count_degrees.h"
#include "verify/bounds/degree.h"
#include "verify/compare/pair.h"
#include "verify/facts/cones.h"

namespace isoshard::verify::verify_scan_test {
namespace {

/// The Plan of the program `@p` with these lines; @x is f64[4, 6].
Plan plan_of(const std::string& lines) {
  const Module module =
      parse("global @x : f64[4, 6] input\nuntyped program @p {\n  %x = view @x [-, -]\n" + lines + "}\n");
  return lower(module, *module.find_program("p"));
}

Degree degree_of(const std::string& lines) { return count_degrees(plan_of(lines)).outputs.at(0); }

void expect_same(const Degree& a, const Degree& b) {
  EXPECT_EQ(a.numerator, b.numerator);
  EXPECT_EQ(a.denominator, b.denominator);
  EXPECT_EQ(a.evaluations, b.evaluations);
}

/// %r.0 to %r.3: the rows of @x.
const std::string kRows =
    "  for k in 0..4 {\n    %s.{k} = slice %x {start=[k, 0], limit=[k+1, 6]}\n"
    "    %r.{k} = reshape %s.{k} {shape=[6]}\n  }\n";
const std::string kZero = "  %z = constant {value=0, dtype=f64, shape=[6]}\n";

TEST(VerifyScan, ALoopCountsLikeItsIterations) {
  const Degree loop = degree_of(
      "  %o = scan (%c = %x) trips 5 {\n    %n = multiply %c, %c\n    yield (%n)\n  }\n"
      "  return @o = %o [-, -]\n");
  EXPECT_EQ(loop.numerator, 32);
  const Degree none = degree_of(
      "  %o = scan (%c = %x) trips 0 {\n    %n = multiply %c, %c\n    yield (%n)\n  }\n"
      "  return @o = %o [-, -]\n");
  EXPECT_EQ(none.numerator, 1);
}

TEST(VerifyScan, EveryIterationHasItsOwnDenominator) {
  const Degree loop = degree_of(kZero +
                                "  %o = scan (%c = %z) over (%r = %x) {\n    %q = divide 1, %r\n    %n = add %c, %q\n"
                                "    yield (%n)\n  }\n  return @o = %o [-]\n");
  EXPECT_EQ(loop.denominator, 4);
  expect_same(loop, degree_of(kZero + kRows +
                              "  for k in 0..4 { %q.{k} = divide 1, %r.{k} }\n  %o = sum %z, %q.{0..4}\n"
                              "  return @o = %o [-]\n"));
}

TEST(VerifyScan, StacksHoldDifferentDenominators) {
  const std::string end = "  %o = reduce %qs {op=add, dims=[0]}\n  return @o = %o [-]\n";
  const Degree loop =
      degree_of("  %qs = scan over (%r = %x) {\n    %q = divide 1, %r\n    yield stack (%q)\n  }\n" + end);
  EXPECT_EQ(loop.denominator, 4);
  expect_same(loop, degree_of("  %qs = divide 1, %x\n" + end));
}

TEST(VerifyScan, AnExponentialPerIterationIsOneEvaluationEach) {
  const Plan plan = plan_of(
      "  %o = scan (%c = %x) trips 3 {\n    %n = exponential %c\n    yield (%n)\n  }\n  return @o = %o [-, -]\n");
  const DegreeCounts counts = count_degrees(plan);
  EXPECT_EQ(counts.evaluations, 3 * 24);
  EXPECT_EQ(counts.outputs[0].evaluations, 3);
}

/// The ops in the cone of output `output`.
std::string cone(const Plan& plan, uint32_t output) {
  const std::vector<bool> in = cone_of(plan, output);
  std::string ops;
  for (size_t i = 0; i < in.size(); ++i) ops += in[i] ? plan.instructions[i].op() + " " : "";
  return ops;
}

TEST(VerifyScan, ConesGoThroughCarriesSlicesAndStacks) {
  // %d reaches @a only through %c of the next iteration.
  const Plan plan =
      plan_of(kZero +
              "  %c, %d, %e, %s = scan (%c = %z, %d = %z, %e = %z) over (%r = %x) {\n"
              "    %t = tanh %r\n    %l = logistic %e\n    %n = negate %r\n    yield (%d, %t, %l) stack (%n)\n  }\n"
              "  return @a = %c [-]\n  return @b = %e [-]\n  return @s = %s [-, -]\n");
  EXPECT_EQ(cone(plan, 0), "view constant tanh return ");
  EXPECT_EQ(cone(plan, 1), "constant logistic return ");
  EXPECT_EQ(cone(plan, 2), "view negate return ");
}

TEST(VerifyScan, ReportsNameTheIteration) {
  const CheckReport report = check_text(
      "global @x : f32[3, 4] input\n"
      "program @p {\n  %x = view @x [-, -]\n  %z = constant {value=0, dtype=f32, shape=[4]}\n"
      "  %y = scan (%c = %z) over (%r = %x) index %i {\n    %s = add %c, %r\n    yield (%s)\n  }\n"
      "  return @y = %y [-]\n}\n"
      "program @q {\n  %x = view @x [-, -]\n  %z = constant {value=0, dtype=f32, shape=[4]}\n"
      "  %y = scan (%c = %z) over (%r = %x) {\n    %s = subtract %c, %r\n    yield (%s)\n  }\n"
      "  return @y = %y [-]\n}\n"
      "check @p == @q\n");
  // The other sign of the last sum alone is no repair of the op.
  EXPECT_EQ(report.diagnosis.value, "%s of iteration 2");
  EXPECT_EQ(report.diagnosis.cause, "%s of iteration 2 = add stands where @q has %s of iteration 2 = subtract");
}

}  // namespace
}  // namespace isoshard::verify::verify_scan_test
