#include <utility>

#include "catalogue/loops/pp_classifier_loop.h"
#include "catalogue/pipelines/pipeline_models.h"
#include "parallel/training/init_program.h"

namespace isoshard {
namespace {

bool build_pp_classifier_model(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const PipelineCase c(settings);
  const GlobalId x =
      declare(module, "x", {settings.number("b"), settings.number("features")}, Role::input, InitKind::normal);
  std::optional<GlobalId> key;
  if (settings.word("dropout") != "0") key = declare_key(module, "dropout_key");
  ModelBuilder m(module, "pp_classifier", settings.mesh, sink);
  Params params;
  Scope root(m, params);
  const Group all{{*settings.mesh->find("data"), *settings.mesh->find("model")}};
  if (key) root.set_key("dropout", fold_rng_over_axis(m, m.view(*key, {}, "dropout_key"), all));
  const PpClassifier layer{c.axis,
                           c.micro_batches,
                           settings.number("hidden"),
                           settings.number("layers"),
                           settings.number("classes"),
                           key ? 0.5 : 0,
                           settings.number("loops")};
  m.output("logits", pp_classifier(root, layer, m.view(x, {c.rows, {}}, "x")), c.stacked());
  const std::optional<ProgramId> sharded = m.finish();
  if (!sharded || !add_init_program(params, "pp_classifier", settings.mesh, module, sink)) return false;
  ModelBuilder s(module, "sequential", std::make_shared<const Mesh>(), sink);
  const ValueId base = key ? s.view(*key, {}, "dropout_key") : ValueId();
  s.output("logits",
           s.stack(device_pp_classifier(c.loop(s, params), layer, *settings.mesh, base, s.view(x, Layout(2), "x"))),
           Layout(3));
  return add_check(module, sharded, s.finish());
}

}  // namespace

Model pp_classifier_model() {
  ModelInfo info = pipeline_info("pp_classifier",
                                 "PPClassifier: dense, pipeline of MLP layers, norm and dense; every "
                                 "device's logits, of which the last one's count");
  info.settings.push_back(SettingInfo{"layers", 1, "", {}, "of a stage"});
  info.settings.push_back(SettingInfo{"loops", 1, "", {}, "stages of a device; more than one: a looping pipeline"});
  info.settings.push_back(SettingInfo{"features", 3, "", {}, "of x"});
  info.settings.push_back(SettingInfo{"hidden", 4, "", {}, "features of the layers"});
  info.settings.push_back(
      SettingInfo{"dropout", 0, "", {"0", "0.5"}, "rate; every device draws from @dropout_key, folded over all axes"});
  info.settings.push_back(SettingInfo{"classes", 2, "", {}, "logits"});
  return Model{std::move(info), {{"b", "data"}}, build_pp_classifier_model};
}

}  // namespace isoshard
