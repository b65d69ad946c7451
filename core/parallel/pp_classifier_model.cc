#include <utility>

#include "core/parallel/init_program.h"
#include "core/parallel/pipeline_models.h"
#include "core/parallel/pp_classifier.h"

namespace isoshard {
namespace {

/// The stages one after another, on one device: what each gives as the logits. The head of the last one sees the
/// result, the others see zeros.
ValueId sequential(const DeviceLoop& stages, int64_t layers, ValueId x) {
  ModelBuilder& m = stages.m();
  const DeviceFn apply = device_dense();
  // What other devices than the first make of x goes nowhere.
  const DeviceValues inputs = stages.each([&](int64_t d) { return apply(stages, d, "input_dense/sharded", x); });
  const std::string block = "pipeline/sharded/mlp_layers/block/";
  ValueId h = inputs.front();
  for (int64_t d = 0; d < stages.devices(); ++d) {
    for (int64_t l = 0; l < layers; ++l) {
      const DeviceLoop layer = stages.layer(l);
      const ValueId a = apply(layer, d, block + "input_dense", layer.layer_norm(d, block + "pre_norm", h));
      h = m.add(h, apply(layer, d, block + "output_dense", m.multiply(a, m.logistic(a))));
    }
  }
  const ValueId zeros = m.constant_like(h, Rational(0));
  return m.stack(stages.each([&](int64_t d) {
    const ValueId seen = d + 1 == stages.devices() ? h : zeros;
    return apply(stages, d, "output_dense/sharded", stages.layer_norm(d, "output_norm/sharded", seen));
  }));
}

bool build(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const PipelineCase c(settings);
  const GlobalId x =
      declare(module, "x", {settings.number("b"), settings.number("features")}, Role::input, InitKind::normal);
  ModelBuilder m(module, "pp_classifier", settings.mesh, sink);
  Params params;
  Scope root(m, params);
  const PpClassifier layer{c.axis, c.micro_batches, settings.number("hidden"), settings.number("layers"),
                           settings.number("classes")};
  m.output("logits", pp_classifier(root, layer, m.view(x, {c.rows, {}}, "x")), c.stacked());
  const std::optional<ProgramId> sharded = m.finish();
  if (!sharded || !add_init_program(params, "pp_classifier", settings.mesh, module, sink)) return false;
  ModelBuilder s(module, "sequential", std::make_shared<const Mesh>(), sink);
  s.output("logits", sequential(c.loop(s, params), layer.layers, s.view(x, Layout(2), "x")), Layout(3));
  return add_check(module, sharded, s.finish());
}

}  // namespace

Model pp_classifier_model() {
  ModelInfo info = pipeline_info("pp_classifier",
                                 "PPClassifier: dense, pipeline of MLP layers, norm and dense; every "
                                 "device's logits, of which the last one's count");
  info.settings.push_back(SettingInfo{"layers", 1, "", {}, "of a stage"});
  info.settings.push_back(SettingInfo{"features", 3, "", {}, "of x"});
  info.settings.push_back(SettingInfo{"hidden", 4, "", {}, "features of the layers"});
  info.settings.push_back(SettingInfo{"classes", 2, "", {}, "logits"});
  return Model{std::move(info), {{"b", "data"}}, build};
}

}  // namespace isoshard
