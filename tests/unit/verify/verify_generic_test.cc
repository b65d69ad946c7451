// Denominators and updates about which nothing is known: when, what they count, and what they do not hide.
#include <gmock/gmock.h>

#include "core/plan/passes/lower.h"
#include "sim/evaluate/conversion.h"
#include "tests/unit/verify/verify_fixture.h"
#include "verify/bounds/count_degrees.h"
#include "verify/compare/make_pair.h"
#include "verify/ladder/ladder.h"
#include "verify/ring/generic_parts.h"
#include "verify/ring/layer_ends.h"
#include "verify/ring/loop_results.h"
#include "verify/ring/ring_run.h"

namespace isoshard::verify::verify_generic_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Two programs of one device over f64[6] @x, @y, @z with these lines, compared over `steps`.
std::string two(const std::string& left, const std::string& right, int steps = 1) {
  const std::string head = " {\n  %x = view @x [-]\n  %y = view @y [-]\n  %z = view @z [-]\n";
  return "global @x : f64[6] param\nglobal @y : f64[6] input\nglobal @z : f64[6] input\nprogram @left" + head + left +
         "}\nprogram @right" + head + right + "}\ncheck @left == @right {steps=" + std::to_string(steps) + "}\n";
}

struct Claim {
  Module module;
  Pair pair;
  explicit Claim(const std::string& body) : module(parse(body)), pair(make_pair_of(module, module.checks.at(0))) {}
};

bool equal(const Claim& claim, bool opaque_reciprocals) {
  RingOptions options;
  options.seed = 7;
  options.generic.reciprocals = opaque_reciprocals;
  return compare_in_ring(claim.pair, options).equal();
}

const std::string kReturn = "  return @r = %r [-]\n";

TEST(VerifyGeneric, OpaqueReciprocalsAreFunctions) {
  const Claim same(two("  %s = add %y, %z\n  %r = divide %x, %s\n" + kReturn,
                       "  %s = add %z, %y\n  %q = divide 1, %s\n  %r = multiply %q, %x\n" + kReturn));
  EXPECT_TRUE(equal(same, true));
  const Claim odd(two("  %s = subtract %y, %z\n  %r = divide %x, %s\n" + kReturn,
                      "  %s = subtract %z, %y\n  %n = negate %x\n  %r = divide %n, %s\n" + kReturn));
  EXPECT_TRUE(equal(odd, true)) << "1/(-x) = -1/x";
  const Claim root(
      two("  %s = rsqrt %y\n  %r = multiply %x, %s\n" + kReturn, "  %s = sqrt %y\n  %r = divide %x, %s\n" + kReturn));
  EXPECT_TRUE(equal(root, true)) << "rsqrt is 1/sqrt";
  const Claim power(two("  %r = power %y, -2\n" + kReturn, "  %s = multiply %y, %y\n  %r = divide 1, %s\n" + kReturn));
  EXPECT_TRUE(equal(power, true));
}

TEST(VerifyGeneric, LawsOfReciprocalsAreLost) {
  const Claim cancels(two("  %q = divide %x, %y\n  %r = multiply %q, %y\n" + kReturn, "  %r = add %x, 0\n" + kReturn));
  EXPECT_TRUE(equal(cancels, false));
  EXPECT_FALSE(equal(cancels, true));
  const Claim product(two("  %q = divide %x, %y\n  %r = divide %q, %z\n" + kReturn,
                          "  %p = multiply %y, %z\n  %r = divide %x, %p\n" + kReturn));
  EXPECT_TRUE(equal(product, false));
  EXPECT_FALSE(equal(product, true));
}

TEST(VerifyGeneric, NumbersKeepTheirReciprocals) {
  const Claim halves(two("  %h = divide %x, 2\n  %r = add %h, %h\n" + kReturn, "  %r = add %x, 0\n" + kReturn));
  EXPECT_TRUE(equal(halves, true));
  const Claim count(
      two("  %i = iota {dim=0, dtype=f64, shape=[6]}\n  %n = add %i, 1\n  %h = divide %x, %n\n"
          "  %r = multiply %h, %n\n" +
              kReturn,
          "  %r = add %x, 0\n" + kReturn));
  EXPECT_TRUE(equal(count, true));
}

