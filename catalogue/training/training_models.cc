// The training runs of the original's tutorials, whose curves are published (docs/originals.md, "Published training
// curves").
#include <utility>

#include "catalogue/loops/pp_classifier_loop.h"
#include "catalogue/loops/tp_mlp_loop.h"
#include "catalogue/models.h"
#include "catalogue/training/training_reference.h"
#include "parallel/module/param_key.h"
#include "parallel/training/classifier_training.h"
#include "parallel/training/dp_classifier.h"

namespace isoshard {
namespace {

/// Axes and settings of all runs; the defaults are those of the published ones. `model` is 0 where there is no such
/// axis.
ModelInfo training_info(std::string name, std::string doc, int64_t data, int64_t model) {
  ModelInfo info;
  info.name = std::move(name);
  info.doc = std::move(doc);
  info.axes.push_back(AxisInfo{"data", data, "splits the batch"});
  if (model != 0) info.axes.push_back(AxisInfo{"model", model, "splits the model"});
  const std::string shared_by = model == 0 ? "" : "model";
  const int64_t hidden = model == 0 ? 512 : 512 / model;
  info.settings.push_back(SettingInfo{"b", 128 / data, "data", {}, "rows of the batch, the same in every step"});
  info.settings.push_back(SettingInfo{"features", 784, "", {}, "of a row"});
  info.settings.push_back(SettingInfo{"hidden", hidden, shared_by, {}, "features of the layers"});
  info.settings.push_back(SettingInfo{"classes", 10, "", {}, "labels"});
  return info;
}

ClassifierTraining training_of(const ModelSettings& settings) {
  ClassifierTraining training;
  training.batch = settings.number("b");
  training.features = settings.number("features");
  training.classes = settings.number("classes");
  training.data = Group{{*settings.mesh->find("data")}};
  return training;
}

Group model_axis(const ModelSettings& settings) { return Group{{*settings.mesh->find("model")}}; }

SettingInfo compute_dtype_setting() {
  return SettingInfo{"dtype", 0, "", {"f32", "bf16"}, "in which the layers compute; parameters are f32"};
}
std::optional<DType> compute_dtype(const ModelSettings& settings) {
  return settings.word("dtype") == "bf16" ? std::optional(DType::bf16) : std::nullopt;
}

SettingInfo dropout_setting() { return SettingInfo{"dropout", 0, "", {"0.1", "0"}, "rate"}; }
double dropout_rate(const ModelSettings& settings) { return settings.word("dropout") == "0" ? 0 : 0.1; }

/// The step, its init program, its reference and the check.
bool add_run(const std::string& name, const ClassifierTraining& training, const ClassifierFn& classifier,
             const ReferenceFn& logits, const Group& axis, const ModelSettings& settings, Module& module,
             DiagnosticSink& sink) {
  Params params;
  const auto step = build_classifier_training(name, training, classifier, settings.mesh, module, params, sink);
  return step && add_training_reference(*step, logits, settings.mesh, axis, params, module, sink);
}

bool build_tp(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const std::string& mlp = settings.word("mlp");
  TpClassifier model{
      model_axis(settings), settings.number("hidden"), settings.number("layers"), settings.number("classes"),
      mlp != "sync",        mlp == "async_split"};
  model.dtype = compute_dtype(settings);
  ClassifierTraining training = training_of(settings);
  training.owner = LossOwner{model.axis, 0};
  const ClassifierFn classifier = [&](Scope& root, ValueId x) { return tp_classifier(root, model, x); };
  const ReferenceFn logits = [&](const DeviceLoop& loop, ValueId x, ValueId) {
    return device_classifier(loop, model, x);
  };
  return add_run("tp_training", training, classifier, logits, model.axis, settings, module, sink);
}

bool build_pp(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const Group axis = model_axis(settings);
  const PpClassifier model{axis,
                           settings.number("micro_batches"),
                           settings.number("hidden"),
                           settings.number("layers"),
                           settings.number("classes"),
                           dropout_rate(settings),
                           settings.number("loops")};
  ClassifierTraining training = training_of(settings);
  training.owner = LossOwner{axis, settings.mesh->size(axis) - 1};
  const ClassifierFn classifier = [&](Scope& root, ValueId x) { return pp_classifier(root, model, x); };
  const ReferenceFn logits = [&](const DeviceLoop& loop, ValueId x, ValueId key) {
    return device_pp_classifier(loop, model, *settings.mesh, split_key(loop.m(), key, 0, 1), x).back();
  };
  return add_run("pp_training", training, classifier, logits, axis, settings, module, sink);
}

/// h where the devices keep it, each with its own mask for each of its minibatches, divided by the part that is kept.
ValueId dropped(ModelBuilder& m, const DpClassifier& model, int64_t minibatches, int64_t devices, ValueId h,
                ValueId key) {
  const auto keep = static_cast<float>(1 - model.dropout);
  const Shape rows{m.shape(h)[0] / (devices * minibatches), m.shape(h)[1]};
  const auto number = [&](int64_t value) { return m.op(Constant{Rational(value), DType::u32, {}}, {}); };
  std::vector<ValueId> masks;
  for (int64_t device = 0; device < devices; ++device) {
    for (int64_t i = 0; i < minibatches; ++i) {
      const ValueId own = m.op(RngFoldIn{}, {split_key(m, key, i, minibatches), number(device)});
      const ValueId of_module = m.op(RngFoldIn{}, {own, number(param_fold({"Dropout_0"}, 1))});
      masks.push_back(bernoulli(m, of_module, Draw{rows}, keep));
    }
  }
  const ValueId kept = masks.size() == 1 ? masks[0] : m.op(Concatenate{0}, masks);
  const ValueId scaled = m.with_constant(Divide{}, h, Rational::from_double(static_cast<double>(keep)));
  return m.op(Select{}, {kept, scaled, m.constant_like(h, Rational(0))});
}

bool build_dp(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  DpClassifier model{settings.number("hidden"), settings.number("classes"), dropout_rate(settings),
                     compute_dtype(settings)};
  ClassifierTraining training = training_of(settings);
  training.num_minibatches = settings.number("minibatches");
  if (settings.word("params") == "sharded") {
    model.fsdp = training.data;
    model.min_weight_size = settings.number("min_weight_size");
  }
  const ClassifierFn classifier = [&](Scope& root, ValueId x) { return dp_classifier(root, model, x); };
  const ReferenceFn logits = [&](const DeviceLoop& loop, ValueId x, ValueId key) {
    ModelBuilder& m = loop.m();
    const DeviceFn apply = device_dense();
    ValueId h = activate(m, Activation::silu, apply(loop, 0, "input_dense", x), "");
    if (model.dropout != 0) h = dropped(m, model, training.num_minibatches, loop.devices(), h, key);
    return apply(loop, 0, "output_dense", h);
  };
  return add_run("dp_training", training, classifier, logits, training.data, settings, module, sink);
}

}  // namespace

Model tp_training_model() {
  ModelInfo info = training_info("tp_training", "a training step of TPClassifier, as published", 2, 4);
  info.settings.push_back(SettingInfo{"mlp", 0, "", {"sync", "async", "async_split"}, "the blocks"});
  info.settings.push_back(SettingInfo{"layers", 3, "", {}, "blocks of the scan"});
  info.settings.push_back(compute_dtype_setting());
  return Model{std::move(info), {{"b", "data"}, {"hidden", "model"}}, build_tp};
}

Model pp_training_model() {
  ModelInfo info = training_info("pp_training", "a training step of PPClassifier, as published", 2, 4);
  info.settings.push_back(SettingInfo{"layers", 2, "", {}, "of a stage"});
  info.settings.push_back(SettingInfo{"loops", 1, "", {}, "stages of a device; more than one: a looping pipeline"});
  info.settings.push_back(SettingInfo{"micro_batches", 8, "", {}, "equal parts of the batch of a device"});
  info.settings.push_back(dropout_setting());
  return Model{std::move(info), {{"b", "data"}}, build_pp};
}

Model dp_training_model() {
  ModelInfo info = training_info("dp_training", "a training step with data parallelism, as published", 8, 0);
  info.settings.push_back(
      SettingInfo{"minibatches",
                  4,
                  "",
                  {},
                  "over which gradients are accumulated; rows of a device that are left over are dropped"});
  info.settings.push_back(dropout_setting());
  info.settings.push_back(
      SettingInfo{"params", 0, "", {"replicated", "sharded"}, "sharded: FSDP, shard_module_params over `data`"});
  info.settings.push_back(SettingInfo{"min_weight_size", 16, "", {}, "what has no more elements is not sharded"});
  info.settings.push_back(compute_dtype_setting());
  return Model{std::move(info), {{"b", "data"}}, build_dp};
}

}  // namespace isoshard
