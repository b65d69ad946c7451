#include <gtest/gtest.h>

#include <cmath>

#include "core/plan/passes/lower.h"
#include "sim/domains/residues/lane_primes.h"
#include "tests/unit/verify/verify_fixture.h"
#include "verify/bounds/count_degrees.h"
#include "verify/bounds/degree.h"
#include "verify/bounds/error_bound.h"

namespace isoshard::verify::verify_bound_test {
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

TEST(VerifyDegree, ASelectByIntegersIsOneOfTheTwo) {
  const std::string two = "  %p = divide %x, %y\n  %q = divide %y, %x\n  %o = select %f, %p, %q\n";
  const Degree d = degree_of("  %i = axis_index {axis=a}\n  %f = compare %i, 0 {direction=eq}\n" + two);
  EXPECT_EQ(d.numerator, 1);
  EXPECT_EQ(d.denominator, 1);
  // A predicate of floats, or one that is another in each entry, is a factor of their difference.
  EXPECT_GT(degree_of("  %f = compare %x, %y {direction=lt}\n" + two).denominator, 1);
  const std::string entries = "  %i = iota {dtype=i32, shape=[4, 6]}\n  %f = compare %i, 2 {direction=lt}\n";
  EXPECT_GT(degree_of(entries + two).denominator, 1);
}

/// A denominator for each row of %q, which is f64[4, 6].
const std::string kByRows =
    "  %i = axis_index {axis=a}\n  %s = reduce %x {op=add, dims=[1]}\n"
    "  %b = broadcast_in_dim %s {dims=[0], shape=[4, 6]}\n  %q = divide %y, %b\n";

const std::string kAsMatrix = "  %o = broadcast_in_dim %v {dims=[1], shape=[1, 6]}\n";

TEST(VerifyDegree, ARowThatIsPickedHasOneDenominator) {
  const std::string row = kByRows + "  %g = gather %q, %i {dim=0}\n";
  EXPECT_EQ(degree_of(row + "  %v = dot_general %g, %w {contract=[0]x[0]}\n" + kAsMatrix).denominator, 1);
  const std::string rows = kByRows + "  %k = iota {dtype=i32, shape=[6]}\n  %g = gather %q, %k {dim=0}\n";
  EXPECT_EQ(degree_of(rows + "  %o = dot_general %g, %w {contract=[1]x[0]}\n").denominator, 1);
  EXPECT_EQ(degree_of(rows + "  %o = dot_general %g, %w {contract=[0]x[0]}\n").denominator, 6);
}

TEST(VerifyDegree, ARowThatIsReplacedChangesWhatMeetsAlongColumns) {
  const std::string replaced =
      kByRows + "  %r = slice %q {start=[1, 0], limit=[2, 6]}\n  %d = dynamic_update_slice %q, %r, %i, 0\n";
  EXPECT_EQ(degree_of(replaced + "  %o = dot_general %d, %w {contract=[1]x[0]}\n").denominator, 1);
  EXPECT_EQ(degree_of(replaced + "  %o = dot_general %d, %x {contract=[0]x[0]}\n").denominator, 4);
  // A block of columns differs along them as well.
  const std::string column =
      kByRows + "  %r = slice %q {start=[0, 1], limit=[4, 2]}\n  %d = dynamic_update_slice %q, %r, 0, %i\n";
  EXPECT_EQ(degree_of(column + "  %o = dot_general %d, %w {contract=[1]x[0]}\n").denominator, 6);
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
  EXPECT_NEAR(std::exp2(BoundTerms{}.log2_prime), sim::kLeastLanePrime, 2000);
  EXPECT_LE(std::exp2(BoundTerms{}.log2_prime), sim::kLeastLanePrime);
  const double log2_p = BoundTerms{}.log2_prime;
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
}  // namespace isoshard::verify::verify_bound_test
