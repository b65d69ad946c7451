// Programs of integers, masks, caches and the like with mistakes in them: a tenth of the run of `./dev mutants`, and
// the checkers that it must not let pass.
#include "tests/mutation/families.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <set>

#include "core/text/text.h"
#include "tests/mutation/family_inputs.h"
#include "tests/mutation/operators/templates.h"
#include "tests/sanitized.h"

namespace isoshard::mutation::families_test {
namespace {

FamilyOptions sample() {
  FamilyOptions options;
  options.per_family = kSanitized ? 3 : 15;
  return options;
}

TEST(Families, NoWrongPairIsEqualAndNoRightOneIsNot) {
  const FamilyOutcome outcome = run_families(sample(), isoshard_checker(1, false));
  std::printf("%s", to_table(outcome, sample()).c_str());
  for (const auto& [what, times] : outcome.undecided) std::printf("undecided: %s (%ux)\n", what.c_str(), times);
  for (const std::string& finding : outcome.findings) ADD_FAILURE() << finding;
  for (const char* family :
       {"caches", "constants", "definedness", "exponentials", "integers", "masks", "orders", "routing", "schedules"}) {
    ASSERT_TRUE(outcome.table.contains(family)) << family;
    EXPECT_GT(outcome.table.at(family).right.of(verify::Verdict::equal), 0U) << family;
    EXPECT_GT(outcome.table.at(family).wrong.of(verify::Verdict::not_equal), 0U) << family;
  }
}

/// The run notices a checker that accepts everything, and one that accepts nothing.
TEST(Families, FailForCheckersThatAreWrong) {
  FamilyOptions options = sample();
  options.max_findings = 1;
  const auto first_finding = [&](verify::Verdict always) {
    const auto checker = [always](const Module&, const Check&) { return Answer{always}; };
    const std::vector<std::string> findings = run_families(options, checker).findings;
    return findings.empty() ? "" : findings[0];
  };
  EXPECT_NE(first_finding(verify::Verdict::equal).find("it is WRONG, the checker says EQUAL"), std::string::npos);
  EXPECT_NE(first_finding(verify::Verdict::not_equal).find("it is SAME, the checker says NOT EQUAL"),
            std::string::npos);
}

/// And one that draws integers: it takes for EQUAL what is equal where all of them are 0.
TEST(Families, FailForACheckerThatSeesOneInteger) {
  FamilyOptions options = sample();
  options.max_findings = 1;
  const auto checker = [](const Module& module, const Check& check) {
    FamilyInputs inputs = family_inputs(module, 1);
    for (Inputs& draw : inputs.draws) {
      for (auto& global : draw) {
        for (auto& element : global.elements) element.i = 0;
      }
    }
    const Truth truth = Judge(module, check.right, inputs.draws).judge(module, check.left);
    return Answer{truth == Truth::wrong ? verify::Verdict::not_equal : verify::Verdict::equal};
  };
  const FamilyOutcome outcome = run_families(options, checker);
  ASSERT_FALSE(outcome.findings.empty());
  EXPECT_NE(outcome.findings[0].find("it is WRONG, the checker says EQUAL"), std::string::npos) << outcome.findings[0];
}

TEST(Templates, HaveOneRightTextAndEachMistake) {
  const Template from{"t", "f", false, {{"n", {"3"}}, {"near,far", {"4,5"}}}, "a $n [[x|y|z]]\nb [[$near|$far]]\n"};
  const Pairs pairs = draw_pairs(from, 1);
  EXPECT_EQ(pairs.right.text, "a 3 x\nb 4\n");
  ASSERT_EQ(pairs.mistakes.size(), 3U);
  EXPECT_EQ(pairs.mistakes[1].text, "a 3 z\nb 4\n");
  EXPECT_EQ(pairs.mistakes[2].text, "a 3 x\nb 5\n");
  EXPECT_EQ(pairs.mistakes[2].did, "line 2: `5` in place of `4`");
}

Module module_of(const std::string& body) {
  DiagnosticSink sink;
  std::optional<Module> module =
      text::parse_module(std::make_shared<SourceFile>(SourceFile{"t.shard", "isoshard 1\n" + body}), {}, sink);
  EXPECT_TRUE(module.has_value()) << (sink.diagnostics().empty() ? "" : render(sink.diagnostics()[0]));
  return *std::move(module);
}

const char* const kCompare = R"(
global @k : i32[ELEMENTS] input in LOW..HIGH, -100
program @p {
  %k = view @k [-]
  %y = compare %k, 7 {direction=lt}
  return @y = %y [-]
}
)";
std::string with_range(const std::string& elements, const std::string& low, const std::string& high) {
  std::string text = kCompare;
  for (const auto& [name, value] : {std::pair{"ELEMENTS", elements}, {"LOW", low}, {"HIGH", high}}) {
    text.replace(text.find(name), std::string(name).size(), value);
  }
  return text;
}

TEST(FamilyInputs, AreAllCombinationsWhereTheyAreFew) {
  const FamilyInputs inputs = family_inputs(module_of(with_range("2", "0", "9")), 1);
  EXPECT_TRUE(inputs.all_integers);
  std::set<std::pair<int64_t, int64_t>> seen;
  for (const Inputs& draw : inputs.draws) seen.emplace(draw[0].elements[0].i, draw[0].elements[1].i);
  EXPECT_EQ(seen.size(), 100U);
}

TEST(FamilyInputs, StandAtTheEndsAndBesideConstantsWhereTheyAreMany) {
  const FamilyInputs inputs = family_inputs(module_of(with_range("3", "0", "5000")), 1);
  EXPECT_FALSE(inputs.all_integers);
  std::set<int64_t> seen;
  for (const Inputs& draw : inputs.draws) seen.insert(draw[0].elements[0].i);
  EXPECT_EQ(seen, (std::set<int64_t>{-100, 0, 1, 2, 6, 7, 8, 4998, 4999}));
}

/// What @p is to @q on numbers at 0 among others.
Truth truth_of_floats(const std::string& left, const std::string& right) {
  const auto program = [](const std::string& name, const std::string& body) {
    return "program @" + name + " {\n  %x = view @x [-]\n" + body + "  return @y = %y [-]\n}\n";
  };
  const Module module =
      module_of("global @x : f32[2] input\n" + program("p", left) + program("q", right) + "check @p == @q\n");
  const Judge judge(module, module.checks[0].right, family_inputs(module, 1).draws);
  EXPECT_TRUE(judge.usable());
  return judge.judge(module, module.checks[0].left);
}

TEST(FamilyTruth, APoleIsWrongAndOneThatRoundingMakesIsNot) {
  EXPECT_EQ(truth_of_floats("  %y = divide 1, %x\n", "  %y = divide 1, %x\n"), Truth::same);
  EXPECT_EQ(truth_of_floats("  %q = divide %x, %x\n  %y = multiply %x, %q\n", "  %y = multiply %x, 1\n"), Truth::wrong);
  EXPECT_EQ(truth_of_floats("  %i = divide 1, %x\n  %y = divide 1, %i\n", "  %y = multiply %x, 1\n"), Truth::same)
      << "1/(1/0) is 0";
  const std::string exactly = "  %d = subtract %x, %x\n  %y = divide 1, %d\n", one = "  %y = multiply %x, 1\n";
  const std::string rounded = "  %e = exponential %x\n  %d = subtract %e, %e\n  %y = divide 1, %d\n";
  EXPECT_EQ(truth_of_floats(exactly, one), Truth::wrong);
  EXPECT_EQ(truth_of_floats(rounded, one), Truth::unknown) << "1/(e^x - e^x)";
}

TEST(FamilyTruth, DecimalsStandForWhatTheyWereRoundedFrom) {
  const std::string decimal = "  %y = multiply %x, 0.33333333\n", third = "  %y = divide %x, 3\n";
  const std::string rational =
      "  %c = constant {value=33333333/100000001, dtype=f32, shape=[2]}\n  %y = multiply %x, %c\n";
  EXPECT_EQ(truth_of_floats(decimal, third), Truth::wrong);
  reference::Rounded::constants = 0x1p-24;
  EXPECT_EQ(truth_of_floats(decimal, third), Truth::same);
  EXPECT_EQ(truth_of_floats("  %y = multiply %x, 0.3333\n", third), Truth::wrong);
  EXPECT_EQ(truth_of_floats(rational, third), Truth::wrong);
  reference::Rounded::constants = 0;
}

}  // namespace
}  // namespace isoshard::mutation::families_test
