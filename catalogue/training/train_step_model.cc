#include <array>
#include <utility>

#include "catalogue/models.h"
#include "catalogue/training/train_init.h"
#include "catalogue/training/train_network.h"

namespace isoshard {
namespace {

constexpr const char* kTrainStep = "train_step";

/// A group over one axis; empty where the axis has one device.
Group shared(const Mesh& mesh, const std::string& axis) {
  const AxisId id = *mesh.find(axis);
  return mesh.axis(id).size == 1 ? Group{} : Group{{id}};
}

/// What the settings say.
struct TrainStepCase {
  explicit TrainStepCase(const ModelSettings& s)
      : settings(s),
        axes{Group{{*s.mesh->find("dp"), *s.mesh->find("fsdp")}}, shared(*s.mesh, "tp"), shared(*s.mesh, "pp")} {
    sizes.rows = s.number("b") * s.number("accumulate") * micro_batches() * s.mesh->size(axes.batch);
    sizes.layers = s.number("layers");
    sizes.width = s.number("width");
    sizes.hidden = s.number("hidden");
    sizes.inputs = s.number("inputs");
    sizes.outputs = s.number("outputs");
    sizes.positions = s.number("s");
    sizes.heads = s.number("heads");
    sizes.head_dim = s.number("head_dim");
    sizes.vocabulary = s.number("vocab");
    sizes.dropout = s.word("dropout") == "0" ? 0 : 0.5;
    if (s.word("dtype") == "bf16") sizes.dtype = DType::bf16;
  }

  int64_t micro_batches() const { return axes.pipeline.empty() ? 1 : settings.number("micro_batches"); }

  Optimizer optimizer() const {
    const std::array names{"sgd", "momentum", "nesterov", "adam", "adamw"};
    const std::array kinds{OptimizerKind::sgd, OptimizerKind::momentum, OptimizerKind::momentum, OptimizerKind::adam,
                           OptimizerKind::adamw};
    Optimizer result;
    for (size_t i = 0; i < names.size(); ++i) {
      if (settings.word("optimizer") == names[i]) result.kind = kinds[i];
    }
    result.nesterov = settings.word("optimizer") == "nesterov";
    result.learning_rate = Rational(1, 100);
    return result;
  }

