#include <utility>

#include "catalogue/loops/tp_mlp_loop.h"
#include "catalogue/models.h"
#include "parallel/tensor_parallel/tp_mlp_block.h"
#include "parallel/training/init_program.h"

namespace isoshard {
namespace {

/// What the settings say.
struct ClassifierCase {
  TpClassifier model;
  bool over_data = true;  ///< whether the batch is split over `data`
};

ClassifierCase read_classifier_case(const ModelSettings& settings) {
  const std::string& mlp = settings.word("mlp");
  ClassifierCase result;
  result.model = TpClassifier{
      layer_axis(settings), settings.number("hidden"), settings.number("layers"), settings.number("classes"),
      mlp != "sync",        mlp == "async_split"};
  result.over_data = settings.word("axis") == "model";
  return result;
}

std::optional<ProgramId> build_sharded_classifier(const ClassifierCase& c, GlobalId x, Params& params,
                                                  const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "tp_classifier", settings.mesh, sink);
  const ViewEntry all, rows = c.over_data ? m.split("data") : all;
  Scope root(m, params);
  const ValueId logits = tp_classifier(root, c.model, m.view(x, {rows, all}, "x"), "logits");
  if (!logits.valid()) return std::nullopt;
  m.output("logits", logits, {rows, all});
  return m.finish();
}

std::optional<ProgramId> build_classifier_loop(const ClassifierCase& c, GlobalId x, const Params& params,
                                               const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "loop", std::make_shared<const Mesh>(), sink);
  const DeviceLoop loop(m, params, settings.mesh, c.model.axis);
  m.output("logits", device_classifier(loop, c.model, m.view(x, Layout(2), "x")), Layout(2));
  return m.finish();
}

bool build_tp_classifier(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const ClassifierCase c = read_classifier_case(settings);
  const GlobalId x =
      declare(module, "x", {settings.number("b"), settings.number("features")}, Role::input, InitKind::normal);
  Params params;
  const std::optional<ProgramId> sharded = build_sharded_classifier(c, x, params, settings, module, sink);
  if (!sharded || !add_init_program(params, "tp_classifier", settings.mesh, module, sink)) return false;
  return add_check(module, sharded, build_classifier_loop(c, x, params, settings, module, sink));
}

}  // namespace

Model tp_classifier_model() {
  ModelInfo info;
  info.name = "tp_classifier";
  info.doc =
      "TPClassifier: a gathering layer, MLP blocks with residuals in a scan, a scattering layer summed to logits";
  info.axes.push_back(AxisInfo{"data", 1, "splits the batch, or with `model` the layers"});
  info.axes.push_back(AxisInfo{"model", 4, "splits the features of all layers"});
  info.settings.push_back(SettingInfo{"mlp", 0, "", {"sync", "async", "async_split"}, "the blocks"});
  info.settings.push_back(layer_axis_setting());
  info.settings.push_back(SettingInfo{"layers", 2, "", {}, "blocks of the scan"});
  info.settings.push_back(SettingInfo{"b", 2, "data", {}, "rows of x"});
  info.settings.push_back(SettingInfo{"features", 3, "", {}, "of x"});
  info.settings.push_back(SettingInfo{"hidden", 24, "", {}, "features of the blocks, inside and between them"});
  info.settings.push_back(SettingInfo{"classes", 4, "", {}, "logits of a row"});
  return Model{std::move(info), {{"b", "data"}, {"hidden", "model"}}, build_tp_classifier};
}

}  // namespace isoshard
