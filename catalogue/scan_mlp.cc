#include <utility>

#include "catalogue/models.h"
#include "parallel/layers/layers.h"

namespace isoshard {
namespace {

struct StackGlobals {
  GlobalId x, w1, b1, w2;
};

StackGlobals declare_stack(Module& module, const ModelSettings& settings) {
  const int64_t layers = settings.number("layers"), d = settings.number("d"), f = settings.number("f");
  const GlobalId x = declare(module, "x", {settings.number("b"), d}, Role::input, InitKind::normal);
  const GlobalId w1 = declare(module, "W1", {layers, d, f}, Role::param, InitKind::lecun_normal);
  const GlobalId b1 = declare(module, "b1", {layers, f}, Role::param, InitKind::zeros);
  const GlobalId w2 = declare(module, "W2", {layers, f, d}, Role::param, InitKind::lecun_normal);
  return {x, w1, b1, w2};
}

/// One layer: x + silu(x W1 + b1) W2; `reduce` finishes the sum over the hidden features.
template <class Enter, class Reduce>
ScanYield layer(ModelBuilder& m, const ScanArguments& in, const Enter& enter, const Reduce& reduce,
                const Group& partial) {
  const ValueId x = in.carries[0];
  const ValueId z = m.matmul(enter(x), in.slices[0], "z");
  if (!z.valid()) return {};
  const ValueId h = m.add(z, m.broadcast_rows(in.slices[1], m.shape(z).front()), "h");
  const ValueId a = activate(m, Activation::silu, h, "a");
  const ValueId o = reduce(m.matmul(a, in.slices[2], "p", partial));
  return ScanYield{{m.add(o, x, "next")}, {}, Location::here()};
}

/// The layers one after another, with their weights stacked along dimension 0.
template <class Enter, class Reduce>
ValueId run_stack(ModelBuilder& m, ValueId x, const std::vector<ValueId>& weights, const Enter& enter,
                  const Reduce& reduce, const Group& partial = {}) {
  ScanOperands operands;
  operands.initial = {x};
  operands.stacked = weights;
  operands.carry_names = {"x"};
  operands.slice_names = {"w1", "b1", "w2"};
  operands.result_names = {"y"};
  const ScanBody body = [&](const ScanArguments& in, bool) -> std::optional<ScanYield> {
    ScanYield yield = layer(m, in, enter, reduce, partial);
    if (yield.carries.empty()) return std::nullopt;
    return yield;
  };
  return m.builder().scan(operands, body).front();
}

std::optional<ProgramId> build_dense_stack(const StackGlobals& g, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "mlps", std::make_shared<const Mesh>(), sink);
  const ViewEntry all;
  const std::vector<ValueId> weights{m.view(g.w1, {all, all, all}, "W1"), m.view(g.b1, {all, all}, "b1"),
                                     m.view(g.w2, {all, all, all}, "W2")};
  const auto same = [](ValueId v) { return v; };
  m.output("y", run_stack(m, m.view(g.x, {all, all}, "x"), weights, same, same), {all, all});
  return m.finish();
}

/// States are {data, model}: the carried residual stream is I over `model`, as in tp_mlp.
std::optional<ProgramId> build_sharded_stack(const StackGlobals& g, const std::shared_ptr<const Mesh>& mesh,
                                             Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "scan_mlp", mesh, sink);
  const Group model = m.group("model");
  const ViewEntry all, over_data = m.split("data"), over_model = m.split("model");
  const std::vector<ValueId> weights{m.view(g.w1, {all, all, over_model}, "W1"), m.view(g.b1, {all, over_model}, "b1"),
                                     m.view(g.w2, {all, over_model, all}, "W2")};
  const auto enter = [&](ValueId v) { return m.reinterpret(v, model, State::replicated, "xr"); };
  const auto reduce = [&](ValueId v) { return m.all_reduce(v, model, State::invariant, "o"); };
  const ValueId x = m.view(g.x, {over_data, all}, "x", model);
  m.output("y", run_stack(m, x, weights, enter, reduce, model), {over_data, all});
  return m.finish();
}

bool build_scan_mlp(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const StackGlobals globals = declare_stack(module, settings);
  const std::optional<ProgramId> sharded = build_sharded_stack(globals, settings.mesh, module, sink);
  const std::optional<ProgramId> dense = build_dense_stack(globals, module, sink);
  return add_check(module, sharded, dense);
}

}  // namespace

Model scan_mlp_model() {
  ModelInfo info;
  info.name = "scan_mlp";
  info.doc = "A stack of residual MLP layers run by scan, stacked weights split over `model`, batch over `data`";
  info.axes.push_back(AxisInfo{"data", 2, "splits the batch"});
  info.axes.push_back(AxisInfo{"model", 4, "splits the hidden features"});
  info.settings.push_back(SettingInfo{"layers", 3, "", {}, "layers of the stack"});
  info.settings.push_back(SettingInfo{"b", 2, "data", {}, "rows of the batch"});
  info.settings.push_back(SettingInfo{"d", 10, "", {}, "features in and out"});
  info.settings.push_back(SettingInfo{"f", 3, "model", {}, "hidden features"});
  return Model{std::move(info), {{"b", "data"}, {"f", "model"}}, build_scan_mlp};
}

}  // namespace isoshard
