#include <cmath>
#include <utility>

#include "catalogue/loops/tp_transformer_loop.h"
#include "catalogue/models.h"
#include "parallel/module/scan_layers.h"
#include "parallel/tensor_parallel/tp_language_model.h"
#include "parallel/tensor_parallel/tp_transformer.h"
#include "parallel/training/init_program.h"

namespace isoshard {
namespace {

constexpr const char* kTpTransformer = "tp_transformer";

/// What the settings say.
struct LmCase {
  TpInputEmbedding input;
  TpTransformerBlock block;
  TpOutputLayer output;
  ViewEntry rows;
  int64_t devices = 1, layers = 1;
};

LmCase read_lm_case(const ModelSettings& settings) {
  LmCase c;
  const Group axis = layer_axis(settings);
  if (axis.axes.size() == 1) c.rows.axes.axes = {*settings.mesh->find("data")};
  c.devices = settings.mesh->size(axis);
  c.layers = settings.number("layers");
  const bool learned = settings.word("positions") == "learned";
  c.input = TpInputEmbedding{axis, settings.number("v"), settings.number("width"),
                             learned ? Positions::learned : Positions::sinusoidal};
  c.block.attention = TpMultiHeadAttention{axis, c.devices * settings.number("heads"), settings.number("head_dim")};
  c.block.mlp = TpMlpBlock{axis, c.devices * settings.number("hidden")};
  c.output = TpOutputLayer{axis, settings.number("v")};
  if (settings.word("head") == "lm") {
    c.output.use_bias = false;
    c.output.soft_cap = Rational(30);
  }
  return c;
}

std::optional<ProgramId> build_sharded_lm(const LmCase& c, GlobalId ids, Params& params, const ModelSettings& settings,
                                          Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, kTpTransformer, settings.mesh, sink);
  Scope root(m, params);
  Scope input = root.child("input_embedding"), backbone = root.child("backbone"), output = root.child("output_layer");
  const ModuleFn block = [&](Scope& self, ValueId v) { return tp_transformer_block(self, c.block, v); };
  const ValueId x = tp_input_embedding(input, c.input, m.view(ids, {c.rows, {}}, "ids"));
  const ValueId y =
      tp_output_layer(output, c.output, scan_layers(backbone.child("block"), c.layers, block, x), "logits");
  if (!y.valid()) return std::nullopt;
  m.output("logits", y, {c.rows, ViewEntry{c.input.axis}, {}});
  return m.finish();
}

/// Positions [positions, features] of all devices: sin and cos in turn, of position 10000^(-i / features).
ValueId sinusoids(ModelBuilder& m, int64_t positions, int64_t features) {
  std::vector<ValueId> columns;
  const ValueId position = m.op(Convert{DType::f32}, {m.op(Iota{DType::i32, {positions, 1}, 0}, {})});
  for (int64_t i = 0; i < features; ++i) {
    const auto rate = static_cast<double>(static_cast<float>(-std::log(10000.0) / static_cast<double>(features)));
    const ValueId even = m.op(Constant{Rational(i - i % 2), DType::f32, {positions, 1}}, {});
    const ValueId power = m.with_constant(Multiply{}, even, Rational::from_double(rate));
    const ValueId angle = m.multiply(position, m.op(Exponential{}, {power}));
    columns.push_back(i % 2 == 0 ? m.op(Sine{}, {angle}) : m.op(Cosine{}, {angle}));
  }
  return m.op(Concatenate{1}, columns);
}

/// Embeddings with positions: a slice of the features for each device.
DeviceValues embedded_ids(const LmCase& c, const DeviceLoop& loop, ValueId ids) {
  ModelBuilder& m = loop.m();
  const std::string path = "input_embedding/module/sharded/";
  DeviceValues positions;
  if (c.input.positions == Positions::learned) {
    positions = loop.each([&](int64_t d) { return loop.param(d, path + "pos_enc/pos_emb"); });
  } else {
    positions = loop.split(sinusoids(m, m.shape(ids)[1], c.devices * c.input.features));
  }
  return loop.each([&](int64_t d) {
    const ValueId x = m.op(Gather{0, 0}, {loop.param(d, path + "token_emb/embedding"), ids});
    return m.add(x, m.broadcast_like(positions[static_cast<size_t>(d)], {1, 2}, x));
  });
}

/// One layer after another, in each one device after another; all positions at once behind them.
std::optional<ProgramId> build_lm_loop(const LmCase& c, GlobalId ids, const Params& params,
                                       const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "loop", std::make_shared<const Mesh>(), sink);
  const DeviceLoop loop(m, params, settings.mesh, c.input.axis);
  const DeviceAttention attention{"backbone/block/attn", settings.number("heads"), settings.number("head_dim")};
  const DeviceMlp mlp{"backbone/block/mlp", Activation::silu, true};
  DeviceValues xs = embedded_ids(c, loop, m.view(ids, Layout(2), "ids"));
  for (int64_t l = 0; l < c.layers; ++l) xs = device_transformer_block(loop.layer(l), attention, mlp, xs);
  const ValueId normal = loop.rms_norm(0, "output_layer/out_norm", loop.join(xs));
  ValueId logits = device_dense()(loop, 0, "output_layer/output_layer", normal);
  if (c.output.soft_cap) {
    const ValueId bent = m.tanh(m.with_constant(Divide{}, logits, *c.output.soft_cap));
    logits = m.with_constant(Multiply{}, bent, *c.output.soft_cap);
  }
  m.output("logits", logits, Layout(3));
  return m.finish();
}

