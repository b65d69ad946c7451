#include <utility>

#include "catalogue/loops/device_loop.h"
#include "catalogue/models.h"
#include "parallel/layers/dense.h"
#include "parallel/pipelines/shrew_pipeline.h"
#include "parallel/training/init_program.h"

namespace isoshard {
namespace {

ModuleFn linear(int64_t features) {
  return [features](Scope& self, ValueId x) { return dense(self, Dense{features}, x); };
}

ValueId silu(Scope& self, ValueId x) { return activate(self.m(), Activation::silu, x, ""); }

bool build_shrew_model(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const GlobalId x = declare(module, "x", {settings.number("b"), settings.number("in")}, Role::input, InitKind::normal);
  const PipelineStage first = PipelineStage(0).add_layer(linear(settings.number("hidden"))).add_layer(silu);
  const PipelineStage second = PipelineStage(1).add_layer(linear(settings.number("out")));
  const std::optional<PipelineParallel> pipeline =
      PipelineParallel::make({first, second}, settings.number("micro_batches"), sink);
  if (!pipeline) return false;
  ModelBuilder m(module, "shrew_pipeline", settings.mesh, sink);
  Params params;
  Scope root(m, params);
  m.output("y", pipeline->forward(root, m.view(x, {m.split("data"), {}}, "x")), {m.split("data"), {}});
  const std::optional<ProgramId> sharded = m.finish();
  if (!sharded || !add_init_program(params, "shrew_pipeline", settings.mesh, module, sink)) return false;
  ModelBuilder s(module, "whole_batch", std::make_shared<const Mesh>(), sink);
  const DeviceLoop loop(s, params, settings.mesh, Group{{*settings.mesh->find("data")}});
  const DeviceFn apply = device_dense();
  const ValueId h = apply(loop, 0, "stage_0/layer_0", s.view(x, Layout(2), "x"));
  s.output("y", apply(loop, 0, "stage_1/layer_0", s.multiply(h, s.logistic(h))), Layout(2));
  return add_check(module, sharded, s.finish());
}

}  // namespace

Model shrew_pipeline_model() {
  ModelInfo info;
  info.name = "shrew_pipeline";
  info.doc = "PipelineParallel of the Rust crate shrew: chunks of the batch through two stages, one after another";
  info.axes.push_back(AxisInfo{"data", 4, "splits the batch"});
  info.settings.push_back(
      SettingInfo{"micro_batches", 4, "", {}, "chunks asked for; 5 rows in 4 chunks are 2, 2 and 1"});
  info.settings.push_back(SettingInfo{"b", 5, "data", {}, "rows of x"});
  info.settings.push_back(SettingInfo{"in", 4, "", {}, "features of x"});
  info.settings.push_back(SettingInfo{"hidden", 8, "", {}, "features between the stages"});
  info.settings.push_back(SettingInfo{"out", 2, "", {}, "features of y"});
  return Model{std::move(info), {{"b", "data"}}, build_shrew_model};
}

}  // namespace isoshard