/// n quotients of sums of rows, each of the one before.
std::string nested(int n, const std::string& last) {
  std::string lines = "  %h.0 = add %x, %y\n";
  for (int i = 0; i < n; ++i) {
    const std::string k = std::to_string(i), next = std::to_string(i + 1);
    lines += "  %a." + k + " = add %h." + k + ", %z\n  %q." + k + " = divide %y, %a." + k + "\n";
    lines += "  %s." + k + " = reduce %q." + k + " {op=add, dims=[0]}\n";
    lines += "  %b." + k + " = broadcast_in_dim %s." + k + " {dims=[], shape=[6]}\n";
    lines += "  %h." + next + " = add %h." + k + ", %b." + k + "\n";
  }
  return lines + last + kReturn;
}

std::string through(int n) { return "%h." + std::to_string(n); }

TEST(VerifyGeneric, OnlyWhereTheBoundIsMissedOtherwise) {
  const auto used = [](int n) {
    const std::string lines = nested(n, "  %r = add " + through(n) + ", 0\n");
    const Claim claim(two(lines, lines));
    return with_generic_parts(claim.pair, RingOptions{}).generic.any();
  };
  EXPECT_FALSE(used(2));
  EXPECT_TRUE(used(20));
}

TEST(VerifyGeneric, DegreesAddUp) {
  const std::string lines = nested(20, "  %r = add " + through(20) + ", 0\n");
  const Module module = parse(two(lines, lines));
  const Plan plan = lower(module, *module.find_program("left"));
  const DegreeCounts counts = count_degrees(plan, 1, {}, {}, Generic{true, {}});
  EXPECT_EQ(counts.outputs.at(0).denominator, 0);
  EXPECT_EQ(counts.outputs.at(0).numerator, 2) << "the last layer's quotient: %y times a fresh variable";
  EXPECT_EQ(counts.opaque_numerator, 2) << "%h.k + %z";
  EXPECT_EQ(counts.recognised, 120);
}

/// Deep, and right up to a law that opaque denominators do not have: what differs so is compared with all laws, whose
/// bound is too high.
TEST(VerifyGeneric, WhatDiffersIsComparedByAllLaws) {
  const std::string last = "  %r = add " + through(20) + ", %x\n";
  const CheckReport report =
      check_text(two(nested(20, last),
                     nested(20, "  %t = divide %x, %y\n  %u = multiply %t, %y\n  %r = add " + through(20) + ", %u\n")));
  EXPECT_EQ(report.equivalence, Verdict::undecided);
  EXPECT_THAT(report.reason.text, HasSubstr("so high a degree"));
  ASSERT_EQ(report.rungs.size(), 2U);
  EXPECT_EQ(report.rungs[0].answers.at(0).says, RungSays::differs);
  EXPECT_EQ(report.rungs[1].answers.at(0).says, RungSays::equal);
}

/// Before, at and behind opaque denominators.
TEST(VerifyGeneric, MistakesShowEverywhere) {
  const std::string right = nested(20, "  %r = add " + through(20) + ", 0\n");
  const auto verdict = [&](const std::string& from, const std::string& to) {
    std::string wrong = right;
    const size_t at = wrong.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return check_text(two(wrong.replace(at, from.size(), to), right)).equivalence;
  };
  EXPECT_EQ(verdict("%h.0 = add %x, %y", "%h.0 = add %y, %x"), Verdict::equal);
  EXPECT_EQ(verdict("%h.0 = add %x, %y", "%h.0 = add %x, %z"), Verdict::not_equal);
  EXPECT_EQ(verdict("%a.9 = add %h.9, %z", "%a.9 = add %h.9, %y"), Verdict::not_equal);
  EXPECT_EQ(verdict("divide %y, %a.9\n", "divide %y, %h.9\n"), Verdict::not_equal);
  EXPECT_EQ(verdict("divide %y, %a.9\n", "divide %z, %a.9\n"), Verdict::not_equal);
  EXPECT_EQ(verdict("%h.10 = add %h.9, %b.9", "%h.10 = add %h.8, %b.9"), Verdict::not_equal);
  EXPECT_EQ(verdict("%r = add " + through(20), "%r = add " + through(19)), Verdict::not_equal);
}

std::string updating(int n, const std::string& last, const std::string& update) {
  const std::string lines = nested(n, last);
  return lines + "  update @x = " + update + " [-]\n";
}

TEST(VerifyGeneric, UpdatesAreOpaqueBetweenSteps) {
  const auto checked = [](const std::string& left, const std::string& right) {
    const std::string last = "  %r = add " + through(3) + ", 0\n";
    return check_text(two(updating(3, last, left), updating(3, last, right), 4));
  };
  const CheckReport same = checked(through(3), through(3));
  EXPECT_EQ(same.equivalence, Verdict::equal) << same.headline();
  EXPECT_THAT(same.assumes.opaque, ElementsAre("all denominators", "@x between the steps"));
  EXPECT_EQ(checked(through(3), through(2)).equivalence, Verdict::not_equal);
}

