#include <utility>

#include "catalogue/models.h"

namespace isoshard {
namespace {

/// What a twin does wrong.
enum class SiluTwin : uint8_t { none, wrong_sign, doubled, wrong_branch };

SiluTwin silu_mistake(const std::string& word) {
  if (word == "wrong_sign") return SiluTwin::wrong_sign;
  if (word == "doubled") return SiluTwin::doubled;
  return word == "wrong_branch" ? SiluTwin::wrong_branch : SiluTwin::none;
}

struct GatedGlobals {
  GlobalId x, gate, up, down;
};

GatedGlobals declare_gated_mlp(Module& module, int64_t b, int64_t d, int64_t f) {
  const GlobalId x = declare(module, "x", {b, d}, Role::input, InitKind::normal);
  const GlobalId gate = declare(module, "Wg", {d, f}, Role::param, InitKind::lecun_normal);
  const GlobalId up = declare(module, "Wu", {d, f}, Role::param, InitKind::lecun_normal);
  const GlobalId down = declare(module, "Wd", {f, d}, Role::param, InitKind::lecun_normal);
  return {x, gate, up, down};
}

/// (silu(x Wg) * (x Wu)) Wd (Shazeer 2020, SwiGLU).
std::optional<ProgramId> build_dense_gated(const GatedGlobals& g, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "swiglu", std::make_shared<const Mesh>(), sink);
  const ViewEntry all;
  const ValueId x = m.view(g.x, {all, all}, "x");
  const ValueId gate = m.matmul(x, m.view(g.gate, {all, all}, "Wg"), "gate");
  const ValueId up = m.matmul(x, m.view(g.up, {all, all}, "Wu"), "up");
  const ValueId h = m.multiply(activate(m, Activation::silu, gate, "active"), up, "h");
  m.output("y", m.matmul(h, m.view(g.down, {all, all}, "Wd"), "y"), {all, all});
  return m.finish();
}

/// z / (1 + exp(-z)): silu without logistic.
ValueId silu_by_exp(ModelBuilder& m, ValueId z, SiluTwin mistake, const Location& location = Location::here()) {
  ValueId exponent = mistake == SiluTwin::wrong_sign ? z : m.op(Negate{}, {z}, "", location);
  if (mistake == SiluTwin::doubled) exponent = m.add(exponent, exponent, "", location);
  const ValueId e = m.op(Exponential{}, {exponent}, "e", location);
  const ValueId denominator = m.with_constant(Add{}, e, Rational(1), "one_more", location);
  return m.op(Divide{}, {z, denominator}, "active", location);
}

/// States are {data, model}; gate and up are column parallel, down is row parallel.
std::optional<ProgramId> build_sharded_gated(const GatedGlobals& g, const ModelSettings& settings, Module& module,
                                             DiagnosticSink& sink) {
  ModelBuilder m(module, "silu_two_ways", settings.mesh, sink);
  const SiluTwin mistake = silu_mistake(settings.word("wrong"));
  const Group model = m.group("model");
  const ViewEntry all, over_data = m.split("data"), over_model = m.split("model");
  const ValueId x = m.view(g.x, {over_data, all}, "x", model);                   // {V, I}
  const ValueId xr = m.reinterpret(x, model, State::replicated, "xr");           // {V, R}
  ValueId gate = m.matmul(xr, m.view(g.gate, {all, over_model}, "Wg"), "gate");  // {V, V}
  ValueId up = m.matmul(xr, m.view(g.up, {all, over_model}, "Wu"), "up");        // {V, V}
  if (mistake == SiluTwin::wrong_branch) std::swap(gate, up);
  const ValueId h = m.multiply(silu_by_exp(m, gate, mistake), up, "h");                // {V, V}
  const ValueId p = m.matmul(h, m.view(g.down, {over_model, all}, "Wd"), "p", model);  // {V, P}
  m.output("y", m.all_reduce(p, model, State::invariant, "y"), {over_data, all});      // {V, I}
  return m.finish();
}

bool build_silu_two_ways(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const GatedGlobals globals =
      declare_gated_mlp(module, settings.number("b"), settings.number("d"), settings.number("f"));
  const std::optional<ProgramId> sharded = build_sharded_gated(globals, settings, module, sink);
  const std::optional<ProgramId> dense = build_dense_gated(globals, module, sink);
  return add_check(module, sharded, dense);
}

}  // namespace

Model silu_two_ways_model() {
  ModelInfo info;
  info.name = "silu_two_ways";
  info.doc = "Gated MLP over `model` whose silu is z / (1 + exp(-z)), against one whose silu is z logistic(z)";
  info.axes.push_back(AxisInfo{"data", 1, "splits the batch"});
  info.axes.push_back(AxisInfo{"model", 4, "splits the hidden features"});
  info.settings.push_back(SettingInfo{"b", 2, "data", {}, "rows of the batch"});
  info.settings.push_back(SettingInfo{"d", 6, "", {}, "features in and out"});
  info.settings.push_back(SettingInfo{"f", 2, "model", {}, "hidden features"});
  info.settings.push_back(SettingInfo{"wrong",
                                      0,
                                      "",
                                      {"no", "wrong_sign", "doubled", "wrong_branch"},
                                      "a mistake: wrong_sign, doubled or wrong_branch"});
  return Model{std::move(info), {{"b", "data"}, {"f", "model"}}, build_silu_two_ways};
}

}  // namespace isoshard
