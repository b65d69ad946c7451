#include <utility>

#include "catalogue/models.h"

namespace isoshard {
namespace {

struct MlpGlobals {
  GlobalId x, w1, b1, w2, b2;
};

MlpGlobals declare_mlp(Module& module, int64_t b, int64_t d, int64_t f) {
  const GlobalId x = declare(module, "x", {b, d}, Role::input, InitKind::normal);
  const GlobalId w1 = declare(module, "W1", {d, f}, Role::param, InitKind::lecun_normal);
  const GlobalId b1 = declare(module, "b1", {f}, Role::param, InitKind::zeros);
  const GlobalId w2 = declare(module, "W2", {f, d}, Role::param, InitKind::lecun_normal);
  const GlobalId b2 = declare(module, "b2", {d}, Role::param, InitKind::zeros);
  return {x, w1, b1, w2, b2};
}

std::optional<ProgramId> whole_mlp(const MlpGlobals& g, Activation activation, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "mlp", std::make_shared<const Mesh>(), sink);
  const ViewEntry all;
  const ValueId x = m.view(g.x, {all, all}, "x");
  const ValueId w1 = m.view(g.w1, {all, all}, "W1");
  const ValueId b1 = m.view(g.b1, {all}, "b1");
  const ValueId w2 = m.view(g.w2, {all, all}, "W2");
  const ValueId b2 = m.view(g.b2, {all}, "b2");
  const int64_t rows = m.shape(x).front();
  const ValueId h = m.add(m.matmul(x, w1), m.broadcast_rows(b1, rows), "h");
  const ValueId a = activate(m, activation, h, "a");
  const ValueId o = m.add(m.matmul(a, w2), m.broadcast_rows(b2, rows), "o");
  m.output("y", m.add(o, x, "y"), {all, all});
  return m.finish();
}

/// States are {data, model}. The residual stream is I over `model`: its gradient arrives complete on every device. With
/// the layer over both axes the batch is whole.
std::optional<ProgramId> build_sharded_tp_mlp(const MlpGlobals& g, Activation activation, const ModelSettings& settings,
                                              Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "tp_mlp", settings.mesh, sink);
  const Group model = layer_axis(settings);
  const ViewEntry all, over_data = model.axes.size() == 1 ? m.split("data") : all, over_model{model};
  const ValueId x = m.view(g.x, {over_data, all}, "x", model);
  const ValueId w1 = m.view(g.w1, {all, over_model}, "W1");
  const ValueId b1 = m.view(g.b1, {over_model}, "b1");
  const ValueId w2 = m.view(g.w2, {over_model, all}, "W2");
  const ValueId b2 = m.view(g.b2, {all}, "b2", model);
  if (!x.valid()) return std::nullopt;
  const int64_t rows = m.shape(x).front();
  const ValueId xr = m.reinterpret(x, model, State::replicated, "xr");  // {V, R} backward: all_reduce over model
  const ValueId z = m.matmul(xr, w1, "z");                              // {V, V} column parallel
  const ValueId h = m.add(z, m.broadcast_rows(b1, rows), "h");          // {V, V}
  const ValueId a = activate(m, activation, h, "a");                    // {V, V}
  const ValueId p = m.matmul(a, w2, "p", model);                        // {V, P} row parallel: terms of a sum
  const ValueId r = m.all_reduce(p, model, State::invariant, "r");      // {V, I}
  const ValueId o = m.add(r, m.broadcast_rows(b2, rows), "o");          // {V, I} after the sum, so counted once
  m.output("y", m.add(o, x, "y"), {over_data, all});
  return m.finish();
}

bool build_tp_mlp(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const Activation activation = settings.word("activation") == "gelu" ? Activation::gelu : Activation::silu;
  if (settings.word("residual") == "split") return build_tp_mlp_split(settings, activation, module, sink);
  const MlpGlobals globals = declare_mlp(module, settings.number("b"), settings.number("d"), settings.number("f"));
  const std::optional<ProgramId> sharded = build_sharded_tp_mlp(globals, activation, settings, module, sink);
  const std::optional<ProgramId> dense = whole_mlp(globals, activation, module, sink);
  return add_check(module, sharded, dense);
}

}  // namespace

Model tp_mlp_model() {
  ModelInfo info;
  info.name = "tp_mlp";
  info.doc = "MLP with a residual: first layer column parallel, second row parallel over `model`, batch over `data`";
  info.axes.push_back(AxisInfo{"data", 2, "splits the batch"});
  info.axes.push_back(AxisInfo{"model", 4, "splits the hidden features"});
  info.settings.push_back(SettingInfo{"b", 4, "data", {}, "rows of the batch"});
  info.settings.push_back(SettingInfo{"d", 840, "", {}, "features in and out"});
  info.settings.push_back(SettingInfo{"f", 840, "", {}, "hidden features"});
  info.settings.push_back(SettingInfo{"activation", 0, "", {"gelu", "silu"}, "between the layers; gelu in tanh form"});
  info.settings.push_back(SettingInfo{"residual",
                                      0,
                                      "",
                                      {"whole", "split"},
                                      "every device has all features of x, or its own: TPMLPBlock, with a norm"});
  info.settings.push_back(layer_axis_setting());
  return Model{std::move(info), {{"b", "data"}, {"f", "model"}}, build_tp_mlp};
}

}  // namespace isoshard
