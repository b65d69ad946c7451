#include <utility>

#include "catalogue/loops/tp_mlp_loop.h"
#include "catalogue/models.h"
#include "parallel/tensor_parallel/tp_mlp_block.h"
#include "parallel/training/init_program.h"

namespace isoshard {
namespace {

/// What the settings say.
struct MlpBlockCase {
  std::string name;
  TpMlpBlock block;
  bool async = false;
  bool over_data = true;  ///< whether the batch is split over `data`
};

std::optional<ProgramId> build_sharded_mlp_block(const MlpBlockCase& c, GlobalId x, Params& params,
                                                 const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, c.name, settings.mesh, sink);
  const ViewEntry rows = c.over_data ? m.split("data") : ViewEntry{}, features{c.block.axis};
  const ValueId local = m.view(x, {rows, features}, "x");
  Scope root(m, params);
  const ValueId y = c.async ? tp_async_mlp_block(root, c.block, local) : tp_mlp_block(root, c.block, local);
  if (!y.valid()) return std::nullopt;
  m.output("y", m.add(local, y, "y"), {rows, features});
  return m.finish();
}

std::optional<ProgramId> build_mlp_block_loop(const MlpBlockCase& c, GlobalId x, const Params& params,
                                              const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "loop", std::make_shared<const Mesh>(), sink);
  const DeviceLoop loop(m, params, settings.mesh, c.block.axis);
  const DeviceMlp mlp{"", c.block.activation, c.async, c.block.split_scatter};
  const ValueId whole = m.view(x, Layout(2), "x");
  m.output("y", m.add(whole, loop.join(device_mlp(loop, mlp, loop.split(whole))), "y"), Layout(2));
  return m.finish();
}

bool build_mlp_block(const MlpBlockCase& c, const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const GlobalId x = declare(module, "x", {settings.number("b"), settings.number("d")}, Role::input, InitKind::normal);
  Params params;
  const std::optional<ProgramId> sharded = build_sharded_mlp_block(c, x, params, settings, module, sink);
  if (!sharded || !add_init_program(params, c.name, settings.mesh, module, sink)) return false;
  return add_check(module, sharded, build_mlp_block_loop(c, x, params, settings, module, sink));
}

bool build_tp_async_mlp(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  MlpBlockCase c{"tp_async_mlp", TpMlpBlock{layer_axis(settings), settings.number("f")}, true};
  c.block.split_scatter = settings.word("split") == "1";
  c.over_data = settings.word("axis") == "model";
  return build_mlp_block(c, settings, module, sink);
}

}  // namespace

bool build_tp_mlp_split(const ModelSettings& settings, Activation activation, Module& module, DiagnosticSink& sink) {
  MlpBlockCase c{"tp_mlp", TpMlpBlock{layer_axis(settings), settings.number("f"), activation}};
  c.over_data = settings.word("axis") == "model";
  return build_mlp_block(c, settings, module, sink);
}

Model tp_async_mlp_model() {
  ModelInfo info;
  info.name = "tp_async_mlp";
  info.doc = "TPAsyncMLPBlock with a residual: norm over all features, gather and scatter as rings of permutes";
  info.axes.push_back(AxisInfo{"data", 1, "splits the batch, or with `model` the layers"});
  info.axes.push_back(AxisInfo{"model", 4, "splits the features, and is the ring"});
  info.settings.push_back(SettingInfo{"split", 0, "", {"0", "1"}, "scatter halves in opposite directions"});
  info.settings.push_back(layer_axis_setting());
  info.settings.push_back(SettingInfo{"b", 2, "data", {}, "rows of x"});
  info.settings.push_back(SettingInfo{"d", 24, "", {}, "features in and out"});
  info.settings.push_back(SettingInfo{"f", 24, "", {}, "hidden features"});
  return Model{std::move(info), {{"b", "data"}, {"d", "model"}, {"f", "model"}}, build_tp_async_mlp};
}

}  // namespace isoshard