/// n layers: each adds %m, a row times the sum of what `of` is when divided by a function of the stream %h.
std::string layers(int n, const std::string& of = "%h") {
  return "  %ws = iota {dim=0, dtype=f64, shape=[" + std::to_string(n) +
         ", 6]}\n  %h0 = add %x, %y\n  %r, %ye, %ze = scan (%h = %h0, %p = %y, %t = %z) over (%w = %ws) {\n"
         "    %a = add %h, %t\n    %q = divide " +
         of + ", %a\n    %s = reduce %q {op=add, dims=[0]}\n" +
         "    %b = broadcast_in_dim %s {dims=[], shape=[6]}\n    %c = multiply %b, %w\n    %m = multiply %c, %p\n" +
         "    %n = add %h, %m\n    yield (%n, %p, %t)\n  }\n" + kReturn;
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

std::vector<std::string> names_of_loop_results(const std::string& body) {
  const Claim claim(two(body, body));
  std::vector<std::string> names;
  for (const PlanValueId id : find_loop_results(claim.pair.sharded.plan)) {
    names.push_back(claim.pair.sharded.plan.value(id).name());
  }
  return names;
}

TEST(VerifyGeneric, EndsOfLayersKeepDegreesLow) {
  EXPECT_THAT(names_of_loop_results(layers(150)), ElementsAre("n"));
  const std::string same = changed(layers(150), "add %h, %m", "add %m, %h");
  const CheckReport report = check_text(two(layers(150), same));
  EXPECT_EQ(report.equivalence, Verdict::equal) << report.headline();
  EXPECT_THAT(report.assumes.opaque, ElementsAre("all denominators", "%n"));
  const CheckReport wrong = check_text(two(layers(150, "%p"), layers(150)));
  EXPECT_EQ(wrong.equivalence, Verdict::not_equal) << wrong.headline();
}

/// layers(150) with a stream that is `factor` times as large.
std::string scaled_layers(const std::string& factor) {
  std::string text = changed(layers(150), "  %r, %ye, %ze = scan (%h = %h0,",
                             "  %g0 = multiply %h0, " + factor + "\n  %e, %ye, %ze = scan (%g = %g0,");
  text = changed(text, "    %a = add", "    %h = divide %g, " + factor + "\n    %a = add");
  text = changed(text, "    %n = add %h, %m\n", "    %mm = multiply %m, " + factor + "\n    %n = add %g, %mm\n");
  return changed(text, "  }\n", "  }\n  %r = divide %e, " + factor + "\n");
}

/// As gradients of micro-batches are multiples of those of the batch, by a count of some loop; 3 is none here.
TEST(VerifyGeneric, EndsOfLayersMayBeMultiples) {
  const CheckReport by_count = check_text(two(scaled_layers("150"), layers(150)));
  EXPECT_EQ(by_count.equivalence, Verdict::equal) << by_count.headline();
  EXPECT_THAT(by_count.assumes.opaque, ElementsAre("all denominators", "%n"));
  const CheckReport other = check_text(two(scaled_layers("3"), layers(150)));
  EXPECT_EQ(other.equivalence, Verdict::equal) << other.headline();
  EXPECT_THAT(other.assumes.opaque, ElementsAre("all denominators"));
}

TEST(VerifyGeneric, SumsOverIterationsAreNoLayers) {
  const std::string sum =
      "  %ws = iota {dim=0, dtype=f64, shape=[4, 6]}\n  %z0 = multiply %x, 0\n"
      "  %r, %ye = scan (%h = %z0, %p = %y) over (%w = %ws) {\n    %c = multiply %p, %w\n    %n = add %h, %c\n"
      "    yield (%n, %p)\n  }\n";
  EXPECT_THAT(names_of_loop_results(sum + kReturn), ElementsAre());
}

/// Sums of inputs stay what they are: 2^t is a product where t counts steps.
TEST(VerifyGeneric, CountsOfStepsStayNumbers) {
  const std::string lines =
      nested(20, "  %r = add " + through(20) + ", 0\n") + "  %n = add %x, 1\n  update @x = %n [-]\n";
  const Claim claim(two(lines, lines, 2));
  const RingOptions options = with_generic_parts(claim.pair, RingOptions{});
  EXPECT_TRUE(options.generic.reciprocals);
  EXPECT_TRUE(options.generic.updates.empty());
}

}  // namespace
}  // namespace isoshard::verify::verify_generic_test