bool build_tp_transformer(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const LmCase c = read_lm_case(settings);
  const int64_t rows = settings.number("b") * settings.mesh->size(c.rows.axes);
  const GlobalId ids = declare_ids(module, "ids", {rows, c.devices * settings.number("s")});
  Params params;
  const std::optional<ProgramId> sharded = build_sharded_lm(c, ids, params, settings, module, sink);
  if (!sharded || !add_init_program(params, kTpTransformer, settings.mesh, module, sink)) return false;
  return add_check(module, sharded, build_lm_loop(c, ids, params, settings, module, sink));
}

}  // namespace

Model tp_transformer_model() {
  ModelInfo info;
  info.name = kTpTransformer;
  info.doc = "Transformer: embeddings split over `model`, blocks, logits with parameters sharded over `model` itself";
  info.axes.push_back(AxisInfo{"data", 1, "splits the batch, or with `model` the layers"});
  info.axes.push_back(AxisInfo{"model", 4, "splits features and heads, behind the blocks the positions"});
  info.settings.push_back(layer_axis_setting());
  info.settings.push_back(SettingInfo{"positions", 0, "", {"learned", "sinusoidal"}, "what is added to embeddings"});
  info.settings.push_back(
      SettingInfo{"head", 0, "", {"output", "lm"}, "output: TPOutputLayer; lm: TPLMHead, no bias, capped at 30"});
  info.settings.push_back(SettingInfo{"layers", 1, "", {}, "of the scan"});
  info.settings.push_back(SettingInfo{"b", 1, "", {}, "sequences of a device"});
  info.settings.push_back(SettingInfo{"s", 1, "", {}, "positions whose logits a device has"});
  info.settings.push_back(SettingInfo{"v", 5, "", {}, "entries of the vocabulary"});
  info.settings.push_back(SettingInfo{"width", 2, "", {}, "features of a device"});
  info.settings.push_back(SettingInfo{"heads", 1, "", {}, "heads of a device"});
  info.settings.push_back(SettingInfo{"head_dim", 2, "", {}, "features of a head"});
  info.settings.push_back(SettingInfo{"hidden", 2, "", {}, "features of the MLP that a device holds"});
  return Model{std::move(info), {}, build_tp_transformer};
}

}  // namespace isoshard
