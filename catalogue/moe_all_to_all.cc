#include <utility>

#include "catalogue/models.h"
#include "parallel/layers/layers.h"

namespace isoshard {
namespace {

struct MoeGlobals {
  GlobalId x, gate, w1, w2;
};

/// How one row of the gate's choice weighs each expert: [t, n] one-hot, and times its probability.
struct Routing {
  ValueId one_hot, weights;
};

/// Each token goes to the expert with the largest logit, weighted with its softmax probability (Fedus et al. 2021,
/// without a capacity: no token is dropped).
Routing route(ModelBuilder& m, ValueId x, ValueId gate, const Location& location = Location::here()) {
  const ValueId logits = m.matmul(x, gate, "logits", {}, location);
  if (!logits.valid()) return {};
  const std::vector<ValueId> best =
      m.builder().append(Reduce{Reducer::argmax, {1}, {}}, {logits}, {"best", "expert"}, location);
  const ValueId numbers = m.op(Iota{DType::i32, m.shape(logits), 1}, {}, "numbers", location);
  const ValueId chosen = m.broadcast_like(best.back(), {0}, logits, "chosen", location);
  const ValueId is_chosen = m.op(Compare{Direction::eq}, {numbers, chosen}, "is_chosen", location);
  const ValueId one_hot = m.op(Convert{DType::f32}, {is_chosen}, "one_hot", location);
  return {one_hot, m.multiply(one_hot, softmax(m, logits, "probabilities", location), "weights", location)};
}

/// Every expert sees every token; the weights of those that a token did not choose are 0.
std::optional<ProgramId> build_dense_moe(const MoeGlobals& g, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "moe", std::make_shared<const Mesh>(), sink);
  const ViewEntry all;
  const Layout whole{all, all, all};
  const ValueId x = m.view(g.x, {all, all}, "x");
  const ValueId w1 = m.view(g.w1, whole, "W1"), w2 = m.view(g.w2, whole, "W2");
  const Routing routing = route(m, x, m.view(g.gate, {all, all}, "gate"));
  if (!routing.weights.valid() || !w1.valid()) return std::nullopt;
  const Shape everywhere{m.shape(w1)[0], m.shape(x)[0], m.shape(x)[1]};
  const ValueId tokens = m.op(BroadcastInDim{{1, 2}, everywhere}, {x}, "tokens");
  const ValueId answers = expert_mlps(m, tokens, w1, w2);
  m.output("y", m.op(DotGeneral{{{1}, {0}}, {}, {{0}, {1}}}, {routing.weights, answers}, "y"), {all, all});
  return m.finish();
}

/// Tokens and experts are split over `expert`: each device routes its own tokens, one all_to_all brings them to their
/// experts (rows of zeros where a token goes elsewhere), another one brings the answers back.
std::optional<ProgramId> build_sharded_moe(const MoeGlobals& g, const std::shared_ptr<const Mesh>& mesh, Module& module,
                                           DiagnosticSink& sink) {
  ModelBuilder m(module, "moe_all_to_all", mesh, sink);
  const Group expert = m.group("expert");
  const ViewEntry all, own = m.split("expert");
  const ValueId x = m.view(g.x, {own, all}, "x");                           // {V}
  const Routing routing = route(m, x, m.view(g.gate, {all, all}, "gate"));  // {V}
  if (!routing.one_hot.valid()) return std::nullopt;
  const Shape sent_shape{m.shape(routing.one_hot)[1], m.shape(x)[0], m.shape(x)[1]};
  const ValueId copies = m.op(BroadcastInDim{{1, 2}, sent_shape}, {x}, "copies");
  const ValueId mask = m.op(BroadcastInDim{{1, 0}, sent_shape}, {routing.one_hot}, "mask");
  const ValueId sent = m.multiply(copies, mask, "sent");                    // [n, t/k, d]
  const ValueId arrived = m.op(AllToAll{expert, 0, 1}, {sent}, "arrived");  // [n/k, t, d]
  const ValueId answers =
      expert_mlps(m, arrived, m.view(g.w1, {own, all, all}, "W1"), m.view(g.w2, {own, all, all}, "W2"));
  const ValueId back = m.op(AllToAll{expert, 1, 0}, {answers}, "back");  // [n, t/k, d]
  m.output("y", m.op(DotGeneral{{{1}, {0}}, {}, {{0}, {1}}}, {routing.weights, back}, "y"), {own, all});
  return m.finish();
}

bool build_moe_all_to_all(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const int64_t t = settings.number("t"), n = settings.number("n"), d = settings.number("d"), f = settings.number("f");
  const GlobalId x = declare(module, "x", {t, d}, Role::input, InitKind::normal);
  const GlobalId gate = declare(module, "gate", {d, n}, Role::param, InitKind::lecun_normal);
  const GlobalId w1 = declare(module, "W1", {n, d, f}, Role::param, InitKind::lecun_normal);
  const GlobalId w2 = declare(module, "W2", {n, f, d}, Role::param, InitKind::lecun_normal);
  const MoeGlobals globals{x, gate, w1, w2};
  const std::optional<ProgramId> sharded = build_sharded_moe(globals, settings.mesh, module, sink);
  const std::optional<ProgramId> dense = build_dense_moe(globals, module, sink);
  return add_check(module, sharded, dense);
}

}  // namespace

Model moe_all_to_all_model() {
  ModelInfo info;
  info.name = "moe_all_to_all";
  info.doc = "Mixture of experts with top-1 routing: tokens and experts over `expert`, exchanged by all_to_all";
  info.axes.push_back(AxisInfo{"expert", 4, "splits the tokens and the experts"});
  info.settings.push_back(SettingInfo{"t", 3, "expert", {}, "tokens"});
  info.settings.push_back(SettingInfo{"n", 2, "expert", {}, "experts"});
  info.settings.push_back(SettingInfo{"d", 5, "", {}, "features of a token"});
  info.settings.push_back(SettingInfo{"f", 4, "", {}, "hidden features of an expert"});
  return Model{std::move(info), {{"t", "expert"}, {"n", "expert"}}, build_moe_all_to_all};
}

}  // namespace isoshard
