#include <utility>

#include "catalogue/loops/device_loop.h"
#include "catalogue/models.h"
#include "parallel/layers/norms.h"
#include "parallel/sharding/array_utils.h"
#include "parallel/sharding/shard_module_params.h"
#include "parallel/tensor_parallel/tensor_parallel.h"
#include "parallel/training/init_program.h"

namespace isoshard {
namespace {

constexpr const char* kToyModel = "toy_model";

/// The axes of the mesh, and over which of them parameters are sharded.
struct Axes {
  Group fsdp, pp, tp;
  Group batch;  ///< of x
  Group all;    ///< of what comes out

  Axes(const ModelBuilder& m, const ModelSettings& settings)
      : pp(m.group("pp")), tp(m.group("tp")), batch(m.group("dp")) {
    batch.axes.push_back(m.group("fsdp").axes.front());
    fsdp = settings.word("fsdp_axis") == "fsdp" ? m.group("fsdp") : batch;
    all = batch;
    for (const Group& axis : {pp, tp}) all.axes.push_back(axis.axes.front());
  }
};

/// The prediction for the rows of each device.
ValueId predict(Scope& root, const Axes& axes, const ModelSettings& settings, ValueId x) {
  ModelBuilder& m = root.m();
  const int64_t width = settings.number("width"), min_weight_size = settings.number("min_weight_size");
  const auto sharded = [&](const std::string& name, const ModuleFn& module_fn, ValueId v) {
    Scope scope = root.child(name);
    return shard_module_params(scope, axes.fsdp, module_fn, v, min_weight_size);
  };
  Scope input = root.child("input_layer"), norm = root.child("input_norm");
  ValueId h = tp_dense(input, TpDense{dense_fn(width), axes.tp, "gather", true}, x);
  const ModuleFn normalize = [&](Scope& scope, ValueId v) { return layer_norm(scope, LayerNorm{axes.tp}, v); };
  h = activate(m, Activation::silu, model_parallelism_wrapper(norm, axes.tp, normalize, h), "");
  const ModuleFn hidden = [&](Scope& scope, ValueId v) {
    return tp_dense(scope, TpDense{dense_fn(width), axes.tp, "gather"}, v);
  };
  h = activate(m, Activation::silu, sharded("hidden_layer", hidden, h), "");
  h = m.all_gather(h, axes.tp, 1);
  for (const Group& axis : {axes.pp, axes.tp})
    h = as_state(m, split_array_over_mesh(m, h, axis, 0), axis, State::varying);
  const ModuleFn output = [&](Scope& scope, ValueId v) { return dense(scope, Dense{1}, v, "y"); };
  return sharded("output_layer", output, h);
}

/// The mean of (y - target)^2 / 2 over rows [.., rows, 1], without the last two dimensions.
ValueId half_mean_square(ModelBuilder& m, ValueId y, ValueId target) {
  if (!y.valid()) return {};
  const ValueId difference = m.op(Subtract{}, {y, target});
  const ValueId half = m.with_constant(Multiply{}, m.multiply(difference, difference), Rational(1, 2));
  const int64_t rank = std::ssize(m.shape(y));
  const ValueId sum = m.op(Reduce{Reducer::add, {rank - 2, rank - 1}, {}}, {half});
  return m.with_constant(Divide{}, sum, Rational(m.shape(y)[static_cast<size_t>(rank) - 2]));
}

struct ToyGlobals {
  GlobalId x, target;
};

std::optional<ProgramId> build_sharded_toy(const ToyGlobals& g, Params& params, const ModelSettings& settings,
                                           Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, kToyModel, settings.mesh, sink);
  const Axes axes(m, settings);
  Scope root(m, params);
  const ViewEntry rows{axes.all};
  const ValueId y = predict(root, axes, settings, m.view(g.x, {ViewEntry{axes.batch}, {}}, "x"));
  if (!y.valid()) return std::nullopt;
  const ValueId loss = half_mean_square(m, y, m.view(g.target, {rows, {}}, "target"));
  m.output("y", y, {rows, {}});
  m.output("loss", m.op(Reshape{{1}}, {loss}), {rows});
  return m.finish();
}

/// The whole batch on one device, which has the layers of all devices of `tp` one after another.
std::optional<ProgramId> build_toy_loop(const ToyGlobals& g, const Params& params, const ModelSettings& settings,
                                        Module& module, DiagnosticSink& sink) {
  ModelBuilder m(module, "loop", std::make_shared<const Mesh>(), sink);
  const DeviceLoop loop(m, params, settings.mesh, Group{{*settings.mesh->find("tp")}});
  const auto silu = [&](const DeviceValues& xs) {
    return loop.each([&](int64_t d) {
      const ValueId x = xs[static_cast<size_t>(d)];
      return m.multiply(m.logistic(x), x);
    });
  };
  const DeviceValues xs(static_cast<size_t>(loop.devices()), m.view(g.x, Layout(2), "x"));
  const DeviceValues normal = loop.layer_norm("input_norm/sharded", loop.skip_communication({"input_layer"}, xs));
  const DeviceValues hidden = silu(loop.gather({"hidden_layer"}, silu(normal)));
  const ValueId y = device_dense()(loop, 0, "output_layer", loop.join(hidden));
  const int64_t devices = settings.mesh->device_count();
  const Shape blocks{devices, m.shape(y).front() / devices, 1};
  m.output("y", y, Layout(2));
  const ValueId target = m.op(Reshape{blocks}, {m.view(g.target, Layout(2), "target")});
  m.output("loss", half_mean_square(m, m.op(Reshape{blocks}, {y}), target), Layout(1));
  return m.finish();
}

bool build_toy_model(const ModelSettings& settings, Module& module, DiagnosticSink& sink) {
  const int64_t rows = settings.number("b") * settings.mesh->device_count();
  const GlobalId x = declare(module, "x", {rows, settings.number("in")}, Role::input, InitKind::normal);
  const ToyGlobals g{x, declare(module, "target", {rows, 1}, Role::input, InitKind::normal)};
  Params params;
  const std::optional<ProgramId> sharded = build_sharded_toy(g, params, settings, module, sink);
  if (!sharded || !add_init_program(params, kToyModel, settings.mesh, module, sink)) return false;
  return add_check(module, sharded, build_toy_loop(g, params, settings, module, sink));
}

}  // namespace

Model toy_model() {
  ModelInfo info;
  info.name = kToyModel;
  info.doc = "ToyModel: a TPDense, a norm over `tp`, a sharded TPDense and a sharded dense layer, with its loss";
  info.axes.push_back(AxisInfo{"dp", 1, "splits the batch"});
  info.axes.push_back(AxisInfo{"fsdp", 2, "splits the batch, and parameters that nobody reads"});
  info.axes.push_back(AxisInfo{"pp", 1, "splits the rows before the output layer"});
  info.axes.push_back(AxisInfo{"tp", 2, "splits features, then rows before the output layer"});
  info.settings.push_back(SettingInfo{"fsdp_axis", 0, "", {"fsdp", "dp_fsdp"}, "of parameters: fsdp or (dp, fsdp)"});
  info.settings.push_back(SettingInfo{"b", 1, "", {}, "rows of the loss of a device"});
  info.settings.push_back(SettingInfo{"in", 3, "", {}, "features of x"});
  info.settings.push_back(SettingInfo{"width", 4, "", {}, "hidden features of a device of `tp`"});
  info.settings.push_back(
      SettingInfo{"min_weight_size", 1, "", {}, "parameters with no more elements on a device are not sharded"});
  return Model{std::move(info), {}, build_toy_model};
}

}  // namespace isoshard