  const ModelSettings& settings;
  TrainAxes axes;
  TrainSizes sizes;
};

GlobalId declare_leaf(Module& module, const TrainNetwork::Leaf& leaf) {
  if (leaf.type.dtype != DType::f32) return declare_ids(module, leaf.name, leaf.type.shape);
  return declare(module, leaf.name, leaf.type.shape, Role::input, InitKind::normal);
}

/// The number of each row of a device in the whole batch.
ValueId row_numbers(ModelBuilder& m, const Group& batch, int64_t rows) {
  const ValueId own = m.op(Iota{DType::i32, {rows}, 0}, {});
  if (batch.empty()) return own;
  const ValueId first = m.with_constant(Multiply{}, m.op(AxisIndex{batch}, {}), Rational(rows));
  return m.add(own, m.broadcast_like(first, {}, own));
}

/// The key of this step; the next one begins with another.
ValueId step_key(ModelBuilder& m, GlobalId key) {
  const ValueId keys = m.op(RngSplit{2}, {m.view(key, {}, "key")}, "keys");
  m.builder().update(key, m.element(keys, 0), {});
  return m.element(keys, 1);
}

TrainNetwork network_of(const TrainStepCase& c, const TrainAxes& axes) {
  const bool transformer = c.settings.word("model") == "transformer";
  return transformer ? train_transformer(c.sizes, axes) : train_mlp(c.sizes, axes);
}

/// One of both programs: a step of `network` with `axes`.
std::optional<ProgramId> build_step(const TrainStepCase& c, const std::string& name, std::shared_ptr<const Mesh> mesh,
                                    const TrainAxes& axes, TrainStep step, const TrainRun& run, Module& module,
                                    DiagnosticSink& sink) {
  ModelBuilder m(module, name, std::move(mesh), sink);
  const TrainNetwork network = network_of(c, axes);
  std::vector<ValueId> batch;
  for (const TrainNetwork::Leaf& leaf : network.batch) {
    const std::optional<GlobalId> known = module.find_global(leaf.name);
    Layout layout(leaf.type.shape.size());
    layout.front() = ViewEntry{axes.batch};
    batch.push_back(m.view(known ? *known : declare_leaf(module, leaf), layout, leaf.name, leaf.invariant));
  }
  ValueId key;
  if (c.sizes.dropout != 0) {
    batch.push_back(row_numbers(m, axes.batch, c.sizes.rows / m.mesh().size(axes.batch)));
    key = step_key(m, *module.find_global("key"));
  } else {
    key = prng_key(m, 0);
  }
  step.params = train_params(network, c.sizes, axes);
  step.accumulate.name = name + ".loss";
  step.accumulate.split_key = false;
  step.optimizer = c.optimizer();
  if (c.settings.word("clip") == "1") step.max_norm = Rational(1);
  train_step(m, step, train_loss(network, c.sizes, axes, run), batch, key);
  return m.finish();
}

bool build_train_step(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const TrainStepCase c(settings);
  if (c.sizes.dropout != 0) declare_key(module, "key");
  const bool scan_layers = settings.word("layer_loop") == "scan";
  TrainStep step;
  step.accumulate.num_minibatches = settings.number("accumulate");
  step.accumulate.use_scan = settings.word("accumulation") == "scan";
  step.sharding = {shared(*settings.mesh, "fsdp"), shared(*settings.mesh, "dp"), settings.word("zero").front() - '0'};
  const TrainRun run{c.sizes.rows / settings.number("accumulate"), c.micro_batches(), scan_layers};
  const auto sharded = build_step(c, kTrainStep, settings.mesh, c.axes, step, run, module, sink);
  const auto whole = build_step(c, "one_device", std::make_shared<const Mesh>(), TrainAxes{}, TrainStep{},
                                TrainRun{c.sizes.rows, 1, scan_layers}, module, sink);
  if (!add_check(module, sharded, whole)) return false;
  if (!add_train_init(kTrainStep, network_of(c, c.axes), c.sizes, settings.mesh, module, sink)) return false;
  module.checks.back().steps = settings.number("steps");
  return true;
}

}  // namespace

Model train_step_model() {
  ModelInfo info;
  info.name = kTrainStep;
  info.doc = "training steps: gradients, their accumulation and reduction, an optimizer; against one device";
  info.axes.push_back(AxisInfo{"dp", 2, "splits the batch; with zero also what its number says"});
  info.axes.push_back(AxisInfo{"fsdp", 1, "splits the batch, and parameters, gradients and moments"});
  info.axes.push_back(AxisInfo{"pp", 1, "has a stage of layers per device"});
  info.axes.push_back(AxisInfo{"tp", 2, "splits hidden features"});
  info.settings.push_back(SettingInfo{
      "model", 0, "", {"mlp", "transformer"}, "residual MLPs and a mean square, or a causal language model"});
  info.settings.push_back(
      SettingInfo{"optimizer", 0, "", {"adamw", "adam", "sgd", "momentum", "nesterov"}, "of the step"});
  info.settings.push_back(SettingInfo{"accumulate", 2, "", {}, "minibatches whose gradients are added up"});
  info.settings.push_back(SettingInfo{"accumulation", 0, "", {"scan", "loop"}, "how: in a scan or in a row"});
  info.settings.push_back(SettingInfo{"micro_batches", 2, "", {}, "of a minibatch in the pipeline, where pp is not 1"});
  info.settings.push_back(SettingInfo{"clip", 0, "", {"0", "1"}, "1: gradients of a norm above 1 are scaled to 1"});
  info.settings.push_back(
      SettingInfo{"zero", 0, "", {"0", "1", "2", "3"}, "over dp: 1 splits moments, 2 gradients, 3 parameters as well"});
  info.settings.push_back(SettingInfo{"dropout", 0, "", {"0", "0.5"}, "rate; masks belong to rows of the whole batch"});
  info.settings.push_back(
      SettingInfo{"dtype", 0, "", {"f32", "bf16"}, "in which the layers compute; parameters and losses are f32"});
  info.settings.push_back(SettingInfo{"layers", 1, "pp", {}, "of all stages"});
  info.settings.push_back(SettingInfo{"layer_loop", 0, "", {"scan", "row"}, "layers of a stage in a scan or in a row"});
  info.settings.push_back(SettingInfo{"b", 1, "", {}, "rows that a device has at a time"});
  info.settings.push_back(SettingInfo{"inputs", 3, "", {}, "features of a row, of the mlp"});
  info.settings.push_back(SettingInfo{"width", 4, "", {}, "features between the layers"});
  info.settings.push_back(SettingInfo{"hidden", 2, "tp", {}, "features in a layer"});
  info.settings.push_back(SettingInfo{"outputs", 2, "", {}, "features of a prediction, of the mlp"});
  info.settings.push_back(SettingInfo{"s", 2, "", {}, "positions of a sequence, which is a row of the transformer"});
  info.settings.push_back(SettingInfo{"heads", 1, "tp", {}, "of the transformer"});
  info.settings.push_back(SettingInfo{"head_dim", 2, "", {}, "features of a head"});
  info.settings.push_back(SettingInfo{"vocab", 3, "", {}, "words"});
  info.settings.push_back(SettingInfo{"steps", 2, "", {}, "that are checked"});
  return Model{std::move(info), {{"layers", "pp"}, {"hidden", "tp"}, {"heads", "tp"}}, build_train_step};
}

}  // namespace isoshard
