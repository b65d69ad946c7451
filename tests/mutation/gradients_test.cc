// Each reduction of random gradient programs is left out and made twice; where the interpreter calls the result WRONG
// it is NOT EQUAL. Here a thin sample; `./dev mutants` makes all, and every night with a fresh seed.
#include "tests/mutation/gradients.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "tests/sanitized.h"

namespace isoshard::mutation::gradients_test {
namespace {

TEST(GradientMistakes, AreNotEqualWhereTheyAreWrong) {
  GradientOptions options;
  options.programs = kSanitized ? 12 : 50;
  const GradientOutcome outcome = run_gradients(options, isoshard_checker(1, false));
  std::printf("%s", to_table(outcome, options).c_str());
  for (const std::string& finding : outcome.findings) ADD_FAILURE() << finding;
  for (const std::string& line : outcome.undecided) std::printf("undecided: %s\n", line.c_str());
  if (kSanitized) return;
  EXPECT_GE(outcome.typed, 10U);
  EXPECT_GE(outcome.untyped, 10U);
  EXPECT_GE(outcome.backward, 20U);
  EXPECT_GE(outcome.table[0].wrong, 20U);
  EXPECT_GE(outcome.table[1].wrong, 20U);
}

/// The suite notices a checker that accepts everything, and one that accepts nothing.
TEST(GradientMistakes, FailForCheckersThatAreWrong) {
  GradientOptions options;
  options.programs = 40;
  options.max_findings = 1;
  options.shrink = false;
  const auto always = [](verify::Verdict verdict) {
    return [verdict](const Module&, const Check&) { return Answer{verdict}; };
  };
  const std::vector<std::string> missed = run_gradients(options, always(verify::Verdict::equal)).findings;
  ASSERT_EQ(missed.size(), 1U);
  EXPECT_NE(missed[0].find("it is WRONG, the checker says EQUAL"), std::string::npos) << missed[0];
  EXPECT_EQ(run_gradients(options, always(verify::Verdict::not_equal)).findings.size(), 1U);
}

}  // namespace
}  // namespace isoshard::mutation::gradients_test
