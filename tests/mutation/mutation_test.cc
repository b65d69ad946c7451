// The suite on fixed seeds, a tenth of the full run, and the checkers that it must not let pass.

#include <gtest/gtest.h>
#include <algorithm>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <limits>

#include "core/text/text.h"
#include "tests/mutation/bases.h"
#include "tests/mutation/suite.h"
#include "tests/sanitized.h"
#include "verify/check.h"

namespace isoshard::mutation::mutation_test {
namespace {

constexpr uint32_t kPrograms = kSanitized ? 1 : 8;

std::string lines(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all += text + "\n";
  return all;
}

TEST(MutationSuite, EveryWrongProgramIsNotEqualAndNoRightOneIs) {
  SuiteOptions options;
  options.per_operator = kPrograms;
  const Outcome outcome = run_suite(options, isoshard_checker(1));
  const std::string table = to_table(outcome, options);
  std::printf("%s%s", table.c_str(), lines(outcome.undecided).c_str());
  if (const char* file = std::getenv("ISOSHARD_MUTATION_TABLE")) std::ofstream(file) << table;
  EXPECT_TRUE(outcome.findings.empty()) << lines(outcome.findings);
  EXPECT_TRUE(outcome.unmet.empty()) << lines(outcome.unmet);
}

/// Ends with the first finding.
Outcome seen_through(const Checker& checker) {
  SuiteOptions options;
  options.seed = 2;
  options.per_operator = 60;
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
  const auto is_missed = [](const std::string& finding) {
    return finding.find("it is WRONG, the checker says") != std::string::npos;
  };
  EXPECT_TRUE(std::any_of(outcome.findings.begin(), outcome.findings.end(), is_missed));
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

/// Any program, with scans, calls and updates, survives that one of its ops is written once more as it was.
TEST(MutationRewrite, ACopyIsTheSameProgram) {
  int judged = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Base base = make_base(base_kinds() - 1, seed);
    Module module = base.module;
    const std::vector<OpId> sites = live_ops(module.program(base.subject));
    if (sites.empty()) continue;
    const auto as_it_was = [](Place& p) -> Replacement {
      if (!p.op().regions.empty()) return std::nullopt;
      p.did = "written again";
      return p.again(p.operands());
    };
    const OpId at = sites[seed % sites.size()];
    if (!module.program(base.subject).op(at).regions.empty()) continue;
    const std::optional<Rewritten> copy = rewrite(module, base.subject, "copy", at, seed, as_it_was);
    ASSERT_TRUE(copy.has_value()) << text::print(base.module);
    EXPECT_EQ(module.program(copy->program).op_count(), module.program(base.subject).op_count());
    const Judge judge(module, base.reference, seed);
    if (!judge.usable()) continue;
    EXPECT_NE(judge.judge(module, copy->program), Truth::wrong) << text::print(module);
    ++judged;
  }
  EXPECT_GT(judged, 5);
}

TEST(MutationRewrite, OnlyTheChosenOpIsReplaced) {
  Module module = module_of_text(std::string(kSums) + R"(
untyped program @p on @m {
  %x = view @x [s, -]
  %p = reduce %x {op=add, dims=[0]}
  %y = all_reduce %p {axis=s}
  return @y = %y [-]
}
check @p == @dense)");
  const ProgramId p = *module.find_program("p");
  const auto drop = [](Place& place) -> Replacement {
    if (place.as<AllReduce>() == nullptr) return std::nullopt;
    place.did = "dropped";
    return place.operands();
  };
  const std::vector<OpId> ops = live_ops(module.program(p));
  ASSERT_EQ(ops.size(), 3U);
  EXPECT_FALSE(rewrite(module, p, "q", ops[0], 1, drop).has_value()) << "it does not apply to a view";
  const std::optional<Rewritten> dropped = rewrite(module, p, "q", ops[2], 1, drop);
  ASSERT_TRUE(dropped.has_value());
  EXPECT_EQ(dropped->where, "all_reduce %y");
  EXPECT_EQ(text::print(module, dropped->program),
            "isoshard 1\n\nmesh @m [s=3]\n\nglobal @x : f32[6,4] input\n\nuntyped program @q on @m {\n"
            "  %x = view @x [s, -] incomplete\n  %p = reduce %x {op=add, dims=[0]}\n  return @y = %p [-]\n}\n");
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
}  // namespace isoshard::mutation::mutation_test
