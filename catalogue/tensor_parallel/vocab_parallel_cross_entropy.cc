#include <utility>

#include "catalogue/models.h"
#include "parallel/layers/layers.h"

namespace isoshard {
namespace {

struct LossGlobals {
  GlobalId x, w, targets;
};

/// Sum over the rows of `losses`, over `partial` too, divided by the rows of the whole batch.
ValueId mean_loss(ModelBuilder& m, ValueId losses, int64_t batch, const Group& partial = {},
                  const Location& location = Location::here()) {
  const ValueId total = m.op(Reduce{Reducer::add, {0}, partial.set()}, {losses}, "total", location);
  return m.with_constant(Divide{}, total, Rational(batch), "mean", location);
}

/// log(sum of exp) - logit of the target, per row, with the maximum of the row taken out of the sum.
std::optional<ProgramId> build_dense_loss(const LossGlobals& g, int64_t batch, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "cross_entropy", std::make_shared<const Mesh>(), sink);
  const ViewEntry all;
  const ValueId z = m.matmul(m.view(g.x, {all, all}, "x"), m.view(g.w, {all, all}, "W"), "z");
  const ValueId targets = m.view(g.targets, {all}, "targets");
  const ValueId top = m.op(Reduce{Reducer::max, {1}, {}}, {m.op(StopGradient{}, {z})}, "top");
  const ValueId e = m.op(Exponential{}, {m.op(Subtract{}, {z, m.broadcast_like(top, {0}, z)})}, "e");
  const ValueId sum = m.op(Reduce{Reducer::add, {1}, {}}, {e}, "sum");
  const ValueId logits = m.op(Gather{1, 1}, {z, targets}, "target_logits");
  const ValueId log_sum = m.add(m.op(Log{}, {sum}), top, "log_sum");
  m.output("loss", mean_loss(m, m.op(Subtract{}, {log_sum, logits}, "losses"), batch), {});
  return m.finish();
}

/// States are {data, model}: three reductions over the vocabulary, of maxima, sums and target logits, in place of
/// gathering the logits (Shoeybi et al. 2019).
std::optional<ProgramId> build_sharded_loss(const LossGlobals& g, const ModelSettings& settings, Module& module,
                                            DiagnosticSink& sink) {
  ModelBuilder m(module, "vocab_parallel_cross_entropy", settings.mesh, sink);
  const Group data = m.group("data"), model = m.group("model");
  const ViewEntry all, over_data = m.split("data");
  const int64_t vocabulary = settings.number("v");
  const ValueId x = m.view(g.x, {over_data, all}, "x", model);                                           // {V, I}
  const ValueId xr = m.reinterpret(x, model, State::replicated, "xr");                                   // {V, R}
  const ValueId z = m.matmul(xr, m.view(g.w, {all, m.split("model")}, "W"), "z");                        // {V, V}
  const ValueId targets = clamp_ids(m, m.view(g.targets, {over_data}, "targets"), vocabulary, "valid");  // {V, =}

  const ValueId own_top = m.op(Reduce{Reducer::max, {1}, {}}, {m.op(StopGradient{}, {z})}, "own_top");
  const ValueId top = m.op(AllReduce{model, {}, Reducer::max}, {own_top}, "top");  // {V, =}
  const ValueId e = m.op(Exponential{}, {m.op(Subtract{}, {z, m.broadcast_like(top, {0}, z)})}, "e");
  const ValueId own_sum = m.op(Reduce{Reducer::add, {1}, model.set()}, {e}, "own_sum");  // {V, P}
  const ValueId sum = m.all_reduce(own_sum, model, State::invariant, "sum");             // {V, I}

  const LocalIds local = local_ids(m, targets, vocabulary, model);  // {V, V}
  const ValueId picked = m.op(Gather{1, 1}, {z, local.ids}, "picked");
  if (!picked.valid()) return std::nullopt;
  const ValueId own = m.op(Select{}, {local.inside, picked, m.constant_like(picked, Rational(0))}, "own");
  const ValueId term = m.reinterpret(own, model, State::partial, "term");               // {V, P}
  const ValueId logits = m.all_reduce(term, model, State::invariant, "target_logits");  // {V, I}

  const ValueId log_sum = m.add(m.op(Log{}, {sum}), top, "log_sum");
  const ValueId losses = m.op(Subtract{}, {log_sum, logits}, "losses");
  const ValueId mean = mean_loss(m, losses, settings.number("b"), data);  // {P, I}
  m.output("loss", m.all_reduce(mean, data, State::invariant, "loss"), {});
  return m.finish();
}

bool build_cross_entropy(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const int64_t b = settings.number("b"), d = settings.number("d"), v = settings.number("v");
  const GlobalId x = declare(module, "x", {b, d}, Role::input, InitKind::normal);
  const GlobalId w = declare(module, "W", {d, v}, Role::param, InitKind::lecun_normal);
  const GlobalId targets = declare_ids(module, "targets", {b});
  const LossGlobals globals{x, w, targets};
  const std::optional<ProgramId> sharded = build_sharded_loss(globals, settings, module, sink);
  const std::optional<ProgramId> dense = build_dense_loss(globals, b, module, sink);
  return add_check(module, sharded, dense);
}

}  // namespace

Model vocab_parallel_cross_entropy_model() {
  ModelInfo info;
  info.name = "vocab_parallel_cross_entropy";
  info.doc = "Mean cross entropy of logits whose vocabulary is split over `model`, batch over `data`";
  info.axes.push_back(AxisInfo{"data", 2, "splits the batch"});
  info.axes.push_back(AxisInfo{"model", 4, "splits the vocabulary"});
  info.settings.push_back(SettingInfo{"b", 3, "data", {}, "rows of the batch"});
  info.settings.push_back(SettingInfo{"d", 6, "", {}, "features"});
  info.settings.push_back(SettingInfo{"v", 3, "model", {}, "entries of the vocabulary"});
  return Model{std::move(info), {{"b", "data"}, {"v", "model"}}, build_cross_entropy};
}

}  // namespace isoshard
