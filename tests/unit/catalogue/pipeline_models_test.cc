// The pipelines of the catalogue: EQUAL to their stages in a row on every number of devices, and NOT EQUAL with one
// mistake in their text.
#include <gtest/gtest.h>

#include "catalogue/loops/device_loop.h"
#include "parallel/module/param_key.h"
#include "parallel/pipelines/pipeline_parallel.h"
#include "parallel/sharding/shard_module_params.h"
#include "parallel/tensor_parallel/tensor_parallel.h"
#include "tests/models_testing.h"
#include "tests/sanitized.h"

namespace isoshard::pipeline_models_test {
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

/// Stages of one dense layer whose parameters are sharded over `data`, which all devices of that axis compute alike.
int sharded_pipeline(bool around) {
  Module module;
  DiagnosticSink sink;
  module.meshes.push_back(std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"data", 2}, {"model", 3}}));
  const GlobalId x = declare(module, "x", {4, 2}, Role::input, InitKind::normal);
  ModelBuilder m(module, "pipeline", module.meshes.front(), sink);
  const Group data = m.group("data"), model = m.group("model");
  Params params;
  Scope root(m, params);
  const ModuleFn stage = [](Scope& self, ValueId v) { return dense(self, Dense{2}, v); };
  const auto sharded = [&](const ModuleFn& module_fn) -> ModuleFn {
    return [&data, module_fn](Scope& self, ValueId v) { return shard_module_params(self, data, module_fn, v, 0); };
  };
  const auto pipeline = [&](const ModuleFn& module_fn) -> ModuleFn {
    return [&model, module_fn](Scope& self, ValueId v) { return pipeline_module(self, model, 2, module_fn, v); };
  };
  const ModuleFn all = around ? sharded(pipeline(stage)) : pipeline(sharded(stage));
  const ValueId y = model_parallelism_wrapper(root, model, all, m.view(x, Layout(2), "x"));
  m.output("y", m.all_reduce(as_state(m, y, model, State::partial), model, State::replicated), Layout(2));
  const std::optional<ProgramId> left = m.finish();
  ModelBuilder s(module, "sequential", std::make_shared<const Mesh>(), sink);
  const DeviceLoop loop(s, params, module.meshes.front(), model);
  ValueId v = s.view(x, Layout(2), "x");
  for (int64_t d = 0; d < 3; ++d) v = device_dense()(loop, d, "sharded", v);
  s.output("y", v, Layout(2));
  const std::optional<ProgramId> right = s.finish();
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  if (!left || !right) return 2;
  EXPECT_NE(text::print(module).find("view @sharded.kernel [stack model, -, data]"), std::string::npos);
  return verify::check(module, Check{*left, *right, {}}).exit_code();
}

TEST(PipelineModels, ShardedParametersReachEveryIteration) {
  EXPECT_EQ(sharded_pipeline(true), 0);
  EXPECT_EQ(sharded_pipeline(false), 0);
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
  if (kSanitized) GTEST_SKIP() << kLeftOut;
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
}  // namespace isoshard::pipeline_models_test
