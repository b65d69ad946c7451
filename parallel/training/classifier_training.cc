// A training step of a classifier as in the tutorials of the original (docs/spec/originals.md, "Training step";
// docs/adr/0023-training-loop.md), and the program where it begins. The step is untyped, because the original
// differentiates inside of shard_map without states: each device has its own loss, gradients are synchronised by means
// over devices, and what a device's loss counts may depend on its index. The key of the step is split from @rng, which
// is updated like any state; dropout folds in the index of the device. Cross-entropy subtracts the maximum of a row,
// which has no gradient. Loss and accuracy are sums over all devices divided by the rows that count. Cost: that of
// accumulate_gradients and AdamW.
#include "parallel/training/classifier_training.h"

#include <utility>

#include "parallel/layers/dropout.h"
#include "parallel/module/body_params.h"
#include "parallel/training/accumulate_gradients.h"
#include "parallel/training/init_program.h"
#include "parallel/training/sync_gradients.h"

namespace isoshard {
namespace {

/// What a step reads besides the parameters: the rows of the batch, their labels, and the key that the dropout of this
/// step and the key of the next one come from.
struct DataGlobals {
  GlobalId x, y, rng;
};

/// The sum of a vector, a scalar.
ValueId total(ModelBuilder& m, ValueId x) { return m.op(Reduce{Reducer::add, {0}, {}}, {x}); }

/// Builds the step.
class Training {
 public:
  Training(const ClassifierTraining& training, const ClassifierFn& classifier, const DataGlobals& globals,
           ModelBuilder& m, Params& params)
      : training_(training), classifier_(classifier), globals_(globals), m_(m), root_(m, params), params_(params) {}

  bool build() {
    const ValueId x = m_.view(globals_.x, {ViewEntry{training_.data}, {}}, "x");
    const ValueId y = m_.view(globals_.y, {ViewEntry{training_.data}}, "y");
    const ValueId rng = m_.view(globals_.rng, {}, "rng");
    const ValueId step = split_key(m_, rng, 1, 2, KeyLayout::original, "step_key");
    if (!find_params(x, step)) return false;
    const std::vector<ValueId> values = read_params(root_, *found_);
    const MinibatchLossFn loss = [this](ModelBuilder& f, const std::vector<ValueId>& params,
                                        const std::vector<ValueId>& batch,
                                        ValueId key) { return minibatch_loss(f, params, batch, key); };
    const auto made =
        accumulate_gradients(m_, loss, values, {x, y}, step, AccumulateOptions{training_.num_minibatches});
    if (!made || !update(values, made->gradients)) return false;
    m_.builder().update(globals_.rng, split_key(m_, rng, 0, 2, KeyLayout::original, "next_rng"), {});
    report(made->metrics);
    return true;
  }

 private:
  /// What the model declares when it is given the rows of one minibatch.
  bool find_params(ValueId x, ValueId key) {
    ValueType rows = m_.builder().type(x);
    if (rows.tensor.shape[0] < training_.num_minibatches) {
      m_.error("C-accumulate", "training: " + std::to_string(rows.tensor.shape[0]) + " rows of a device cannot make " +
                                   std::to_string(training_.num_minibatches) +
                                   " minibatches; expected one row at least");
      return false;
    }
    rows.tensor.shape[0] /= training_.num_minibatches;
    const BodyFn body = [this](Scope& scope, const std::vector<ValueId>& in) { return classifier_(scope, in[0]); };
    found_ = find_body_params(root_, {{kDropout, key}}, body, {rows});
    return found_.has_value();
  }

  /// `value` on the devices whose loss counts, 0 on the others.
  ValueId counted(ModelBuilder& f, ValueId value) {
    if (!training_.owner) return value;
    const ValueId index = f.op(AxisIndex{training_.owner->axis}, {});
    const ValueId own = f.with_constant(Compare{Direction::eq}, index, Rational(training_.owner->index));
    return f.op(Select{}, {own, value, f.constant_like(value, Rational(0))});
  }

  MinibatchLoss minibatch_loss(ModelBuilder& f, const std::vector<ValueId>& params, const std::vector<ValueId>& batch,
                               ValueId key) {
    const ValueId folded = fold_rng_over_axis(f, key, f.mesh().all());
    const auto frame = body_frame(root_, *found_, params, {{kDropout, folded}});
    frame->m = &f;
    Scope scope = root_.in_frame(frame);
    const ValueId logits = classifier_(scope, batch[0]);
    if (!logits.valid()) return {};
    const int64_t rows = f.shape(logits).front();
    const ValueId losses = counted(f, cross_entropy(f, logits, batch[1]));
    const ValueId right = right_answers(f, logits, batch[1]);
    const ValueId count = counted(f, f.op(Constant{Rational(rows), DType::f32, {}}, {}));
    const ValueId sum = total(f, losses);
    return {f.with_constant(Divide{}, sum, Rational(rows)), {sum, total(f, counted(f, right)), count}};
  }

