// The suite on fixed seeds, a tenth of the full run, and the checkers that it must not let pass.

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "core/text/text.h"
#include "tests/mutation/suite.h"
#include "verify/check.h"

namespace isoshard::mutation {
namespace {

/// Under a sanitizer everything takes ten times as long; the ordinary build makes them all.
uint32_t programs_per_operator() {
  const char* sanitize = std::getenv("ISOSHARD_SANITIZE");
  return sanitize != nullptr && *sanitize != '\0' ? 1 : 12;
}

std::string lines(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return all;
}

TEST(MutationSuite, EveryWrongProgramIsNotEqualAndNoRightOneIs) {
  SuiteOptions options;
  options.per_operator = programs_per_operator();
  const Outcome outcome = run_suite(options, isoshard_checker(1));
  const std::string table = to_table(outcome, options);
  std::printf("%s%s", table.c_str(), lines(outcome.undecided).c_str());
  if (const char* file = std::getenv("ISOSHARD_MUTATION_TABLE")) std::ofstream(file) << table;
  EXPECT_TRUE(outcome.findings.empty()) << lines(outcome.findings);
  EXPECT_TRUE(outcome.unmet.empty()) << lines(outcome.unmet);
}

/// A run that is too small to meet the numbers of a full one, but large enough to see through a bad checker.
Outcome seen_through(const Checker& checker) {
  SuiteOptions options;
  options.seed = 2;
  options.per_operator = 3;
  options.max_findings = 1;
  options.shrink = false;
  return run_suite(options, checker);
}

TEST(MutationSuite, FailsForACheckerThatAlwaysSaysEqual) {
  const Outcome outcome = seen_through([](const Module&, const Check&) { return Answer{verify::Verdict::equal}; });
  ASSERT_FALSE(outcome.findings.empty());
  EXPECT_NE(outcome.findings[0].find("it is WRONG, the checker says EQUAL"), std::string::npos) << outcome.findings[0];
}

TEST(MutationSuite, FailsForACheckerThatAlwaysSaysNotEqual) {
  const Outcome outcome = seen_through([](const Module&, const Check&) { return Answer{verify::Verdict::not_equal}; });
  ASSERT_FALSE(outcome.findings.empty());
  EXPECT_NE(outcome.findings[0].find("is SAME, the checker says NOT EQUAL"), std::string::npos) << outcome.findings[0];
}

/// What isoshard says of the outputs that `looks_at` accepts; the others count as equal.
Checker looking_at(const std::function<bool(const verify::CheckReport&, size_t output)>& looks_at) {
  return [looks_at](const Module& module, const Check& check) {
    verify::CheckOptions options;
    options.workers = 1;
    const verify::CheckReport report = verify::check(module, check, options);
    Answer answer{verify::Verdict::equal};
    for (size_t o = 0; o < report.outputs.size(); ++o) {
      const verify::Verdict verdict = report.outputs[o].verdict;
      if (verdict == verify::Verdict::equal || !looks_at(report, o)) continue;
      if (answer.verdict != verify::Verdict::not_equal) answer.verdict = verdict;
    }
    if (report.failure) answer.verdict = verify::Verdict::not_equal;
    return answer;
  };
}

TEST(MutationSuite, FailsForACheckerThatIgnoresTheLastOutput) {
  const Outcome outcome = seen_through(
      looking_at([](const verify::CheckReport& report, size_t o) { return o + 1 < report.outputs.size(); }));
  ASSERT_FALSE(outcome.findings.empty());
  EXPECT_NE(outcome.findings[0].find("it is WRONG, the checker says EQUAL"), std::string::npos) << outcome.findings[0];
}

TEST(MutationSuite, FailsForACheckerThatComparesDevice0Only) {
  const Outcome outcome = seen_through(looking_at([](const verify::CheckReport& report, size_t o) {
    const auto& shown = report.outputs[o].floats.counterexample;
    return !shown || shown->position == 0;
  }));
  ASSERT_FALSE(outcome.findings.empty());
  EXPECT_NE(outcome.findings[0].find("it is WRONG, the checker says EQUAL"), std::string::npos) << outcome.findings[0];
}

Module module_of_text(const std::string& body) {
  DiagnosticSink sink;
  auto file = std::make_shared<SourceFile>(SourceFile{"t.shard", "isoshard 1\n" + body});
  std::optional<Module> module = text::parse_module(file, {}, sink);
  EXPECT_TRUE(module.has_value()) << (sink.diagnostics().empty() ? "" : render(sink.diagnostics()[0]));
  return *std::move(module);
}

Truth truth_of(const std::string& body) {
  const Module module = module_of_text(body);
  const Check& check = module.checks.at(0);
  const Judge judge(module, check.right, 7);
  EXPECT_TRUE(judge.usable());
  return judge.judge(module, check.left);
}

const char* const kSums = R"(
mesh @m [s=3]
global @x : f32[6, 4] input
program @dense {
  %x = view @x [-, -]
  %y = reduce %x {op=add, dims=[0]}
  return @y = %y [-]
}
)";

TEST(MutationTruth, AnotherOrderOfASumIsTheSame) {
  EXPECT_EQ(truth_of(std::string(kSums) + R"(
untyped program @p on @m {
  %x = view @x [s, -]
  %r = reverse %x {dims=[0]}
  %p = reduce %r {op=add, dims=[0]}
  %y = all_reduce %p {axis=s}
  return @y = %y [-]
}
check @p == @dense)"),
            Truth::same);
}

TEST(MutationTruth, ACopyThatDiffersOnOneDeviceIsWrong) {
  EXPECT_EQ(truth_of(std::string(kSums) + R"(
untyped program @p on @m {
  %x = view @x [s, -]
  %p = reduce %x {op=add, dims=[0]}
  %s = all_reduce %p {axis=s}
  %own = axis_index {axis=s}
  %one = constant {value=1, dtype=i32, shape=[]}
  %is = compare %own, %one {direction=eq}
  %d = add %s, %p
  %y = select %is, %d, %s
  return @y = %y [-]
}
check @p == @dense)"),
            Truth::wrong);
}

TEST(MutationTruth, AMistakeBeforeAnActiveClipIsTheSame) {
  const std::string clip = R"(
global @x : f32[6] input
program @p {
  %x = view @x [-]
  %q = multiply %x, %x
  %a = add %q, OFFSET
  %y = minimum %a, 1
  return @y = %y [-]
}
program @dense {
  %x = view @x [-]
  %q = multiply %x, %x
  %a = add %q, 2
  %y = minimum %a, 1
  return @y = %y [-]
}
check @p == @dense)";
  const auto with = [&](const std::string& offset) {
    std::string text = clip;
    return text.replace(text.find("OFFSET"), 6, offset);
  };
  EXPECT_EQ(truth_of(with("3")), Truth::same);
  EXPECT_EQ(truth_of(with("0.5")), Truth::wrong);
}

