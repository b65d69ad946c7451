#include <gtest/gtest.h>

#include <cmath>

#include "core/plan/lower.h"
#include "tests/unit/verify_fixture.h"
#include "verify/degree.h"
#include "verify/error_bound.h"

namespace isoshard::verify {
namespace {

/// The degrees of the only output of the program `@p` with these lines; @x and @y are f64[4, 6], @w f64[6, 6].
Degree degree_of(const std::string& lines, DegreeCounts* counts = nullptr) {
  const Module module = parse(
      "mesh @m [a=2]\n"
      "global @x : f64[4, 6] input\nglobal @y : f64[4, 6] input\nglobal @w : f64[6, 6] input\n"
      "untyped program @p on @m {\n  %x = view @x [-, -]\n  %y = view @y [-, -]\n  %w = view @w [-, -]\n" +
      lines + "  return @o = %o [-, -]\n}\n");
  const DegreeCounts all = count_degrees(lower(module, *module.find_program("p")));
  if (counts != nullptr) *counts = all;
  return all.outputs.at(0);
}

TEST(VerifyDegree, RingOperations) {
  const Degree sum = degree_of("  %o = add %x, %y\n");
  EXPECT_EQ(sum.numerator, 1);
  EXPECT_EQ(sum.denominator, 0);
  EXPECT_EQ(degree_of("  %p = multiply %x, %y\n  %o = add %p, %x\n").numerator, 2);
  EXPECT_EQ(degree_of("  %d = dot_general %x, %w {contract=[1]x[0]}\n  %o = dot_general %d, %w {contract=[1]x[0]}\n")
                .numerator,
            3);
  EXPECT_EQ(degree_of("  %o = multiply %x, 3\n").numerator, 1);
  EXPECT_EQ(degree_of("  %o = all_reduce %x {axis=a}\n").numerator, 1);
}

TEST(VerifyDegree, QuotientsWithOneDenominatorKeepIt) {
  const Degree same = degree_of("  %p = divide %x, %y\n  %q = divide 1, %y\n  %o = add %p, %q\n");
  EXPECT_EQ(same.numerator, 1);
  EXPECT_EQ(same.denominator, 1);
  const Degree different = degree_of("  %p = divide %x, %y\n  %q = divide %y, %x\n  %o = add %p, %q\n");
  EXPECT_EQ(different.numerator, 2);
  EXPECT_EQ(different.denominator, 2);
}

TEST(VerifyDegree, DividingByAConstantCostsNothing) {
  const Degree d = degree_of("  %o = divide %x, 7\n");
  EXPECT_EQ(d.numerator, 1);
  EXPECT_EQ(d.denominator, 0);
  EXPECT_EQ(d.evaluations, 0);
}

TEST(VerifyDegree, SumsOfDifferentDenominatorsMultiplyThem) {
  const Degree d = degree_of("  %q = divide %x, %y\n  %o = dot_general %q, %w {contract=[1]x[0]}\n");
  EXPECT_EQ(d.denominator, 6);  // six different denominators
  EXPECT_EQ(d.numerator, 2 + 5);
  EXPECT_EQ(degree_of("  %q = divide %x, %y\n  %o = all_reduce %q {axis=a}\n").denominator, 2);
}

TEST(VerifyDegree, ADenominatorPerRowIsOneForTheWholeRow) {
  const Degree d = degree_of(
      "  %r = reduce %y {op=add, dims=[1]}\n  %b = broadcast_in_dim %r {dims=[0], shape=[4, 6]}\n"
      "  %q = divide %x, %b\n  %o = dot_general %q, %w {contract=[1]x[0]}\n");
  EXPECT_EQ(d.denominator, 1);
  EXPECT_EQ(d.numerator, 2);
}

TEST(VerifyDegree, OpaqueFunctionsStartAgainAndAreCounted) {
  DegreeCounts counts;
  const Degree d = degree_of(
      "  %p = multiply %x, %x\n  %e = exponential %p\n  %o = dot_general %e, %w {contract=[1]x[0]}\n", &counts);
  EXPECT_EQ(d.numerator, 2);
  EXPECT_EQ(d.evaluations, 6);            // in the cone of one entry
  EXPECT_EQ(counts.evaluations, 2 * 24);  // on both devices
  EXPECT_EQ(counts.opaque_numerator, 2);
}

TEST(VerifyDegree, EvaluationsOfOneEntryAreAtMostAllThereAre) {
  std::string lines = "  %e0 = exponential %x\n";
  for (int i = 0; i < 60; ++i) {
    const std::string a = "%e" + std::to_string(i), b = "%e" + std::to_string(i + 1);
    lines += "  " + b + " = add " + a + ", " + a + "\n";
  }
  EXPECT_EQ(degree_of(lines + "  %o = negate %e60\n").evaluations, 2 * 24);
}

TEST(VerifyBound, IsTheFormula) {
  const double log2_p = std::log2(2147483647.0);
  EXPECT_NEAR(log2_error({4, 0, 0}, 2), 2 * (2 - log2_p), 1e-9);
  EXPECT_NEAR(log2_error({4, 2, 3}, 2), std::log2(std::exp2(2 * (2 - log2_p)) + 3 * std::exp2(2 * (1 - log2_p))), 1e-9);
  EXPECT_EQ(log2_error({std::exp2(40), 0, 0}, 2), 0) << "a probability is at most 1";
  EXPECT_EQ(log2_error({0, 0, 0}, 2), -HUGE_VAL);
  EXPECT_EQ(log2_error({HUGE_VAL, 0, 0}, 8), 0);
}

TEST(VerifyBound, LanesAreAddedUntilTheTarget) {
  EXPECT_EQ(choose_lanes({2, 0, 0}), 2U);
  EXPECT_EQ(choose_lanes({2, 0, 0}, LaneChoice{5}), 5U);
  EXPECT_EQ(choose_lanes({2, 2, 2000}), 3U);
  EXPECT_EQ(choose_lanes({std::exp2(30), 0, 0}), 8U);
  EXPECT_GT(log2_error({std::exp2(30), 0, 0}, 8), LaneChoice{}.worst);
}

}  // namespace
}  // namespace isoshard::verify
