#include <utility>

#include "catalogue/loops/device_loop.h"
#include "catalogue/models.h"
#include "parallel/tensor_parallel/tensor_parallel.h"
#include "parallel/training/init_program.h"

namespace isoshard {
namespace {

/// What the settings say.
struct AsyncCase {
  TpAsyncDense layer;
  bool over_data = true;  ///< whether the batch is split over `data`
  int64_t devices = 1;    ///< of the layer's axis
};

AsyncCase read_async_case(const ModelSettings& settings) {
  AsyncCase result;
  result.layer.dense_fn = dense_fn(settings.number("features"));
  result.layer.axis = layer_axis(settings);
  result.over_data = result.layer.axis.axes.size() == 1;
  result.devices = settings.mesh->size(result.layer.axis);
  result.layer.tp_mode = settings.word("mode");
  result.layer.use_bidirectional_gather = result.layer.use_bidirectional_scatter =
      settings.word("bidirectional") == "1";
  result.layer.use_bias = settings.word("use_bias") == "1";
  return result;
}

std::optional<ProgramId> build_sharded_async(const AsyncCase& c, GlobalId x, Params& params,
                                             const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "tp_async_dense", settings.mesh, sink);
  const ViewEntry rows = c.over_data ? m.split("data") : ViewEntry{}, features{c.layer.axis};
  Scope root(m, params);
  const ValueId y = tp_async_dense(root, c.layer, m.view(x, {rows, features}, "x"), "y");
  if (!y.valid()) return std::nullopt;
  m.output("y", y, {rows, features});
  return m.finish();
}

/// The layer as a loop over devices: who multiplies what with which shard, and who adds it up.
std::optional<ProgramId> build_async_loop(const AsyncCase& c, GlobalId x, const Params& params,
                                          const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "loop", std::make_shared<const Mesh>(), sink);
  const DeviceLoop loop(m, params, settings.mesh, c.layer.axis);
  const DeviceLayer layer;
  const DeviceValues xs = loop.split(m.view(x, Layout(2), "x"));
  DeviceValues ys;
  if (c.layer.tp_mode == "none") {
    ys = loop.each([&](int64_t d) { return layer.fn(loop, d, "shard_0", xs[static_cast<size_t>(d)]); });
  } else if (c.layer.tp_mode == "gather") {
    ys = loop.async_gather(layer, xs);
  } else {
    ys = c.layer.use_bidirectional_scatter ? loop.async_scatter_split(layer, xs) : loop.async_scatter(layer, xs);
  }
  m.output("y", loop.join(ys), Layout(2));
  return m.finish();
}

bool build_tp_async_dense(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const AsyncCase c = read_async_case(settings);
  const GlobalId x =
      declare(module, "x", {settings.number("b"), c.devices * settings.number("in")}, Role::input, InitKind::normal);
  Params params;
  const std::optional<ProgramId> sharded = build_sharded_async(c, x, params, settings, module, sink);
  if (!sharded || !add_init_program(params, "tp_async_dense", settings.mesh, module, sink)) return false;
  return add_check(module, sharded, build_async_loop(c, x, params, settings, module, sink));
}

}  // namespace

Model tp_async_dense_model() {
  ModelInfo info;
  info.name = "tp_async_dense";
  info.doc = "TPAsyncDense: a dense layer as a ring of permutes beside one block product per device";
  info.axes.push_back(AxisInfo{"data", 1, "splits the batch, or with `model` the layer"});
  info.axes.push_back(AxisInfo{"model", 4, "the ring"});
  info.settings.push_back(SettingInfo{"mode", 0, "", {"gather", "scatter", "none"}, "tp_mode"});
  info.settings.push_back(
      SettingInfo{"bidirectional", 0, "", {"0", "1"}, "gather from both sides; scatter halves in opposite directions"});
  info.settings.push_back(SettingInfo{"use_bias", 0, "", {"1", "0"}, "of shard_0"});
  info.settings.push_back(layer_axis_setting());
  info.settings.push_back(SettingInfo{"b", 2, "data", {}, "rows of x"});
  info.settings.push_back(SettingInfo{"in", 3, "", {}, "features of x that a device holds"});
  info.settings.push_back(SettingInfo{"features", 5, "", {}, "of dense_fn: columns of y that a device holds"});
  return Model{std::move(info), {{"b", "data"}}, build_tp_async_dense};
}

}  // namespace isoshard
