#include <utility>

#include "catalogue/pipelines/pipeline_models.h"
#include "parallel/layers/dense.h"
#include "parallel/module/scan_layers.h"
#include "parallel/pipelines/pipeline_parallel.h"
#include "parallel/tensor_parallel/tensor_parallel.h"
#include "parallel/training/init_program.h"

namespace isoshard {

PipelineCase::PipelineCase(const ModelSettings& s)
    : settings(s), axis(layer_axis(s)), stages(s.mesh->size(axis)), micro_batches(s.number("micro_batches")) {
  if (axis.axes.size() == 1) rows = ViewEntry{Group{{*s.mesh->find("data")}}};
}

Layout PipelineCase::stacked() const { return {ViewEntry{axis, 0, std::nullopt, Split::stack}, rows, {}}; }

ModelInfo pipeline_info(std::string name, std::string doc, int64_t micro_batches) {
  ModelInfo info;
  info.name = std::move(name);
  info.doc = std::move(doc);
  info.axes.push_back(AxisInfo{"data", 1, "splits the batch, or with `model` the stages"});
  info.axes.push_back(AxisInfo{"model", 4, "has a stage per device"});
  info.settings.push_back(layer_axis_setting());
  info.settings.push_back(SettingInfo{"micro_batches", micro_batches, "", {}, "equal parts of the batch of a device"});
  info.settings.push_back(SettingInfo{"b", 2 * micro_batches, "data", {}, "rows of x"});
  return info;
}

namespace {

/// x + silu(x W).
ValueId residual_matmul(ModelBuilder& m, ValueId x, ValueId kernel) {
  return m.add(x, activate(m, Activation::silu, m.matmul(x, kernel), ""));
}

bool build_execute_pipeline(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const PipelineCase c(settings);
  const int64_t width = settings.number("width");
  const GlobalId x = declare(module, "x", {settings.number("b"), width}, Role::input, InitKind::normal);
  ModelBuilder m(module, "execute_pipeline", settings.mesh, sink);
  Params params;
  Scope root(m, params);
  const PipelineFn stage = [&](Scope& self, ValueId v, const std::vector<ValueId>&) {
    return residual_matmul(self.m(), v, self.param("kernel", lecun_normal_initializer(), {width, width}));
  };
  const ModuleFn pipeline = [&](Scope& self, ValueId v) {
    return execute_pipeline(self, Pipeline{c.axis, c.micro_batches}, stage, v, "y");
  };
  const ValueId y = model_parallelism_wrapper(root, c.axis, pipeline, m.view(x, {c.rows, {}}, "x"));
  m.output("y", y, c.stacked());
  const std::optional<ProgramId> sharded = m.finish();
  if (!sharded || !add_init_program(params, "execute_pipeline", settings.mesh, module, sink)) return false;
  ModelBuilder s(module, "sequential", std::make_shared<const Mesh>(), sink);
  const DeviceLoop loop = c.loop(s, params);
  ValueId v = s.view(x, Layout(2), "x");
  const ValueId zeros = s.constant_like(v, Rational(0));
  for (int64_t d = 0; d < c.stages; ++d) v = residual_matmul(s, v, loop.param(d, "sharded/kernel"));
  std::vector<ValueId> outputs(static_cast<size_t>(c.stages), zeros);
  outputs.back() = v;
  s.output("y", s.stack(outputs), Layout(3));
  return add_check(module, sharded, s.finish());
}

/// x + w2(silu(w1(x))).
ValueId residual_mlp(Scope& self, ValueId x, int64_t hidden) {
  ModelBuilder& m = self.m();
  Scope w1 = self.child("w1"), w2 = self.child("w2");
  const ValueId h = activate(m, Activation::silu, dense(w1, Dense{hidden}, x), "");
  return m.add(x, dense(w2, Dense{m.shape(x).back()}, h));
}

std::optional<ProgramId> build_module(const PipelineCase& c, GlobalId x, Params& params, Module& module,
                                      DiagnosticSink& sink) {
  ModelBuilder m(module, "pipeline_module", c.settings.mesh, sink);
  Scope root(m, params);
  const ModuleFn block = [&](Scope& self, ValueId v) { return residual_mlp(self, v, c.settings.number("hidden")); };
  const ModuleFn stage = [&](Scope& self, ValueId v) {
    Scope own = self.child("stage");
    return scan_layers(own.child("block"), c.settings.number("layers"), block, v);
  };
  const ModuleFn pipeline = [&](Scope& self, ValueId v) {
    return pipeline_module(self, c.axis, c.micro_batches, stage, v);
  };
  const ValueId y = model_parallelism_wrapper(root, c.axis, pipeline, m.view(x, {c.rows, {}}, "x"));
  if (!y.valid()) return std::nullopt;
  m.output("y", m.all_reduce(as_state(m, y, c.axis, State::partial), c.axis, State::invariant, "y"), {c.rows, {}});
  return m.finish();
}

bool build_pipeline_module(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const PipelineCase c(settings);
  const GlobalId x =
      declare(module, "x", {settings.number("b"), settings.number("width")}, Role::input, InitKind::normal);
  Params params;
  const std::optional<ProgramId> sharded = build_module(c, x, params, module, sink);
  if (!sharded || !add_init_program(params, "pipeline_module", settings.mesh, module, sink)) return false;
  ModelBuilder m(module, "sequential", std::make_shared<const Mesh>(), sink);
  const DeviceLoop stages = c.loop(m, params);
  const DeviceFn apply = device_dense();
  ValueId v = m.view(x, Layout(2), "x");
  for (int64_t d = 0; d < c.stages; ++d) {
    for (int64_t l = 0; l < settings.number("layers"); ++l) {
      const DeviceLoop layer = stages.layer(l);
      const ValueId h = apply(layer, d, "sharded/stage/block/w1", v);
      v = m.add(v, apply(layer, d, "sharded/stage/block/w2", m.multiply(h, m.logistic(h))));
    }
  }
  m.output("y", v, Layout(2));
  return add_check(module, sharded, m.finish());
}

}  // namespace

Model execute_pipeline_model() {
  ModelInfo info =
      pipeline_info("execute_pipeline",
                    "a GPipe forward pass of stages x + silu(x W) as it comes: zeros on all devices but the last");
  info.settings.push_back(SettingInfo{"width", 3, "", {}, "features"});
  return Model{std::move(info), {{"b", "data"}}, build_execute_pipeline};
}

Model pipeline_module_model() {
  ModelInfo info =
      pipeline_info("pipeline_module", "PipelineModule: layers of MLPs as stages, the result on every device");
  info.settings.push_back(SettingInfo{"layers", 2, "", {}, "of a stage"});
  info.settings.push_back(SettingInfo{"width", 3, "", {}, "features"});
  info.settings.push_back(SettingInfo{"hidden", 4, "", {}, "features between the matrices of a layer"});
  return Model{std::move(info), {{"b", "data"}}, build_pipeline_module};
}

}  // namespace isoshard
