#include "catalogue/pipelines/pipeline_models.h"
#include "parallel/layers/dense.h"
#include "parallel/pipelines/looping_pipeline.h"
#include "parallel/tensor_parallel/tensor_parallel.h"
#include "parallel/training/init_program.h"

namespace isoshard {
namespace {

/// x + silu(x W + b) with `h`, which is x W + b.
ValueId residual_silu(ModelBuilder& m, ValueId x, ValueId h) { return m.add(x, activate(m, Activation::silu, h, "")); }

std::optional<ProgramId> build_looping(const PipelineCase& c, GlobalId x, Params& params, Module& module,
                                       DiagnosticSink& sink) {
  ModelBuilder m(module, "looping_pipeline", c.settings.mesh, sink);
  Scope root(m, params);
  const ModuleFn stage = [&](Scope& self, ValueId v) {
    Scope own = self.child("stage");
    return residual_silu(self.m(), v, dense(own, Dense{c.settings.number("width")}, v));
  };
  const ModuleFn pipeline = [&](Scope& self, ValueId v) {
    return looping_pipeline_module(self, c.axis, c.micro_batches, c.settings.number("loops"), stage, v);
  };
  const ValueId y = model_parallelism_wrapper(root, c.axis, pipeline, m.view(x, {c.rows, {}}, "x"));
  if (!y.valid()) return std::nullopt;
  m.output("y", m.all_reduce(as_state(m, y, c.axis, State::partial), c.axis, State::invariant, "y"), {c.rows, {}});
  return m.finish();
}

bool build_looping_pipeline_model(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const PipelineCase c(settings);
  const GlobalId x =
      declare(module, "x", {settings.number("b"), settings.number("width")}, Role::input, InitKind::normal);
  Params params;
  const std::optional<ProgramId> sharded = build_looping(c, x, params, module, sink);
  if (!sharded || !add_init_program(params, "looping_pipeline", settings.mesh, module, sink)) return false;
  ModelBuilder m(module, "sequential", std::make_shared<const Mesh>(), sink);
  const DeviceLoop stages = c.loop(m, params);
  const DeviceFn apply = device_dense();
  ValueId v = m.view(x, Layout(2), "x");
  for (int64_t round = 0; round < settings.number("loops"); ++round) {
    for (int64_t d = 0; d < c.stages; ++d) v = residual_silu(m, v, apply(stages.layer(round), d, "sharded/stage", v));
  }
  m.output("y", v, Layout(2));
  return add_check(module, sharded, m.finish());
}

}  // namespace

Model looping_pipeline_model() {
  ModelInfo info = pipeline_info(
      "looping_pipeline", "rounds of micro-batches over stages x + silu(x W + b), several of them on each device", 8);
  info.settings.push_back(SettingInfo{"loops", 2, "", {}, "stages of a device"});
  info.settings.push_back(SettingInfo{"width", 3, "", {}, "features"});
  return Model{std::move(info), {{"b", "data"}}, build_looping_pipeline_model};
}

}  // namespace isoshard