  bool update(const std::vector<ValueId>& values, const std::vector<ValueId>& gradients) {
    ParamTree tree;
    for (size_t i = 0; i < values.size(); ++i) {
      const ParamSpec& spec = params_.specs()[i];
      tree.push_back(ParamLeaf{spec.name(), spec.names(), gradients[i]});
    }
    tree = sync_gradients(m_, tree, m_.mesh().all());
    std::vector<Trained> trained;
    for (size_t i = 0; i < values.size(); ++i) {
      const ParamSpec& spec = params_.specs()[i];
      trained.push_back(Trained{spec.global, spec.layout(), values[i], tree[i].value});
    }
    const std::vector<ValueId> next = apply_optimizer(m_, published_optimizer(), trained);
    for (size_t i = 0; i < next.size(); ++i) {
      if (!next[i].valid()) return false;
      m_.builder().update(trained[i].param, next[i], trained[i].layout);
      if (training_.return_gradients)
        m_.output("grad." + params_.global_name(params_.specs()[i]), trained[i].gradient, trained[i].layout);
    }
    return true;
  }

  /// The sums of the losses and of the right answers over all devices, by the rows that count.
  void report(const std::vector<ValueId>& metrics) {
    const ValueId all = m_.all_reduce(m_.stack(metrics), m_.mesh().all(), State::replicated);
    const ValueId count = m_.element(all, 2);
    m_.output("loss", m_.op(Divide{}, {m_.element(all, 0), count}, "loss"), {});
    m_.output("accuracy", m_.op(Divide{}, {m_.element(all, 1), count}, "accuracy"), {});
  }

  const ClassifierTraining& training_;
  const ClassifierFn& classifier_;
  const DataGlobals& globals_;
  ModelBuilder& m_;
  Scope root_;
  const Params& params_;
  std::optional<BodyParams> found_{};
};

/// The data and all first values from one key.
std::optional<ProgramId> build_init(const std::string& name, const ClassifierTraining& training,
                                    const DataGlobals& globals, const std::shared_ptr<const Mesh>& mesh, Module& module,
                                    const Params& params, DiagnosticSink& sink) {
  const GlobalId key = declare_key(module, kInitKeyName);
  ModelBuilder m(module, name, mesh, sink);
  const ValueId keys = m.op(RngSplit{3}, {m.view(key, {}, "key")});
  const ValueId model = m.op(RngSplit{2}, {m.element(keys, 0)});
  if (!update_with_first_values(m, params, m.element(model, 0))) return std::nullopt;
  m.builder().update(globals.rng, m.element(model, 1), {});
  const ViewEntry rows{training.data};
  const int64_t own = training.batch / mesh->size(training.data);
  const Layout matrix{rows, {}}, vector{rows};
  m.output("x", normal(m, m.element(keys, 1), draw_block(m, {own, training.features}, matrix)), matrix);
  const auto classes = static_cast<int32_t>(training.classes);
  m.output("y", randint(m, m.element(keys, 2), draw_block(m, {own}, vector), 0, classes), vector);
  return m.finish();
}

}  // namespace

Optimizer published_optimizer() {
  Optimizer result;
  result.kind = OptimizerKind::adamw;
  return result;
}

ValueId right_answers(ModelBuilder& m, ValueId logits, ValueId labels, const Location& location) {
  if (!logits.valid() || !labels.valid()) return {};
  const ValueId answer = m.builder().append(Reduce{Reducer::argmax, {1}, {}}, {logits}, {}, location).back();
  return m.op(Convert{DType::f32}, {m.op(Compare{Direction::eq}, {answer, labels}, "", location)}, "", location);
}

ValueId cross_entropy(ModelBuilder& m, ValueId logits, ValueId labels, const Location& location) {
  if (!logits.valid() || !labels.valid()) return {};
  const ValueId fixed = m.op(StopGradient{}, {logits}, "", location);
  const ValueId top = m.op(Reduce{Reducer::max, {1}, {}}, {fixed}, "", location);
  const ValueId shifted = m.op(Subtract{}, {logits, m.broadcast_like(top, {0}, logits, "", location)}, "", location);
  const ValueId sum = m.op(Reduce{Reducer::add, {1}, {}}, {m.op(Exponential{}, {shifted}, "", location)}, "", location);
  const ValueId own = m.op(Gather{1, 1}, {shifted, labels}, "", location);
  return m.op(Subtract{}, {m.op(Log{}, {sum}, "", location), own}, "", location);
}

std::optional<ProgramId> build_classifier_training(const std::string& name, const ClassifierTraining& training,
                                                   const ClassifierFn& classifier,
                                                   const std::shared_ptr<const Mesh>& mesh, Module& module,
                                                   Params& params, DiagnosticSink& sink) {
  DataGlobals globals;
  globals.x = declare(module, "x", {training.batch, training.features}, Role::input, InitKind::normal);
  globals.y = declare_ids(module, "y", {training.batch});
  globals.rng = declare_key(module, "rng");
  ModelBuilder m(module, name, mesh, sink, BuilderOptions{ProgramKind::program, false, Location::here()});
  if (!Training(training, classifier, globals, m, params).build()) return std::nullopt;
  const std::optional<ProgramId> step = m.finish();
  if (!step || !build_init(name + kInitSuffix, training, globals, mesh, module, params, sink)) return std::nullopt;
  return step;
}

}  // namespace isoshard
