// tp_training and dp_training of the catalogue: a step in the original's convention is the step of one device, and is
// not with a mistake in its text. pp_training is the same by hand (docs/originals.md): its check takes half a minute.
#include "tests/models_testing.h"
#include "tests/sanitized.h"

namespace isoshard::training_models_test {
namespace {

using testing::expect_equal;
using testing::expect_rejected;
using testing::made;

std::vector<SettingValue> with(std::vector<SettingValue> settings, const std::string& rows) {
  settings.push_back({"b", rows});
  for (const char* name : {"features", "hidden", "classes"}) settings.push_back({name, "2"});
  return settings;
}

TEST(TrainingModels, TensorParallelStepsAreThoseOfOneDevice) {
  for (const char* mlp : {"sync", "async", "async_split"}) {
    expect_equal({"tp_training", {{"data", 1}, {"model", 2}}, with({{"mlp", mlp}, {"layers", "1"}}, "2")});
  }
  expect_equal({"tp_training", {{"data", 2}, {"model", 1}}, with({{"layers", "1"}}, "2")});
}

TEST(TrainingModels, DataParallelStepsAreThoseOfOneDeviceWithItsMasks) {
  const SettingValue two{"minibatches", "2"};
  expect_equal({"dp_training", {{"data", 2}}, with({two}, "4")});
  expect_equal({"dp_training", {{"data", 3}}, with({two, {"dropout", "0"}}, "6")});
  expect_equal({"dp_training", {{"data", 2}}, with({two, {"params", "sharded"}, {"min_weight_size", "1"}}, "4")});
}

/// What stands behind the first `word` of a text, as far as the end of its line.
std::string from(const std::string& text, const std::string& word) {
  const size_t at = text.find(word);
  return text.substr(at, text.find('\n', at) - at);
}

TEST(TrainingModels, MistakesInTheTextAreFound) {
  if (kSanitized) GTEST_SKIP() << kLeftOut;
  const ModelRequest request{"dp_training", {{"data", 2}}, with({{"minibatches", "2"}}, "4")};
  const std::string text = text::print(made(request));
  const std::string sum = from(text, "all_reduce "), own = sum.substr(11, sum.find(' ', 11) - 11);
  expect_rejected(request, {"twice the device's own gradient in place of the sum", sum, "add " + own + ", " + own});
  const std::string key = from(text, "rng_fold_in ");
  const std::string base = key.substr(12, key.find(',') - 12);
  expect_rejected(request, {"the same mask on all devices", key, "rng_fold_in " + base + ", 0"});
}

}  // namespace
}  // namespace isoshard::training_models_test