TEST(MutationTruth, PaddingThatReachesAnOutputIsWrong) {
  EXPECT_EQ(truth_of(R"(
mesh @m [s=2]
global @x : f32[3] input
untyped program @p on @m {
  %x = view @x [uneven s]
  %p = reduce %x {op=add, dims=[0]}
  %y = all_reduce %p {axis=s}
  return @y = %y []
}
program @dense {
  %x = view @x [-]
  %y = reduce %x {op=add, dims=[0]}
  return @y = %y []
}
check @p == @dense)"),
            Truth::wrong);
}

TEST(MutationTruth, AnAssertionThatFailsDoesNotRun) {
  EXPECT_EQ(truth_of(std::string(kSums) + R"(
untyped program @p on @m {
  %x = view @x [s, -]
  %p = reduce %x {op=add, dims=[0]}
  %a = assert_equal %p {axis=s}
  %y = all_reduce %a {axis=s}
  return @y = %y [-]
}
check @p == @dense)"),
            Truth::does_not_run);
}

using reference::Rounded;

TEST(MutationTruth, RoundingIsMeasured) {
  const Rounded third = Rounded(1) / Rounded(3), small(0x1p-60), one(1);
  EXPECT_EQ((Rounded(3) * Rounded(5)).error, 0);
  EXPECT_EQ((one + small).error, 0x1p-60);
  EXPECT_GT(third.error, 0);
  EXPECT_LT(third.error, 0x1p-54);
  EXPECT_EQ((Rounded(6) / Rounded(3)).error, 0);
  EXPECT_FALSE(beyond_rounding(third * Rounded(3), one));
  EXPECT_TRUE(beyond_rounding(third * Rounded(3), Rounded(1 + 1e-9)));
  EXPECT_TRUE(std::isinf((one / Rounded(0.5, 1)).error));
  EXPECT_FALSE(beyond_rounding(Rounded(std::numeric_limits<double>::infinity()), one));
}

TEST(MutationTruth, ComparisonsThatRoundingMayTurnAreTies) {
  Rounded::ties = 0;
  EXPECT_TRUE(Rounded(1) < Rounded(2));
  EXPECT_FALSE(Rounded(2) < Rounded(2));
  EXPECT_EQ(Rounded::ties, 0);
  EXPECT_TRUE(Rounded(1, 0.6) < Rounded(1.5));
  EXPECT_EQ(Rounded::ties, 1);
}

}  // namespace
}  // namespace isoshard::mutation
