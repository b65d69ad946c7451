#include <utility>

#include "catalogue/models.h"
#include "parallel/layers/layers.h"

namespace isoshard {
namespace {

struct BlockGlobals {
  GlobalId x, gamma, beta, w1, w2;
};

BlockGlobals declare_block(Module& module, const ModelSettings& settings) {
  const int64_t d = settings.number("d"), f = settings.number("f");
  const GlobalId x =
      declare(module, "x", {settings.number("b"), settings.number("s"), d}, Role::input, InitKind::normal);
  const GlobalId gamma = declare(module, "gamma", {d}, Role::param, InitKind::ones);
  const GlobalId beta = declare(module, "beta", {d}, Role::param, InitKind::zeros);
  const GlobalId w1 = declare(module, "W1", {d, f}, Role::param, InitKind::lecun_normal);
  const GlobalId w2 = declare(module, "W2", {f, d}, Role::param, InitKind::lecun_normal);
  return {x, gamma, beta, w1, w2};
}

/// [b, s, k] x [k, n] -> [b, s, n].
ValueId project_tokens(ModelBuilder& m, ValueId x, ValueId w, std::string name, const Group& partial = {},
                       const Location& location = Location::here()) {
  return m.op(DotGeneral{{{2}, {0}}, partial.set(), {}}, {x, w}, std::move(name), location);
}

std::optional<ProgramId> build_dense_sp_norm(const BlockGlobals& g, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "norm_mlp", std::make_shared<const Mesh>(), sink);
  const ViewEntry all;
  const ValueId x = m.view(g.x, {all, all, all}, "x");
  const ValueId n = layer_norm(m, x, m.view(g.gamma, {all}, "gamma"), m.view(g.beta, {all}, "beta"), "n");
  const ValueId h = activate(m, Activation::silu, project_tokens(m, n, m.view(g.w1, {all, all}, "W1"), "z"), "h");
  const ValueId o = project_tokens(m, h, m.view(g.w2, {all, all}, "W2"), "o");
  m.output("y", m.add(o, x, "y"), {all, all, all});
  return m.finish();
}

/// States are {data, model}. Between the layers every device holds its own part of the sequence, so that the norm runs
/// on a part only and the two collectives together move what one all_reduce would (Korthikanti et al. 2022).
std::optional<ProgramId> build_sharded_sp_norm(const BlockGlobals& g, const std::shared_ptr<const Mesh>& mesh,
                                               Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "sp_norm", mesh, sink);
  const Group model = m.group("model");
  const ViewEntry all, over_data = m.split("data"), over_model = m.split("model");
  const ValueId x = m.view(g.x, {over_data, over_model, all}, "x");  // {V, V}
  const ValueId gamma = m.view(g.gamma, {all}, "gamma");             // {R, R} their gradients are partial over model
  const ValueId beta = m.view(g.beta, {all}, "beta");
  const ValueId n = layer_norm(m, x, gamma, beta, "n");                                    // {V, V}
  const ValueId whole = m.op(AllGather{model, 1, State::replicated}, {n}, "whole");        // {V, R}
  const ValueId z = project_tokens(m, whole, m.view(g.w1, {all, over_model}, "W1"), "z");  // {V, V} column parallel
  const ValueId h = activate(m, Activation::silu, z, "h");
  const ValueId p = project_tokens(m, h, m.view(g.w2, {over_model, all}, "W2"), "p", model);  // {V, P} row parallel
  const ValueId o = m.op(ReduceScatter{model, 1}, {p}, "o");  // {V, V} the own part of the sum
  m.output("y", m.add(o, x, "y"), {over_data, over_model, all});
  return m.finish();
}

bool build_sp_norm(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const BlockGlobals globals = declare_block(module, settings);
  const std::optional<ProgramId> sharded = build_sharded_sp_norm(globals, settings.mesh, module, sink);
  const std::optional<ProgramId> dense = build_dense_sp_norm(globals, module, sink);
  return add_check(module, sharded, dense);
}

}  // namespace

Model sp_norm_model() {
  ModelInfo info;
  info.name = "sp_norm";
  info.doc =
      "Sequence-parallel layer norm before a tensor-parallel MLP: sequence and features over `model`, batch over "
      "`data`";
  info.axes.push_back(AxisInfo{"data", 2, "splits the batch"});
  info.axes.push_back(AxisInfo{"model", 4, "splits the sequence, and the hidden features"});
  info.settings.push_back(SettingInfo{"b", 2, "data", {}, "sequences of the batch"});
  info.settings.push_back(SettingInfo{"s", 2, "model", {}, "positions of a sequence"});
  info.settings.push_back(SettingInfo{"d", 10, "", {}, "features in and out"});
  info.settings.push_back(SettingInfo{"f", 3, "model", {}, "hidden features"});
  return Model{std::move(info), {{"b", "data"}, {"s", "model"}, {"f", "model"}}, build_sp_norm};
}

}  // namespace isoshard
