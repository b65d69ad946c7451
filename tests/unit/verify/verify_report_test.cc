#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "tests/unit/verify/verify_fixture.h"

namespace isoshard::verify::verify_report_test {
namespace {

using ::testing::HasSubstr;

const char* const kGlobals = "mesh @m [k=4]\nglobal @x : f32[8] input\n";
const char* const kDense = "program @dense {\n  %x = view @x [-]\n  %y = multiply %x, 3\n  return @y = %y [-]\n}\n";

std::string scaled(const std::string& factor) {
  return std::string(kGlobals) + "program @sharded on @m {\n  %x = view @x [k]\n  %y = multiply %x, " + factor +
         "\n  return @y = %y [k]\n}\n" + kDense + "check @sharded == @dense\n";
}

TEST(VerifyReport, EqualReadsLikeThis) {
  EXPECT_EQ(
      masked(check_text(scaled("3"))),
      "check @sharded == @dense  (t.shard:14:1)\n"
      "  programs   @sharded on mesh @m [k=4], 4 devices; @dense on 1 device\n"
      "  outputs    @y f32[8]  EQUAL\n"
      "  formulas   equal on rung A (exact modulo random primes, other functions opaque), 2 lanes, error <= 2^-61\n"
      "  f64        max abs 0, max rel 0, rounding <= 1.3e-15 on one random input (never the proof)\n"
      "  order      deadlock none, race none\n"
      "  time       T\n"
      "EQUAL as formulas (rung A, 2 lanes, error <= 2^-61)\n");
}

TEST(VerifyReport, NotEqualSaysWhereAndWhy) {
  const std::string text = masked(check_text(scaled("12")));
  EXPECT_THAT(text, HasSubstr("  outputs    @y f32[8]  NOT EQUAL  at [0]: "));
  EXPECT_THAT(text, HasSubstr("  where      %y = multiply at t.shard:6:8, all that differs\n"
                              "               %y = multiply %x, 12\n"
                              "  why        with %y of @dense in its place all outputs are right\n"));
  EXPECT_THAT(text, HasSubstr("  ratio      @y is 4x the reference: = size(k)\n"));
  EXPECT_THAT(text, HasSubstr("\nNOT EQUAL: %y = multiply takes 12 instead of 3\n"));
  EXPECT_LE(count_lines(text), 20);
}

/// `outputs` lines of @y0 to @y3, of which those in `wrong` are not what they should be.
std::string outputs_of(const std::string& wrong) {
  std::string left, right;
  for (const char k : {'0', '1', '2', '3'}) {
    const std::string name(1, k), returned = "  return @y" + name + " = %y" + name + " [-]\n";
    left += "  %y" + name + " = multiply %x, " + (wrong.find(k) == std::string::npos ? "3" : "5") + "\n" + returned;
    right += "  %y" + name + " = multiply %x, 3\n" + returned;
  }
  const std::string head = " {\n  %x = view @x [-]\n";
  return masked(check_text("global @x : f32[8] input\nprogram @left" + head + left + "}\nprogram @right" + head +
                           right + "}\ncheck @left == @right\n"));
}

TEST(VerifyReport, OutputsThatAreNotEqualStandFirst) {
  EXPECT_THAT(outputs_of("13"), HasSubstr("  outputs    @y1 f32[8]  NOT EQUAL"));
  EXPECT_THAT(outputs_of("13"), HasSubstr("\n             @y3 f32[8]  NOT EQUAL"));
  EXPECT_THAT(outputs_of("13"), HasSubstr("\n             @y0 f32[8]  EQUAL\n             ... and 1 more, all EQUAL"));
  EXPECT_THAT(outputs_of("0"), HasSubstr("  outputs    @y0 f32[8]  NOT EQUAL"));
}

/// As many digits as tell the two numbers apart.
TEST(VerifyReport, NumbersThatDifferLookDifferent) {
  const std::string text = masked(check_text(scaled("3.000001")));
  std::smatch numbers;
  ASSERT_TRUE(std::regex_search(text, numbers, std::regex("at \\[0\\]: (\\S+), expected (\\S+) "))) << text;
  EXPECT_NE(numbers[1], numbers[2]);
  EXPECT_THAT(masked(check_text(scaled("12"))), ::testing::Not(::testing::ContainsRegex("at \\[0\\]: -?[0-9.]{10}")));
}

/// The labels that make it so are named, and that nothing limits them; not where all labels show it.
TEST(VerifyReport, IntegersThatMatterAreNamed) {
  const auto text = [](const std::string& bound, const std::string& factor) {
    const std::string head = " {\n  %x = view @x [-]\n  %l = view @labels [-]\n  %p = compare %l, " + bound +
                             " {direction=gt}\n  %z = multiply %x, ";
    const std::string tail = "\n  %y = select %p, %z, %x\n  return @y = %y [-]\n}\n";
    return masked(check_text("global @x : f32[8] input\nglobal @labels : i32[8] input\nprogram @left" + head + factor +
                             tail + "program @right" + head + "3" + tail + "check @left == @right\n"));
  };
  EXPECT_THAT(text("0", "5"), ::testing::ContainsRegex("@labels\\[[0-7]\\] = [0-9]+ \\(nothing bounds @labels\\)"));
  EXPECT_THAT(text("-1000", "5"), ::testing::Not(HasSubstr("nothing bounds")));
}

TEST(VerifyReport, StateErrorsStandBesideTheErasedProgram) {
  const CheckReport r = check_text(std::string(kGlobals) +
                                   "program @sharded on @m {\n  %x = view @x [-]\n  %s = all_reduce %x {axis=k, to=R}\n"
                                   "  %y = multiply %s, 3\n  return @y = %y [-]\n}\n" +
                                   kDense + "check @sharded == @dense\n");
  EXPECT_EQ(r.exit_code(), 1);
  const std::string text = masked(r);
  EXPECT_THAT(text, HasSubstr("t.shard:6:8: error: all_reduce: the operand %x is R over `k`; expected P"));
  EXPECT_THAT(text, HasSubstr("The rest is about the erased program"));
  EXPECT_THAT(text, HasSubstr("\nDOES NOT HOLD: 1 state error; erased program: NOT EQUAL: one all_reduce over `k` too "
                              "many: 4x too large (= size(k))\n"));
  EXPECT_LE(count_lines(text), 20);
}

TEST(VerifyReport, StateErrorsCountEvenWhereTheValuesAgree) {
  const CheckReport r = check_text(
      std::string(kGlobals) +
      "program @sharded on @m {\n  %x = view @x [-]\n  %h = divide %x, (size(k))\n  %s = all_reduce %h {axis=k, to=R}\n"
      "  %y = multiply %s, 3\n  return @y = %y [-]\n}\n" +
      kDense + "check @sharded == @dense\n");
  EXPECT_EQ(r.equivalence, Verdict::equal);
  EXPECT_EQ(r.verdict(), Verdict::not_equal);
  EXPECT_EQ(r.exit_code(), 1);
  EXPECT_EQ(r.headline(),
            "DOES NOT HOLD: 1 state error; erased program: EQUAL as formulas (rung A, 2 lanes, error <= 2^-61)");
}

/// A report of equal programs with a deadlock, as Plans that are written by hand may have.
CheckReport with_deadlock(DeadlockVerdict verdict) {
  CheckReport r = check_text(scaled("3"));
  r.deadlock = {verdict, Diagnostic{Severity::error, "D-deadlock", Location(), "deadlock: rank 0 waits for itself", {}},
                2};
  return r;
}

TEST(VerifyReport, ADeadlockIsAVerdictWhateverTheValuesSay) {
  CheckReport r = with_deadlock(DeadlockVerdict::launch_order);
  EXPECT_EQ(r.verdict(), Verdict::deadlock);
  EXPECT_EQ(r.exit_code(), 1);
  EXPECT_EQ(r.headline(),
            "DEADLOCK in one launch order: rank 0 waits for itself; values: EQUAL as formulas (rung A, 2 "
            "lanes, error <= 2^-61)");
  EXPECT_THAT(masked(r), HasSubstr("  outputs    @y f32[8]  EQUAL\n"));
  EXPECT_THAT(masked(r),
              HasSubstr("  order      deadlock where a rank has one queue, in issue order; not with queues "
                        "side by side; none with buffers for 2 messages from each rank to another, race none\n"));
  EXPECT_THAT(to_json(r), HasSubstr("\"verdict\": \"launch order\""));
}

TEST(VerifyReport, WithoutAnEndThereAreNoValues) {
  const CheckReport r = with_deadlock(DeadlockVerdict::deadlock);
  EXPECT_EQ(r.exit_code(), 1);
  EXPECT_EQ(r.headline(), "DEADLOCK: rank 0 waits for itself");
  EXPECT_THAT(masked(r),
              HasSubstr("error: deadlock: rank 0 waits for itself [D-deadlock]\n  order      deadlock in every "
                        "order of launches; none with buffers for 2 messages from each rank to another, race none\n"));
  EXPECT_THAT(masked(r), ::testing::Not(HasSubstr("outputs")));
}

TEST(VerifyReport, ARaceIsAVerdictWhateverTheValuesSay) {
  CheckReport r = check_text(scaled("3"));
  r.race = {RaceOutcome::race, Diagnostic{Severity::error, "L-race", Location(), "#2 add writes %y", {}}};
  EXPECT_EQ(r.verdict(), Verdict::race);
  EXPECT_EQ(r.exit_code(), 1);
  EXPECT_EQ(r.headline(), "RACE: #2 add writes %y; values: EQUAL as formulas (rung A, 2 lanes, error <= 2^-61)");
  EXPECT_THAT(masked(r), HasSubstr("error: #2 add writes %y [L-race]\n"));
  EXPECT_THAT(masked(r), HasSubstr("  order      deadlock none, race found\n"));
  r.race.outcome = RaceOutcome::undecided;
  EXPECT_EQ(r.verdict(), Verdict::undecided);
  EXPECT_EQ(r.exit_code(), 3);
  EXPECT_EQ(r.headline(),
            "COULD NOT DECIDE whether buffers race: #2 add writes %y; values: EQUAL as formulas (rung A, 2 "
            "lanes, error <= 2^-61)");
}

TEST(VerifyReport, WhatIsTooLargeForThatIsNotDecided) {
  CheckReport r = with_deadlock(DeadlockVerdict::undecided);
  r.deadlock.finding->message = "ranks take more than 2^26 steps together";
  EXPECT_EQ(r.verdict(), Verdict::undecided);
  EXPECT_EQ(r.exit_code(), 3);
  EXPECT_EQ(r.headline(),
            "COULD NOT DECIDE whether ranks deadlock: ranks take more than 2^26 steps together; values: "
            "EQUAL as formulas (rung A, 2 lanes, error <= 2^-61)");
  r.equivalence = Verdict::not_equal;
  EXPECT_EQ(r.exit_code(), 1);
}

TEST(VerifyReport, OfManyErrorsTwentyAreShown) {
  std::string left = "program @sharded on @m {\n  %x = view @x [-]\n", right = "program @dense {\n  %x = view @x [-]\n";
  for (int i = 0; i < 24; ++i) {
    const std::string n = std::to_string(i);
    left += "  %s" + n + " = all_reduce %x {axis=k, to=R}\n  return @o" + n + " = %s" + n + " [-]\n";
    right += "  return @o" + n + " = %x [-]\n";
  }
  const CheckReport r = check_text(kGlobals + left + "}\n" + right + "}\ncheck @sharded == @dense\n");
  EXPECT_EQ(r.state_errors.size(), 24U);
  EXPECT_LE(count_lines(masked(r)), 3 * 20 + 20) << masked(r);
  EXPECT_THAT(masked(r), HasSubstr("... and 4 more"));
}

TEST(VerifyReport, ColourOnlyWhereAskedFor) {
  const CheckReport r = check_text(scaled("3"));
  EXPECT_EQ(to_text(r).find('\033'), std::string::npos);
  EXPECT_THAT(to_text(r, true), HasSubstr("\033[1;32mEQUAL\033[0m"));
}

/// Two programs over f64[6] inputs: @d needs rung A, @e rung E, @f no rung knows.
CheckReport three_rungs() {
  const std::string head = " {\n  %x = view @x [-]\n  %y = view @y [-]\n  %d = multiply %x, %y\n";
  const std::string tail = "  return @d = %d [-]\n  return @e = %e [-]\n  return @f = %f [-]\n}\n";
  CheckOptions options;
  options.bounds = true;
  return check_text("global @x : f64[6] input\nglobal @y : f64[6] input\nprogram @left" + head +
                        "  %s = add %x, %y\n  %e = exponential %s\n  %h = add %x, 1\n  %f = floor %h\n" + tail +
                        "program @right" + head +
                        "  %a = exponential %x\n  %b = exponential %y\n  %e = multiply %a, %b\n  %t = floor %x\n"
                        "  %f = add %t, 1\n" +
                        tail + "check @left == @right\n",
                    options);
}

TEST(VerifyReport, ExplainSaysWhatEachRungSaid) {
  const std::string text = std::regex_replace(explain_text(three_rungs()), std::regex("[0-9.e-]+ m?s\\)"), "T)");
  EXPECT_EQ(
      text,
      "  rungs      A: 1 of 3 outputs equal (3 lanes, error <= 2^-64, T)\n"
      "               @e differs at [0]\n"
      "               @f differs at [0]\n"
      "             E: 1 of 2 outputs equal (2 lanes, error <= 2^-45, T)\n"
      "               @f differs at [0]\n"
      "  bounds     output  rung  degree  over  opaque  of degree  exp depth  decisions  error\n"
      "             @d      A     2^1     0     0       0          -          -          error <= 2^-89 in 3 lanes\n"
      "             @e      E     2^1     0     0       0          1          -          error <= 2^-45 in 2 lanes\n"
      "             @f      E     1       0     2       1          0          -          error <= 2^-51 in 2 lanes\n");
}

TEST(VerifyReport, UndecidedNamesAllRungs) {
  const std::string text = masked(three_rungs());
  EXPECT_THAT(text, HasSubstr("@f f64[6]  COULD NOT DECIDE  differs on rungs A and E at [0], f64 shows no difference"));
  EXPECT_THAT(text, HasSubstr("  formulas   differ on rungs A and E (exact in "));
  EXPECT_LE(count_lines(text), 20);
}

TEST(VerifyReport, JsonHasRungsAndBounds) {
  const nlohmann::json j = nlohmann::json::parse(to_json(three_rungs()));
  ASSERT_EQ(j["rungs"].size(), 2U);
  EXPECT_EQ(j["rungs"][0]["rung"], "A");
  EXPECT_EQ(j["rungs"][0]["outputs"][1]["says"], "differs");
  EXPECT_EQ(j["rungs"][1]["outputs"].size(), 2U);
  EXPECT_EQ(j["rungs"][1]["outputs"][0]["name"], "e");
  EXPECT_EQ(j["rungs"][1]["outputs"][0]["says"], "equal");
  ASSERT_EQ(j["bounds"].size(), 3U);
  EXPECT_EQ(j["bounds"][1]["rung"], "E");
  EXPECT_EQ(j["bounds"][1]["exp_depth"], 1);
  EXPECT_EQ(j["bounds"][0].contains("exp_depth"), false);
}

TEST(VerifyReport, Json) {
  const nlohmann::json good = nlohmann::json::parse(to_json(check_text(scaled("3"))));
  EXPECT_EQ(good["isoshard"], 1);
  EXPECT_EQ(good["verdict"], "EQUAL");
  EXPECT_EQ(good["exit_code"], 0);
  EXPECT_EQ(good["lanes"], 2);
  EXPECT_EQ(good["outputs"][0]["name"], "y");
  EXPECT_FALSE(good.contains("diagnosis"));
  const nlohmann::json bad = nlohmann::json::parse(to_json(check_text(scaled("12"))));
  EXPECT_EQ(bad["verdict"], "NOT EQUAL");
  EXPECT_EQ(bad["outputs"][0]["ratio"]["value"], "4");
  EXPECT_EQ(bad["outputs"][0]["ratio"]["words"], "size(k)");
  EXPECT_EQ(bad["diagnosis"]["value"], "%y");
  EXPECT_TRUE(bad["outputs"][0].contains("counterexample"));
}

}  // namespace
}  // namespace isoshard::verify::verify_report_test
