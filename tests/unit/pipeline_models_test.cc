// The pipelines of the catalogue: EQUAL to their stages in a row on every number of devices, and NOT EQUAL with one
// mistake in their text.
#include <gtest/gtest.h>

#include "core/parallel/param_key.h"
#include "tests/models_testing.h"
#include "tests/sanitized.h"

namespace isoshard {
namespace {

using testing::expect_equal;
using testing::expect_rejected;

const std::vector<int64_t> kDevices = kSanitized ? std::vector<int64_t>{1, 3} : std::vector<int64_t>{1, 2, 3, 4, 8};

TEST(PipelineModels, AreTheirStagesInARow) {
  for (const char* name : {"execute_pipeline", "pipeline_module", "pp_classifier"}) {
    for (const int64_t devices : kDevices) {
      expect_equal({name, {{"model", devices}}, {}});
      expect_equal({name, {{"data", 2}, {"model", devices}}, {{"micro_batches", "1"}}});
    }
    expect_equal({name, {{"data", 2}, {"model", 3}}, {{"axis", "data_model"}}});
  }
  const std::vector<SettingValue> dropout{{"dropout", "0.5"}};
  for (const int64_t devices : kDevices) expect_equal({"pp_classifier", {{"model", devices}}, dropout});
  expect_equal({"pp_classifier", {{"data", 2}, {"model", 2}}, {dropout[0], {"layers", "2"}}});
  expect_equal({"pp_classifier", {{"data", 2}, {"model", 2}}, {dropout[0], {"axis", "data_model"}}});
  for (const int64_t devices : kDevices) expect_equal({"shrew_pipeline", {{"data", devices}}, {}});
}

TEST(PipelineModels, MistakesInTheScheduleAreFound) {
  const ModelRequest request{"execute_pipeline", {{"model", 3}}, {}};
  expect_rejected(request, {"to the stage before", "shift=1}", "shift=-1}"});
  expect_rejected(request, {"another stage is the last", "{value=2, dtype=i32}", "{value=1, dtype=i32}"});
  expect_rejected(request, {"the input goes into another stage", "{value=0, dtype=i32}", "{value=1, dtype=i32}"});
  expect_rejected(request,
                  {"outputs one step early", "start=[2, 0, 0], limit=[5, 2, 3]", "start=[1, 0, 0], limit=[4, 2, 3]"});
  expect_rejected(request, {"bubbles before the input", "concatenate %2, %3", "concatenate %3, %2"});
  expect_rejected(request, {"stages in another order", "[stack model, -, -]", "[stack model-1, -, -]"});
}

TEST(PipelineModels, MistakesInModulesAreFound) {
  const std::vector<std::string> place{"pipeline", "sharded", "mlp_layers", "block", "Dropout_0"};
  expect_rejected({"pp_classifier", {{"model", 2}}, {}},
                  {"the input layer of another device", "view @input_dense.sharded.kernel [stack model, -, -]",
                   "view @input_dense.sharded.kernel [stack model-1, -, -]"});
  const ModelRequest dropout{"pp_classifier", {{"model", 2}}, {{"dropout", "0.5"}}};
  expect_rejected(dropout, {"one key for all stages", "axis_index {axis=(data, model)}", "axis_index {axis=data}"});
  expect_rejected(dropout,
                  {"the counter below one scan", "{value=" + std::to_string(param_fold(place, 4)) + ", dtype=u32}",
                   "{value=" + std::to_string(param_fold(place, 2)) + ", dtype=u32}"});
  expect_rejected({"shrew_pipeline", {{"data", 2}}, {}},
                  {"a row twice", "start=[4, 0], limit=[5, 4]", "start=[3, 0], limit=[4, 4]"});
}

}  // namespace
}  // namespace isoshard
