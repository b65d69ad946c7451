#include "catalogue/training/training_reference.h"

#include <utility>

#include "catalogue/models.h"
#include "parallel/training/accumulate_gradients.h"
#include "parallel/training/optimizers.h"

namespace isoshard {
namespace {

/// The mean loss of all rows, and how many of them are right.
MinibatchLossFn whole_loss(const ReferenceFn& logits, const std::shared_ptr<const Mesh>& mesh, const Group& axis,
                           const Params& params) {
  return [&](ModelBuilder& f, const std::vector<ValueId>& values, const std::vector<ValueId>& batch, ValueId key) {
    std::map<std::string, ValueId> whole;
    for (size_t i = 0; i < values.size(); ++i) whole[params.specs()[i].name()] = values[i];
    const DeviceLoop loop(f, params, mesh, axis, 0, std::move(whole));
    const ValueId made = logits(loop, batch[0], key);
    if (!made.valid()) return MinibatchLoss{};
    const auto mean = [&](ValueId x) {
      const Rational rows(f.shape(x).front());
      return f.with_constant(Divide{}, f.op(Reduce{Reducer::add, {0}, {}}, {x}), rows);
    };
    const ValueId loss = mean(cross_entropy(f, made, batch[1]));
    return MinibatchLoss{loss, {loss, mean(right_answers(f, made, batch[1]))}};
  };
}

/// Updates the parameters by their gradients.
bool update(ModelBuilder& m, const Params& params, const std::vector<ValueId>& values,
            const std::vector<ValueId>& gradients) {
  std::vector<Trained> trained;
  for (size_t i = 0; i < values.size(); ++i) {
    const Layout whole(m.shape(values[i]).size());
    trained.push_back(Trained{params.specs()[i].global, whole, values[i], gradients[i]});
  }
  const std::vector<ValueId> next = apply_optimizer(m, published_optimizer(), trained);
  for (size_t i = 0; i < next.size(); ++i) {
    if (!next[i].valid()) return false;
    m.builder().update(trained[i].param, next[i], trained[i].layout);
  }
  return true;
}

}  // namespace

bool add_training_reference(ProgramId step, const ReferenceFn& logits, const std::shared_ptr<const Mesh>& mesh,
                            const Group& axis, const Params& params, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "one_device", std::make_shared<const Mesh>(), sink);
  const GlobalId rng = *module.find_global("rng");
  const ValueId base = m.view(rng, {}, "rng");
  const std::vector<ValueId> batch{m.view(*module.find_global("x"), Layout(2), "x"),
                                   m.view(*module.find_global("y"), Layout(1), "y")};
  std::vector<ValueId> values;
  for (const ParamSpec& spec : params.specs()) {
    values.push_back(m.view(spec.global, Layout(spec.global_shape().size()), params.global_name(spec)));
  }
  AccumulateOptions once;
  once.split_key = false;
  once.name = "one_device.loss";
  const ValueId key = split_key(m, base, 1, 2);
  const auto made = accumulate_gradients(m, whole_loss(logits, mesh, axis, params), values, batch, key, once);
  if (!made || !update(m, params, values, made->gradients)) return false;
  m.builder().update(rng, split_key(m, base, 0, 2), {});
  m.output("loss", made->metrics[0], {});
  m.output("accuracy", made->metrics[1], {});
  return add_check(module, step, m.finish());
}

}  // namespace isoshard
