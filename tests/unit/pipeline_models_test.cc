// The pipelines of the catalogue: EQUAL to their stages in a row on every number of devices, and NOT EQUAL with one
// mistake in their text.
#include <gtest/gtest.h>

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
  expect_rejected({"pp_classifier", {{"model", 2}}, {}},
                  {"the input layer of another device", "view @input_dense.sharded.kernel [stack model, -, -]",
                   "view @input_dense.sharded.kernel [stack model-1, -, -]"});
  expect_rejected({"shrew_pipeline", {{"data", 2}}, {}},
                  {"a row twice", "start=[4, 0], limit=[5, 4]", "start=[3, 0], limit=[4, 4]"});
}

}  // namespace
}  // namespace isoshard
