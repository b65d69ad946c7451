// Checks of several steps: what is compared when, how degrees and inputs go from step to step.

#include "core/plan/passes/lower.h"
#include "sim/domains/residues/ring_a.h"
#include "tests/unit/verify/verify_fixture.h"
#include "verify/bounds/count_degrees.h"
#include "verify/bounds/degree.h"
#include "verify/bounds/memory.h"
#include "verify/compare/inputs.h"
#include "verify/compare/make_pair.h"
#include "verify/compare/steps.h"
#include "verify/facts/cones.h"

namespace isoshard::verify::verify_steps_test {
namespace {

/// The degrees of program `@p` with these lines after `steps`; @x is an input, @s a state, both f64[4, 6].
DegreeCounts degrees(const std::string& lines, int64_t steps) {
  const Module module = parse("global @x : f64[4, 6] input\nglobal @s : f64[4, 6] state\nprogram @p {\n" +
                              std::string("  %x = view @x [-, -]\n  %s = view @s [-, -]\n") + lines + "}\n");
  return count_degrees(lower(module, *module.find_program("p")), steps);
}

TEST(VerifySteps, DegreesGrowWithTheState) {
  const std::string square = "  %n = multiply %s, %s\n  update @s = %n [-, -]\n";
  EXPECT_EQ(degrees(square, 1).outputs.at(0).numerator, 2);
  EXPECT_EQ(degrees(square, 5).outputs.at(0).numerator, 32);
  const std::string decay = "  %n = multiply %s, 0.5\n  %m = add %n, %x\n  update @s = %m [-, -]\n";
  EXPECT_EQ(degrees(decay, 9).outputs.at(0).numerator, 1);
}

TEST(VerifySteps, AResultHasTheDegreeOfItsLastStep) {
  const DegreeCounts d = degrees("  %n = multiply %s, %x\n  update @s = %n [-, -]\n  return @y = %s [-, -]\n", 4);
  EXPECT_EQ(d.outputs.at(0).numerator, 4);  // @y is @s as it was: x1 x2 x3 s
  EXPECT_EQ(d.outputs.at(1).numerator, 5);
}

/// s + 1/x with a new x in every step: K different denominators, although it is one instruction that divides.
TEST(VerifySteps, DenominatorsOfDifferentStepsDiffer) {
  const std::string lines = "  %i = divide 1, %x\n  %n = add %s, %i\n  update @s = %n [-, -]\n";
  EXPECT_EQ(degrees(lines, 1).outputs.at(0).denominator, 1);
  EXPECT_EQ(degrees(lines, 3).outputs.at(0).denominator, 3);
  EXPECT_EQ(degrees(lines, 3).outputs.at(0).numerator, 4);
}

TEST(VerifySteps, EvaluationsAddUp) {
  const std::string lines = "  %t = tanh %x\n  %n = add %s, %t\n  update @s = %n [-, -]\n";
  EXPECT_EQ(degrees(lines, 1).outputs.at(0).evaluations, 1);
  EXPECT_EQ(degrees(lines, 3).outputs.at(0).evaluations, 3);
}

TEST(VerifySteps, TheConeGoesThroughUpdates) {
  const Module module = parse(
      "global @x : f64[4] input\nglobal @s : f64[4] state\nprogram @p {\n  %x = view @x [-]\n  %s = view @s [-]\n"
      "  %t = tanh %x\n  update @s = %t [-]\n  return @y = %s [-]\n}\n");
  const Plan plan = lower(module, *module.find_program("p"));
  const auto size = [](const std::vector<bool>& cone) { return std::count(cone.begin(), cone.end(), true); };
  EXPECT_EQ(size(cone_over_steps(plan, 0, 1)), 2);  // view @s, return
  EXPECT_EQ(size(cone_over_steps(plan, 0, 2)), 5);  // all of them
}

/// Both sides keep their own @s beside the drawn one: two lanes of 24 residues more on each.
TEST(VerifySteps, MemoryCountsTheUpdatedGlobalsOfBothSides) {
  const std::string head = "global @s : f64[4, 6] state\nprogram @p {\n  %s = view @s [-, -]\n  %n = multiply %s, %s\n";
  const auto globals = [&](const std::string& end) {
    const Module module = parse(head + end + "}\ncheck @p == @p\n");
    return estimate_memory(make_pair_of(module, module.checks.at(0)), sim::RingDomain(2, 1), 1).globals;
  };
  EXPECT_EQ(globals("  update @s = %n [-, -]\n") - globals("  return @s = %n [-, -]\n"), 2 * 2 * 24 * 4);
}

TEST(VerifySteps, EveryStepHasItsOwnInputs) {
  const Global x{"x", {DType::f64, {3}}, Role::input, {}, Location()};
  const sim::RingDomain ring(1, 1);
  const sim::Value first = draw_ring(x, ring, Draw{}), again = draw_ring(x, ring, Draw{});
  EXPECT_TRUE(sim::same_bits(first, again));
  EXPECT_FALSE(sim::same_bits(first, draw_ring(x, ring, Draw{0, 0, {}, 2})));
}

constexpr const char* kGlobals = "mesh @m [p=2]\nglobal @x : f64[4, 6] input\nglobal @s : f64[4, 6] state\n";

/// The report of `@a` and `@b`, each with these lines, %x and %s read as `[p, -]` and whole.
CheckReport check_lines(const std::string& a, const std::string& b, int64_t steps) {
  return check_text(std::string(kGlobals) + "program @a on @m {\n  %x = view @x [p, -]\n  %s = view @s [p, -]\n" + a +
                    "}\nprogram @b {\n  %x = view @x [-, -]\n  %s = view @s [-, -]\n" + b +
                    "}\ncheck @a == @b {steps=" + std::to_string(steps) + "}\n");
}

TEST(VerifySteps, TheFirstStepThatDiffersIsNamed) {
  // %s is the input of the step before: the right program returns x1 in step 2, the wrong one 2 x1.
  const std::string right = "  update @s = %x [-, -]\n  return @y = %s [-, -]\n";
  const std::string sharded = "  update @s = %x [p, -]\n  return @y = %s [p, -]\n";
  EXPECT_EQ(check_lines(sharded, right, 3).verdict(), Verdict::equal);
  const CheckReport r = check_lines("  %d = add %x, %x\n  update @s = %d [p, -]\n  return @y = %s [p, -]\n", right, 3);
  EXPECT_EQ(r.verdict(), Verdict::not_equal);
  EXPECT_EQ(r.outputs.at(0).label(r.claim.steps), "@y in step 2");
  EXPECT_EQ(r.outputs.at(1).label(r.claim.steps), "@s after step 3");
  EXPECT_EQ(r.diagnosis.step, 1U);
  EXPECT_EQ(r.diagnosis.value, "%d");
  EXPECT_EQ(r.outputs.at(1).ring.ratio->numerator, 2);
  const std::string text = to_text(r);
  EXPECT_NE(text.find("@s after step 3 f64[4,6]  NOT EQUAL"), std::string::npos) << text;
  EXPECT_NE(text.find("the first value without a counterpart in @b, in step 1"), std::string::npos) << text;
}

TEST(VerifySteps, UpdatesCountAfterTheLastStepOnly) {
  // In step 1 they differ by s, in step 2 both are 0 x: s is multiplied by the 0 that step 1 has left in @z.
  const std::string globals = std::string(kGlobals) + "global @z : f64[4, 6] state\n";
  const auto program = [](const std::string& name, const std::string& next) {
    return "program " + name + " {\n  %x = view @x [-, -]\n  %s = view @s [-, -]\n  %z = view @z [-, -]\n" + next +
           "  %zero = multiply %x, 0\n  %zs = multiply %z, %s\n  %n = multiply %zs, %k\n  update @s = %n [-, -]\n"
           "  update @z = %zero [-, -]\n}\n";
  };
  const std::string both =
      globals + program("@a", "  %k = add %x, %x\n") + program("@b", "  %k = multiply %x, 3\n") + "check @a == @b";
  EXPECT_EQ(check_text(both + "\n").verdict(), Verdict::not_equal);
  EXPECT_EQ(check_text(both + " {steps=2}\n").verdict(), Verdict::equal);
}

TEST(VerifySteps, CopiesMustAgreeAfterEveryStep) {
  // The first device stores 0, the second one s: the next step must not go on with the first copy as if it were all.
  const CheckReport r =
      check_text(std::string(kGlobals) +
                 "untyped program @a on @m {\n  %s = view @s [-, -]\n"
                 "  %n = collective_permute %s {axis=p, pairs=[(0, 1)]}\n  update @s = %n [-, -]\n}\n"
                 "program @b {\n  %s = view @s [-, -]\n  %n = multiply %s, 0\n  update @s = %n [-, -]\n}\n"
                 "check @a == @b {steps=2}\n");
  EXPECT_EQ(r.verdict(), Verdict::not_equal);
  EXPECT_EQ(r.outputs.at(0).label(r.claim.steps), "@s after step 1");
  EXPECT_EQ(r.outputs.at(0).ring.disagreeing_positions, std::vector<int64_t>{1});
}

TEST(VerifySteps, DivisionByAStateThatBecomesZeroIsFound) {
  const CheckReport r =
      check_lines("  %y = divide %x, %s\n  %n = multiply %x, 0\n  update @s = %n [p, -]\n  return @y = %y [p, -]\n",
                  "  %y = divide %x, %s\n  %n = multiply %x, 0\n  update @s = %n [-, -]\n  return @y = %y [-, -]\n", 2);
  EXPECT_EQ(r.verdict(), Verdict::undecided);
  EXPECT_EQ(r.reason.text, "the denominator %s is 0 in every draw, and x/0 has no value");
}

TEST(VerifySteps, OnlyOneSideUpdates) {
  const CheckReport r = check_text(
      "global @x : f64[4] input\nglobal @s : f64[4] state\nprogram @a {\n  %x = view @x [-]\n  update @s = %x [-]\n"
      "  return @y = %x [-]\n}\nprogram @b {\n  %x = view @x [-]\n  return @y = %x [-]\n}\ncheck @a == @b\n");
  EXPECT_EQ(r.exit_code(), 2);
  ASSERT_EQ(r.bad_input.size(), 1U);
  EXPECT_EQ(r.bad_input[0].rule + " " + r.bad_input[0].message,
            "C-updates check: @a updates @s, @b does not; expected both to update the same globals");
}

constexpr const char* kTwoNames =
    "mesh @m [p=2]\nglobal @x : f64[4, 6] input\nglobal @W : f64[6, 6] param\nglobal @kernel : f64[6, 6] param\n";

std::string layer(const std::string& name, const std::string& mesh, const std::string& weight,
                  const std::string& rows) {
  return "program " + name + mesh + " {\n  %x = view @x [" + rows + ", -]\n  %w = view " + weight +
         " [-, -]\n  %y = dot_general %x, %w {contract=[1]x[0]}\n  %n = multiply %w, 0.5\n  update " + weight +
         " = %n [-, -]\n  return @y = %y [" + rows + ", -]\n}\n";
}

TEST(VerifySteps, AMapGivesOneValueToTwoNames) {
  const std::string programs =
      kTwoNames + layer("@a", " on @m", "@W", "p") + layer("@b", "", "@kernel", "-") + "check @a == @b {steps=2";
  EXPECT_EQ(check_text(programs + ", map @W = @kernel}\n").verdict(), Verdict::equal);
  EXPECT_EQ(check_text(programs + ", map @kernel = @W [-, -]}\n").verdict(), Verdict::equal);
  EXPECT_EQ(check_text(programs + "}\n").exit_code(), 2);  // each updates a global that the other one does not
}

}  // namespace
}  // namespace isoshard::verify::verify_steps_test
