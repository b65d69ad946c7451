#include <utility>

#include "catalogue/models.h"
#include "parallel/sharding/convert_params.h"
#include "parallel/tensor_parallel/tensor_parallel.h"

namespace isoshard {
namespace {

/// The layer of that name over the dense parameters, its columns over all devices being `features`.
ValueId run_layer(Scope& self, const std::string& layer, const Group& axis, int64_t features, ValueId x) {
  const int64_t devices = self.m().mesh().size(axis);
  const bool gathers = layer.find("gather") != std::string::npos;
  if (layer.compare(0, 5, "async") != 0) {
    TpDense sync{dense_fn(gathers ? features / devices : features), axis};
    sync.tp_mode = layer;
    return tp_dense(self, sync, x, "y");
  }
  TpAsyncDense async{dense_fn(features / devices), axis};
  async.tp_mode = gathers ? "gather" : "scatter";
  async.use_bidirectional_gather = layer == "async_gather_bidirectional";
  async.use_bidirectional_scatter = layer == "async_scatter_split";
  return tp_async_dense(self, async, x, "y");
}

TpLayout layout_of(const std::string& layer) {
  return layer == "gather"                ? TpLayout::gather
         : layer == "scatter"             ? TpLayout::scatter
         : layer == "async_scatter"       ? TpLayout::async_scatter
         : layer == "async_scatter_split" ? TpLayout::async_split
                                          : TpLayout::async_gather;
}

struct LayoutGlobals {
  GlobalId x, kernel, bias;
};

std::optional<ProgramId> build_sharded_layouts(const LayoutGlobals& g, const ModelSettings& settings, Module& module,
                                               DiagnosticSink& sink) {
  ModelBuilder m(module, "tp_layouts", settings.mesh, sink);
  const Group axis = layer_axis(settings);
  const bool over_data = axis.axes.size() == 1;
  const ViewEntry rows = over_data ? m.split("data") : ViewEntry{}, features{axis};
  const std::string& layer = settings.word("layer");
  Scope root(m, views_of_dense(layout_of(layer), axis, g.kernel, g.bias));
  const ValueId y = run_layer(root, layer, axis, settings.number("out"), m.view(g.x, {rows, features}, "x"));
  if (!y.valid()) return std::nullopt;
  m.output("y", y, {rows, features});
  return m.finish();
}

std::optional<ProgramId> build_dense_layouts(const LayoutGlobals& g, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "dense", std::make_shared<const Mesh>(), sink);
  const ValueId z = m.matmul(m.view(g.x, Layout(2), "x"), m.view(g.kernel, Layout(2), "kernel"));
  m.output("y", m.add(z, m.broadcast_rows(m.view(g.bias, Layout(1), "bias"), m.shape(z).front()), "y"), Layout(2));
  return m.finish();
}

bool build_tp_layouts(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const int64_t in = settings.number("in"), out = settings.number("out");
  const LayoutGlobals globals{declare(module, "x", {settings.number("b"), in}, Role::input, InitKind::normal),
                              declare(module, "kernel", {in, out}, Role::param, InitKind::lecun_normal),
                              declare(module, "bias", {out}, Role::param, InitKind::zeros)};
  const std::optional<ProgramId> sharded = build_sharded_layouts(globals, settings, module, sink);
  if (!sharded) return false;
  return add_check(module, sharded, build_dense_layouts(globals, module, sink));
}

}  // namespace

Model tp_layouts_model() {
  ModelInfo info;
  info.name = "tp_layouts";
  info.doc = "TPDense and TPAsyncDense in every mode over one dense kernel and bias, each equal to the dense layer";
  info.axes.push_back(AxisInfo{"data", 1, "splits the batch, or with `model` the layer"});
  info.axes.push_back(AxisInfo{"model", 4, "splits the layer"});
  info.settings.push_back(SettingInfo{
      "layer",
      0,
      "",
      {"gather", "scatter", "async_gather", "async_gather_bidirectional", "async_scatter", "async_scatter_split"},
      "which layer reads the dense parameters"});
  info.settings.push_back(layer_axis_setting());
  info.settings.push_back(SettingInfo{"b", 2, "data", {}, "rows of x"});
  info.settings.push_back(SettingInfo{"in", 840, "", {}, "features of x"});
  info.settings.push_back(SettingInfo{"out", 840, "", {}, "features of y"});
  return Model{std::move(info), {{"b", "data"}, {"in", "model"}, {"out", "model"}}, build_tp_layouts};
}

}  // namespace isoshard
