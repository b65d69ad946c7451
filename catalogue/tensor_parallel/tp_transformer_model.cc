#include <utility>

#include "catalogue/loops/tp_transformer_loop.h"
#include "catalogue/models.h"
#include "parallel/module/scan_layers.h"
#include "parallel/tensor_parallel/tp_transformer.h"
#include "parallel/training/init_program.h"

namespace isoshard {
namespace {

constexpr const char* kTpTransformerBlock = "tp_transformer_block";

/// What the settings say.
struct BlockCase {
  TpTransformerBlock block;
  ViewEntry rows;  ///< of x: over the axes that are not the block's
  int64_t devices = 1;
  int64_t layers = 1;
  bool parallel = false;
};

BlockCase read_block_case(const ModelSettings& settings) {
  const Mesh& mesh = *settings.mesh;
  const AxisId data = *mesh.find("data"), fsdp = *mesh.find("fsdp");
  BlockCase c;
  const Group axis = layer_axis(settings);
  c.rows.axes.axes = axis.axes.size() == 1 ? std::vector{data, fsdp} : std::vector{fsdp};
  c.devices = mesh.size(axis);
  c.layers = settings.number("layers");
  c.parallel = settings.word("parallel") == "1";
  c.block.attention = TpMultiHeadAttention{axis, c.devices * settings.number("heads"), settings.number("head_dim")};
  c.block.attention.causal = settings.word("causal") == "1";
  c.block.attention.normalize_qk = settings.word("normalize_qk") == "1";
  c.block.mlp = TpMlpBlock{axis, c.devices * settings.number("hidden")};
  c.block.attention.use_bidirectional_scatter = c.block.mlp.split_scatter = settings.word("split_scatter") == "1";
  if (settings.word("shard") == "1") c.block.fsdp = Group{{fsdp}};
  return c;
}

std::optional<ProgramId> build_sharded_block(const BlockCase& c, GlobalId x, Params& params,
                                             const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, kTpTransformerBlock, settings.mesh, sink);
  const Layout layout{c.rows, {}, ViewEntry{c.block.mlp.axis}};
  Scope root(m, params);
  const ModuleFn block = [&](Scope& self, ValueId v) {
    return c.parallel ? tp_transformer_parallel_block(self, c.block, v) : tp_transformer_block(self, c.block, v);
  };
  const ValueId y = scan_layers(root.child("block"), c.layers, block, m.view(x, layout, "x"), "y");
  if (!y.valid()) return std::nullopt;
  m.output("y", y, layout);
  return m.finish();
}

/// One layer after another, in each one device after another.
std::optional<ProgramId> build_block_loop(const BlockCase& c, GlobalId x, const Params& params,
                                          const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "loop", std::make_shared<const Mesh>(), sink);
  const DeviceLoop loop(m, params, settings.mesh, c.block.mlp.axis);
  const TpMultiHeadAttention& attention = c.block.attention;
  const DeviceAttention attn{"block/attn",     settings.number("heads"), settings.number("head_dim"),
                             attention.causal, attention.normalize_qk,   attention.use_bidirectional_scatter};
  const DeviceMlp mlp{"block/mlp", Activation::silu, true, c.block.mlp.split_scatter};
  DeviceValues xs = loop.split(m.view(x, Layout(3), "x"));
  for (int64_t l = 0; l < c.layers; ++l) {
    const DeviceLoop layer = loop.layer(l);
    xs = c.parallel ? device_parallel_block(layer, "block", attn, xs) : device_transformer_block(layer, attn, mlp, xs);
  }
  m.output("y", loop.join(xs), Layout(3));
  return m.finish();
}

bool build_transformer_block(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const BlockCase c = read_block_case(settings);
  const int64_t rows = settings.number("b") * settings.mesh->size(c.rows.axes);
  const GlobalId x = declare(module, "x", {rows, settings.number("s"), c.devices * settings.number("width")},
                             Role::input, InitKind::normal);
  Params params;
  const std::optional<ProgramId> sharded = build_sharded_block(c, x, params, settings, module, sink);
  if (!sharded || !add_init_program(params, kTpTransformerBlock, settings.mesh, module, sink)) return false;
  return add_check(module, sharded, build_block_loop(c, x, params, settings, module, sink));
}

}  // namespace

Model tp_transformer_block_model() {
  ModelInfo info;
  info.name = kTpTransformerBlock;
  info.doc = "TPTransformerBlock: attention with heads over `model` and an MLP, as rings of permutes, in a scan";
  info.axes.push_back(AxisInfo{"data", 1, "splits the batch, or with `model` the block"});
  info.axes.push_back(AxisInfo{"fsdp", 1, "splits the batch, and with shard=1 the parameters"});
  info.axes.push_back(AxisInfo{"model", 4, "the rings"});
  info.settings.push_back(layer_axis_setting());
  info.settings.push_back(
      SettingInfo{"parallel", 0, "", {"0", "1"}, "1: TPTransformerParallelBlock, attention and MLP side by side"});
  info.settings.push_back(SettingInfo{"causal", 0, "", {"1", "0"}, "1: a position sees no later one; 0: it sees all"});
  info.settings.push_back(SettingInfo{"normalize_qk", 0, "", {"0", "1"}, "norms of queries and keys in each shard"});
  info.settings.push_back(SettingInfo{"split_scatter", 0, "", {"0", "1"}, "scatter halves in opposite directions"});
  info.settings.push_back(SettingInfo{"shard", 0, "", {"0", "1"}, "shard_module_params over `fsdp`"});
  info.settings.push_back(SettingInfo{"layers", 1, "", {}, "of the scan"});
  info.settings.push_back(SettingInfo{"b", 1, "", {}, "sequences of a device"});
  info.settings.push_back(SettingInfo{"s", 3, "", {}, "positions of a sequence"});
  info.settings.push_back(SettingInfo{"width", 2, "", {}, "features of x that a device holds"});
  info.settings.push_back(SettingInfo{"heads", 1, "", {}, "heads of a device"});
  info.settings.push_back(SettingInfo{"head_dim", 2, "", {}, "features of a head"});
  info.settings.push_back(SettingInfo{"hidden", 2, "", {}, "features of the MLP that a device holds"});
  return Model{std::move(info), {}, build_transformer_block};
}

}  // namespace isoshard
