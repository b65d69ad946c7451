#include <utility>

#include "catalogue/loops/device_loop.h"
#include "catalogue/models.h"
#include "parallel/tensor_parallel/tensor_parallel.h"
#include "parallel/training/init_program.h"

namespace isoshard {
namespace {

/// What the settings say.
struct DenseCase {
  TpDense layer;
  bool over_data = true;  ///< whether the batch is split over `data`
  int64_t devices = 1;    ///< of the layer's axis
  bool takes_all() const { return layer.tp_mode == "gather" && layer.skip_communication; }
  bool gives_terms() const { return layer.tp_mode == "scatter" && layer.skip_communication; }
};

DenseCase read_dense_case(const ModelSettings& settings) {
  DenseCase result;
  result.layer.dense_fn = dense_fn(settings.number("features"));
  result.layer.axis = layer_axis(settings);
  result.over_data = result.layer.axis.axes.size() == 1;
  result.devices = settings.mesh->size(result.layer.axis);
  result.layer.tp_mode = settings.word("mode");
  result.layer.skip_communication = settings.word("skip_communication") == "1";
  result.layer.use_bias = settings.word("use_bias") == "1";
  return result;
}

std::optional<ProgramId> build_sharded_dense(const DenseCase& c, GlobalId x, Params& params,
                                             const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "tp_dense", settings.mesh, sink);
  const ViewEntry all, rows = c.over_data ? m.split("data") : all, features{c.layer.axis};
  Scope root(m, params);
  const ValueId local = m.view(x, {rows, c.takes_all() ? all : features}, "x");
  const ValueId y = tp_dense(root, c.layer, local, c.gives_terms() ? "" : "y");
  if (!y.valid()) return std::nullopt;
  if (c.gives_terms()) {
    m.output("y", m.all_reduce(y, c.layer.axis, State::replicated, "sum"), {rows, all});
  } else {
    m.output("y", y, {rows, features});
  }
  return m.finish();
}

/// A loop over the devices of the axis; their results joined or added.
std::optional<ProgramId> build_dense_loop(const DenseCase& c, GlobalId x, const Params& params,
                                          const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "loop", std::make_shared<const Mesh>(), sink);
  const DeviceLoop loop(m, params, settings.mesh, c.layer.axis);
  const DeviceLayer layer;
  const ValueId whole = m.view(x, Layout(2), "x");
  const DeviceValues xs = c.takes_all() ? DeviceValues(static_cast<size_t>(c.devices), whole) : loop.split(whole);
  DeviceValues ys;
  if (c.layer.tp_mode == "none") {
    ys = loop.each([&](int64_t d) { return layer.fn(loop, d, "Dense_0", xs[static_cast<size_t>(d)]); });
  } else if (c.layer.skip_communication) {
    ys = loop.skip_communication(layer, xs);
  } else {
    ys = c.layer.tp_mode == "gather" ? loop.gather(layer, xs) : loop.scatter(layer, xs);
  }
  m.output("y", c.gives_terms() ? m.sum(ys) : loop.join(ys), Layout(2));
  return m.finish();
}

bool build_tp_dense(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const DenseCase c = read_dense_case(settings);
  const GlobalId x =
      declare(module, "x", {settings.number("b"), c.devices * settings.number("in")}, Role::input, InitKind::normal);
  Params params;
  const std::optional<ProgramId> sharded = build_sharded_dense(c, x, params, settings, module, sink);
  if (!sharded || !add_init_program(params, "tp_dense", settings.mesh, module, sink)) return false;
  return add_check(module, sharded, build_dense_loop(c, x, params, settings, module, sink));
}

}  // namespace

Model tp_dense_model() {
  ModelInfo info;
  info.name = "tp_dense";
  info.doc = "TPDense: a dense layer of which each device has columns (gather) or rows (scatter, one bias per device)";
  info.axes.push_back(AxisInfo{"data", 1, "splits the batch, or with `model` the layer"});
  info.axes.push_back(AxisInfo{"model", 4, "splits the layer"});
  info.settings.push_back(SettingInfo{"mode", 0, "", {"gather", "scatter", "none"}, "tp_mode"});
  info.settings.push_back(SettingInfo{"skip_communication", 0, "", {"0", "1"}, "gather: x is whole; scatter: no sum"});
  info.settings.push_back(SettingInfo{"use_bias", 0, "", {"1", "0"}, "of scatter one bias per device"});
  info.settings.push_back(layer_axis_setting());
  info.settings.push_back(SettingInfo{"b", 2, "data", {}, "rows of x"});
  info.settings.push_back(SettingInfo{"in", 3, "", {}, "features of x that a device holds"});
  info.settings.push_back(
      SettingInfo{"features", 4, "model", {}, "of dense_fn: columns of one device, in mode scatter of all"});
  return Model{std::move(info), {{"b", "data"}}, build_tp_dense};
}

}  // namespace isoshard
