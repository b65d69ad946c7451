// Random training steps of the catalogue are EQUAL to one device, and a reduction that is left out or made twice is
// NOT EQUAL wherever the interpreter calls it WRONG. Here a part of the mistakes; `./dev mutants` makes all.
#include "tests/mutation/train_steps.h"

#include <gtest/gtest.h>

#include <cstdio>

#include "tests/nightly.h"
#include "tests/sanitized.h"

namespace isoshard::mutation::train_step_test {
namespace {

TrainStepOptions sample() {
  TrainStepOptions options;
  options.steps = kSanitized ? 2 : testing::is_nightly() ? 24 : 5;
  options.every = kSanitized ? 67 : testing::is_nightly() ? 97 : 41;
  return options;
}

TEST(TrainSteps, AreEqualAndTheirMistakesAreNot) {
  const TrainStepOptions options = sample();
  TrainStepOutcome outcome = run_train_steps(options, isoshard_checker(1, false));
  std::printf("%s", to_table(outcome, options).c_str());
  for (const std::string& finding : outcome.findings) ADD_FAILURE() << finding;
  EXPECT_EQ(outcome.equal, options.steps);
  if (kSanitized) return;  // so few mistakes need not hold a wrong one of each kind
  EXPECT_GT(outcome.table[0].wrong, 0U);
  EXPECT_GT(outcome.table[1].wrong, 0U);
}

TEST(TrainSteps, HaveEachAxisOptimizerAndAccumulationOftenEnough) {
  std::map<std::string, uint32_t> counts;
  for (const ModelRequest& request : random_train_steps(TrainStepOptions{}.seed, TrainStepOptions{}.steps)) {
    for (const std::string& feature : features(request)) ++counts[feature];
  }
  EXPECT_GE(TrainStepOptions{}.steps, 40U);
  for (const char* feature : {"dp", "fsdp", "tp", "pp", "accumulate", "sgd", "momentum", "adam", "adamw", "mlp",
                              "transformer", "dropout", "clip"}) {
    EXPECT_GE(counts[feature], 8U) << feature;
  }
  for (const char* feature : {"zero=1", "zero=2", "zero=3"}) EXPECT_GE(counts[feature], 4U) << feature;
}

/// The suite notices a checker that accepts everything, and one that accepts nothing.
TEST(TrainSteps, FailForCheckersThatAreWrong) {
  TrainStepOptions options;
  options.steps = 2;
  options.every = kSanitized ? 61 : 19;
  const auto always = [](verify::Verdict verdict) {
    return [verdict](const Module&, const Check&) { return Answer{verdict}; };
  };
  const std::vector<std::string> missed = run_train_steps(options, always(verify::Verdict::equal)).findings;
  ASSERT_FALSE(missed.empty());
  EXPECT_NE(missed[0].find("is WRONG, the checker says EQUAL"), std::string::npos) << missed[0];
  EXPECT_GE(run_train_steps(options, always(verify::Verdict::not_equal)).findings.size(), 2U);
}

}  // namespace
}  // namespace isoshard::mutation::train_step_test
