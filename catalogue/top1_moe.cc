#include <utility>

#include "catalogue/models.h"
#include "parallel/layers/layers.h"

namespace isoshard {
namespace {

/// What a twin does wrong.
enum class MoeTwin : uint8_t { none, shifted_experts, no_gate, local_argmax, slots_from_one };

MoeTwin moe_mistake(const std::string& word) {
  if (word == "shifted_experts") return MoeTwin::shifted_experts;
  if (word == "no_gate") return MoeTwin::no_gate;
  if (word == "local_argmax") return MoeTwin::local_argmax;
  return word == "slots_from_one" ? MoeTwin::slots_from_one : MoeTwin::none;
}

struct Top1MoeGlobals {
  GlobalId x, gate, w1, w2;
};

Top1MoeGlobals declare_top1_moe(Module& module, const ModelSettings& settings) {
  const int64_t t = settings.number("t"), n = settings.number("n"), d = settings.number("d"), f = settings.number("f");
  const GlobalId x = declare(module, "x", {t, d}, Role::input, InitKind::normal);
  const GlobalId gate = declare(module, "gate", {d, n}, Role::param, InitKind::lecun_normal);
  const GlobalId w1 = declare(module, "W1", {n, d, f}, Role::param, InitKind::lecun_normal);
  const GlobalId w2 = declare(module, "W2", {n, f, d}, Role::param, InitKind::lecun_normal);
  return {x, gate, w1, w2};
}

/// For every token the expert that it goes to, its place among the tokens of its group for that expert, from 0 on,
/// both i32[t], and the weight of the answer, f32[t].
struct Top1Routing {
  ValueId expert, slot, weight;
};

/// The index of the largest logit of each row; of equal ones the first: i32[t].
ValueId argmax(ModelBuilder& m, ValueId logits, std::string name, const Location& location = Location::here()) {
  if (!logits.valid()) return {};
  return m.builder().append(Reduce{Reducer::argmax, {1}, {}}, {logits}, {"", std::move(name)}, location).back();
}

/// argmax among the experts of this device only: a mistake.
ValueId local_argmax(ModelBuilder& m, ValueId logits, const Group& axis) {
  if (!logits.valid()) return {};
  const int64_t tokens = m.shape(logits)[0], own = m.shape(logits)[1] / m.builder().mesh().size(axis);
  const ValueId first = m.with_constant(Multiply{}, m.op(AxisIndex{axis}, {}), Rational(own), "first");
  const ValueId zero = m.op(Constant{Rational(0), DType::i32, {}}, {});
  const ValueId logits_here = m.op(DynamicSlice{{tokens, own}}, {logits, zero, first}, "own_logits");
  const ValueId best = argmax(m, logits_here, "own_expert");
  return m.add(best, m.broadcast_like(first, {}, best), "expert");
}

/// The place of every token in the row of those of its group that chose the same expert: `groups` groups of
/// consecutive tokens, i32[t].
ValueId slots(ModelBuilder& m, ValueId expert, ValueId logits, int64_t groups, MoeTwin mistake,
              const Location& location = Location::here()) {
  const Shape shape = m.shape(logits);
  const ValueId numbers = m.op(Iota{DType::i32, shape, 1}, {}, "", location);
  const ValueId wanted = m.broadcast_like(expert, {0}, numbers, "", location);
  const ValueId chosen = m.op(Compare{Direction::eq}, {numbers, wanted}, "chosen", location);
  const ValueId ones = m.op(Convert{DType::i32}, {chosen}, "", location);
  const ValueId grouped = m.op(Reshape{{groups, shape[0] / groups, shape[1]}}, {ones}, "", location);
  const ValueId counts = m.op(Reshape{shape}, {m.op(Cumsum{1}, {grouped}, "", location)}, "counts", location);
  const ValueId own = m.multiply(counts, ones, "", location);
  if (mistake == MoeTwin::slots_from_one) return m.op(Reduce{Reducer::add, {1}, {}}, {own}, "slot", location);
  const ValueId from_one = m.op(Reduce{Reducer::add, {1}, {}}, {own}, "", location);
  return m.with_constant(Subtract{}, from_one, Rational(1), "slot", location);
}

/// Each token goes to the expert with the largest logit; the answer is weighted with the softmax probability of that
/// expert (Fedus et al. 2021).
Top1Routing route_top1(ModelBuilder& m, ValueId x, ValueId gate, int64_t groups, const Group& axis, MoeTwin mistake) {
  const ValueId logits = m.matmul(x, gate, "logits");
  if (!logits.valid()) return {};
  const ValueId expert = mistake == MoeTwin::local_argmax ? local_argmax(m, logits, axis) : argmax(m, logits, "expert");
  const ValueId probabilities = softmax(m, logits, "probabilities");
  const ValueId weight = m.op(Gather{1, 1}, {probabilities, expert}, "weight");
  return {expert, slots(m, expert, logits, groups, mistake), weight};
}

/// One expert after another on all tokens; those that did not choose it, or came too late, are weighted with 0.
std::optional<ProgramId> build_dense_top1_moe(const Top1MoeGlobals& g, const ModelSettings& settings, Module& module,
                                              DiagnosticSink& sink) {
  ModelBuilder m(module, "moe", std::make_shared<const Mesh>(), sink);
  const ViewEntry all;
  const int64_t n = settings.number("n"), d = settings.number("d"), f = settings.number("f");
  const ValueId x = m.view(g.x, {all, all}, "x"), gate = m.view(g.gate, {all, all}, "gate");
  const ValueId w1 = m.view(g.w1, {all, all, all}, "W1"), w2 = m.view(g.w2, {all, all, all}, "W2");
  const Top1Routing routing = route_top1(m, x, gate, settings.mesh->device_count(), {}, MoeTwin::none);
  const ValueId in_time =
      m.with_constant(Compare{Direction::lt}, routing.slot, Rational(settings.number("c")), "in_time");
  const auto weights_of = [&](ValueId stack, int64_t e, const Shape& shape) {
    const ValueId one = m.op(Slice{{e, 0, 0}, {e + 1, shape[0], shape[1]}, {}}, {stack});
    return m.op(Reshape{shape}, {one});
  };
  std::vector<ValueId> terms{x};
  for (int64_t e = 0; e < n; ++e) {
    const ValueId hidden = m.matmul(x, weights_of(w1, e, {d, f}));
    const ValueId answer = m.matmul(activate(m, Activation::silu, hidden, ""), weights_of(w2, e, {f, d}));
    const ValueId chosen = m.with_constant(Compare{Direction::eq}, routing.expert, Rational(e));
    const ValueId takes = m.op(Convert{DType::f32}, {m.op(And{}, {chosen, in_time})});
    const ValueId weight = m.multiply(takes, routing.weight);
    terms.push_back(m.multiply(answer, m.broadcast_like(weight, {0}, answer)));
  }
  m.output("y", m.sum(terms, "y"), {all, all});
  return m.finish();
}

/// f32[experts, capacity, tokens]: 1 where the token has that slot of that expert. Tokens beyond the capacity have
/// none.
ValueId dispatch_mask(ModelBuilder& m, const Top1Routing& routing, const Shape& shape,
                      const Location& location = Location::here()) {
  const auto same = [&](ValueId numbers, int64_t dim) {
    const ValueId iota = m.op(Iota{DType::i32, shape, dim}, {}, "", location);
    return m.op(Compare{Direction::eq}, {iota, m.broadcast_like(numbers, {2}, iota, "", location)}, "", location);
  };
  const ValueId both = m.op(And{}, {same(routing.expert, 0), same(routing.slot, 1)}, "", location);
  return m.op(Convert{DType::f32}, {both}, "dispatch", location);
}

/// Tokens and experts are split over `expert`. Every device fills the slots of all experts with its own tokens, one
/// all_to_all brings the slots to their experts, another one the answers back. Everything but the gate is V.
std::optional<ProgramId> build_sharded_top1_moe(const Top1MoeGlobals& g, const ModelSettings& settings, Module& module,
                                                DiagnosticSink& sink) {
  ModelBuilder m(module, "top1_moe", settings.mesh, sink);
  const MoeTwin mistake = moe_mistake(settings.word("wrong"));
  const Group axis = m.group("expert");
  const ViewEntry all, own = m.split("expert"), block = m.split("expert", mistake == MoeTwin::shifted_experts ? 1 : 0);
  const ValueId x = m.view(g.x, {own, all}, "x");  // [t/k, d]
  const Top1Routing routing = route_top1(m, x, m.view(g.gate, {all, all}, "gate"), 1, axis, mistake);
  if (!routing.slot.valid()) return std::nullopt;
  const ValueId dispatch = dispatch_mask(m, routing, {settings.number("n"), settings.number("c"), m.shape(x)[0]});
  const ValueId sent = m.op(DotGeneral{{{2}, {0}}, {}, {}}, {dispatch, x}, "sent");  // [n, c, d]
  const ValueId arrived = m.op(AllToAll{axis, 0, 1}, {sent}, "arrived");             // [n/k, k c, d]
  const ValueId answers =
      expert_mlps(m, arrived, m.view(g.w1, {block, all, all}, "W1"), m.view(g.w2, {block, all, all}, "W2"));
  const ValueId back = m.op(AllToAll{axis, 1, 0}, {answers}, "back");                           // [n, c, d]
  ValueId combined = m.op(DotGeneral{{{0, 1}, {0, 1}}, {}, {}}, {dispatch, back}, "combined");  // [t/k, d]
  if (mistake != MoeTwin::no_gate) {
    combined = m.multiply(combined, m.broadcast_like(routing.weight, {0}, combined), "weighted");
  }
  m.output("y", m.add(x, combined, "y"), {own, all});
  return m.finish();
}

bool build_top1_moe(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const Top1MoeGlobals globals = declare_top1_moe(module, settings);
  const std::optional<ProgramId> sharded = build_sharded_top1_moe(globals, settings, module, sink);
  const std::optional<ProgramId> dense = build_dense_top1_moe(globals, settings, module, sink);
  return add_check(module, sharded, dense);
}

}  // namespace

Model top1_moe_model() {
  ModelInfo info;
  info.name = "top1_moe";
  info.doc = "Mixture of experts with top-1 routing and a capacity: slots travel over `expert` by all_to_all";
  info.axes.push_back(AxisInfo{"expert", 4, "splits the tokens, one group each, and the experts"});
  info.settings.push_back(SettingInfo{"t", 6, "expert", {}, "tokens"});
  info.settings.push_back(SettingInfo{"n", 2, "expert", {}, "experts"});
  info.settings.push_back(SettingInfo{"c", 2, "", {}, "slots that an expert has per group; later tokens pass it by"});
  info.settings.push_back(SettingInfo{"d", 5, "", {}, "features of a token"});
  info.settings.push_back(SettingInfo{"f", 4, "", {}, "hidden features of an expert"});
  info.settings.push_back(SettingInfo{"wrong",
                                      0,
                                      "",
                                      {"no", "shifted_experts", "no_gate", "local_argmax", "slots_from_one"},
                                      "a mistake: shifted_experts, no_gate, local_argmax or slots_from_one"});
  return Model{std::move(info), {{"t", "expert"}, {"n", "expert"}}, build_top1_moe};
}

}  // namespace isoshard
