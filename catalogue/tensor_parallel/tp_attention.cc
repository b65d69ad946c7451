#include <cmath>
#include <utility>

#include "catalogue/models.h"
#include "core/support/check.h"
#include "parallel/layers/layers.h"

namespace isoshard {
namespace {

struct TpAttentionGlobals {
  GlobalId x, wq, wk, wv, wo;
};

TpAttentionGlobals declare_tp_attention(Module& module, const ModelSettings& settings) {
  const int64_t d = settings.number("d"), heads = settings.number("heads"), e = settings.number("e");
  const GlobalId x =
      declare(module, "x", {settings.number("b"), settings.number("s"), d}, Role::input, InitKind::normal);
  const GlobalId wq = declare(module, "Wq", {d, heads, e}, Role::param, InitKind::lecun_normal);
  const GlobalId wk = declare(module, "Wk", {d, heads, e}, Role::param, InitKind::lecun_normal);
  const GlobalId wv = declare(module, "Wv", {d, heads, e}, Role::param, InitKind::lecun_normal);
  const GlobalId wo = declare(module, "Wo", {heads, e, d}, Role::param, InitKind::lecun_normal);
  return {x, wq, wk, wv, wo};
}

struct Projections {
  ValueId wq, wk, wv, wo;
};

/// Causal attention over all heads that `w` holds, projected to the features of x: [b, s, d] -> [b, s, d], a term of
/// the sum over `partial` (Vaswani et al. 2017).
ValueId project_and_attend(ModelBuilder& m, ValueId x, const Projections& w, std::string name,
                           const Group& partial = {}, const Location& location = Location::here()) {
  const auto heads_of = [&](ValueId weight, const char* n) {
    return m.op(DotGeneral{{{2}, {0}}, {}, {}}, {x, weight}, n, location);  // [b, s, h, e]
  };
  const ValueId q = heads_of(w.wq, "q"), k = heads_of(w.wk, "k"), v = heads_of(w.wv, "v");
  if (!q.valid()) return {};
  const Rational scale = Rational::from_double(1 / std::sqrt(static_cast<double>(m.shape(q)[3])));
  const ValueId products =
      m.op(DotGeneral{{{3}, {3}}, {}, {{0, 2}, {0, 2}}}, {q, k}, "products", location);  // [b, h, s, t]
  const ValueId scores = m.with_constant(Multiply{}, products, scale, "scores", location);
  const ValueId mask = causal_mask(m, m.shape(x)[1], "causal", location);
  const ValueId visible = m.broadcast_like(mask, {2, 3}, scores, "visible", location);
  const ValueId hidden = m.constant_like(scores, Rational(-1000000000), "hidden", location);
  const ValueId masked = m.op(Select{}, {visible, scores, hidden}, "masked", location);
  const ValueId a = softmax(m, masked, "a", location);
  const ValueId mixed = m.op(DotGeneral{{{3}, {1}}, {}, {{0, 1}, {0, 2}}}, {a, v}, "mixed", location);  // [b, h, s, e]
  return m.op(DotGeneral{{{1, 3}, {0, 1}}, partial.set(), {}}, {mixed, w.wo}, std::move(name), location);
}

std::optional<ProgramId> build_dense_tp_attention(const TpAttentionGlobals& g, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "attention", std::make_shared<const Mesh>(), sink);
  const ViewEntry all;
  const Layout whole{all, all, all};
  const ValueId x = m.view(g.x, whole, "x");
  const Projections w{m.view(g.wq, whole, "Wq"), m.view(g.wk, whole, "Wk"), m.view(g.wv, whole, "Wv"),
                      m.view(g.wo, whole, "Wo")};
  m.output("y", m.add(project_and_attend(m, x, w, "o"), x, "y"), whole);
  return m.finish();
}

/// States are {data, model}: each device has its own heads, and the output projection sums over them.
std::optional<ProgramId> build_sharded_attention(const TpAttentionGlobals& g, const std::shared_ptr<const Mesh>& mesh,
                                                 Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "tp_attention", mesh, sink);
  const Group model = m.group("model");
  const ViewEntry all, over_data = m.split("data"), over_model = m.split("model");
  const Layout heads{all, over_model, all};
  const ValueId x = m.view(g.x, {over_data, all, all}, "x", model);     // {V, I}
  const ValueId xr = m.reinterpret(x, model, State::replicated, "xr");  // {V, R} backward: all_reduce over model
  const Projections w{m.view(g.wq, heads, "Wq"), m.view(g.wk, heads, "Wk"), m.view(g.wv, heads, "Wv"),
                      m.view(g.wo, {over_model, all, all}, "Wo")};
  const ValueId p = project_and_attend(m, xr, w, "p", model);       // {V, P}
  const ValueId o = m.all_reduce(p, model, State::invariant, "o");  // {V, I}
  m.output("y", m.add(o, x, "y"), {over_data, all, all});
  return m.finish();
}

bool build_tp_attention(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const TpAttentionGlobals globals = declare_tp_attention(module, settings);
  const std::optional<ProgramId> sharded = build_sharded_attention(globals, settings.mesh, module, sink);
  const std::optional<ProgramId> dense = build_dense_tp_attention(globals, module, sink);
  return add_check(module, sharded, dense);
}

}  // namespace

Model tp_attention_model() {
  ModelInfo info;
  info.name = "tp_attention";
  info.doc = "Causal self-attention with a residual: heads over `model`, batch over `data`";
  info.axes.push_back(AxisInfo{"data", 2, "splits the batch"});
  info.axes.push_back(AxisInfo{"model", 4, "splits the heads"});
  info.settings.push_back(SettingInfo{"b", 2, "data", {}, "sequences of the batch"});
  info.settings.push_back(SettingInfo{"s", 5, "", {}, "positions of a sequence"});
  info.settings.push_back(SettingInfo{"d", 12, "", {}, "features in and out"});
  info.settings.push_back(SettingInfo{"heads", 2, "model", {}, "heads"});
  info.settings.push_back(SettingInfo{"e", 3, "", {}, "features of a head"});
  return Model{std::move(info), {{"b", "data"}, {"heads", "model"}}, build_tp_attention};
}

}  // namespace isoshard
