// MLPs of two tensor-parallel layers: every case of tp_mlp.json. Names and first values of parameters, outputs of all
// devices with the sharded parameters and with views of the dense ones, gradients, and the losses of the three
// conventions; the gradients of the latter are compared by a later step.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/parallel/array_utils.h"
#include "core/parallel/convert_params.h"
#include "core/parallel/shard_module_params.h"
#include "core/parallel/tensor_parallel.h"
#include "tests/golden/gradients.h"
#include "tests/golden/layer.h"
#include "tests/golden/module_run.h"
#include "tests/golden/same_bits.h"
#include "verify/check.h"

namespace isoshard::golden {
namespace {

/// Outputs and losses.
constexpr double kTolerance = 3e-5;

double inverse_root(int64_t n) { return 1 / std::sqrt(static_cast<double>(n)); }

/// One layer of the MLP: `features` are those of all devices.
ValueId run_layer(Scope& self, const std::string& variant, bool gathers, int64_t features, ValueId x) {
  const Group tp = self.m().group("tp");
  const int64_t devices = self.m().mesh().size(tp);
  if (variant == "sync") {
    TpDense layer{dense_fn(gathers ? features / devices : features), tp, gathers ? "gather" : "scatter"};
    layer.kernel_init_adjustment = gathers ? 1 : inverse_root(devices);
    return tp_dense(self, layer, x);
  }
  TpAsyncDense layer{dense_fn(features / devices), tp, gathers ? "gather" : "scatter"};
  layer.kernel_init_adjustment = inverse_root(devices);
  layer.use_bidirectional_gather = variant != "async_uni";
  layer.use_bidirectional_scatter = variant == "async_split";
  return tp_async_dense(self, layer, x);
}

TpLayout layout_of(const std::string& variant, bool gathers) {
  if (variant == "sync") return gathers ? TpLayout::gather : TpLayout::scatter;
  if (gathers) return TpLayout::async_gather;
  return variant == "async_split" ? TpLayout::async_split : TpLayout::async_scatter;
}

ValueId silu(ModelBuilder& m, ValueId x) { return activate(m, Activation::silu, x, ""); }

/// `up` and `down` of the root read from different arrays.
ParamReader of_children(const ParamReader& up, const ParamReader& down) {
  return [=](ModelBuilder& m, const ParamSpec& spec) { return (spec.path.front() == "up" ? up : down)(m, spec); };
}

/// The MLP over the dense parameters, on the devices and on one.
struct DenseMlp {
  Module module;
  DiagnosticSink sink;
  std::optional<ProgramId> sharded, dense;

  explicit DenseMlp(const Json& c) {
    const Json& params = c.at("dense_params");
    const auto global = [&](const char* name, const Json& of) {
      return declare(module, name, of.at("shape"), Role::param, InitKind::normal);
    };
    const GlobalId x = global("x", c.at("x")), w1 = global("W1", params.at("W1")), b1 = global("b1", params.at("b1")),
                   w2 = global("W2", params.at("W2")), b2 = global("b2", params.at("b2"));
    const std::string variant = c.at("variant");
    ModelBuilder m(module, "sharded", mesh(c.at("mesh")), sink);
    const Group tp = m.group("tp");
    Scope root(m, of_children(views_of_dense(layout_of(variant, true), tp, w1, b1),
                              views_of_dense(layout_of(variant, false), tp, w2, b2)));
    Scope up = root.child("up"), down = root.child("down");
    const ValueId h = run_layer(up, variant, true, width(b1), m.view(x, {{}, m.split("tp")}, "x"));
    m.output("y", run_layer(down, variant, false, width(b2), silu(m, h)), {{}, m.split("tp")});
    sharded = m.finish();
    ModelBuilder d(module, "dense", std::make_shared<const Mesh>(), sink);
    Scope whole(d,
                of_children(views_of_dense(TpLayout::dense, {}, w1, b1), views_of_dense(TpLayout::dense, {}, w2, b2)));
    Scope first = whole.child("up"), second = whole.child("down");
    const ValueId z = isoshard::dense(first, Dense{width(b1)}, d.view(x, Layout(2), "x"));
    d.output("y", isoshard::dense(second, Dense{width(b2)}, silu(d, z)), Layout(2));
    dense = d.finish();
  }

  int64_t width(GlobalId global) const { return module.global(global).type.shape.back(); }
};

void compare_dense(const Json& c) {
  const DenseMlp mlp(c);
  for (const Diagnostic& d : mlp.sink.diagnostics()) ADD_FAILURE() << render(d);
  ASSERT_TRUE(mlp.sharded && mlp.dense);
  std::map<std::string, Tensor> given{{"x", array(c.at("x"))}};
  for (const auto& [name, json] : c.at("dense_params").items()) given[name] = array(json);
  const Tensor expected = array(c.at("dense_y"));
  EXPECT_TRUE(close(run_program(mlp.module, *mlp.dense, given).at("y"), expected, kTolerance, kTolerance));
  EXPECT_TRUE(close(run_program(mlp.module, *mlp.sharded, given).at("y"), expected, kTolerance, kTolerance));
  std::map<std::string, Tensor> gradients = run_gradients(mlp.module, *mlp.dense, given, {{"y", array(c.at("c"))}});
  EXPECT_TRUE(close(gradients.at("x"), array(c.at("dense_x_grad")), kTolerance, kTolerance));
  for (const auto& [name, json] : c.at("dense_param_grads").items()) {
    EXPECT_TRUE(close(gradients.at(name), array(json), kTolerance, kTolerance)) << name;
  }
  EXPECT_EQ(verify::check(mlp.module, Check{*mlp.sharded, *mlp.dense, {}}).exit_code(), 0);
}

void mlp_case(const Json& c) {
  const std::string variant = c.at("variant");
  const int64_t hidden = c.at("dense_params").at("b1").at("shape").at(0);
  const int64_t features = c.at("dense_params").at("b2").at("shape").at(0);
  const Build build = [&](Scope& root, ValueId x) {
    Scope up = root.child("up"), down = root.child("down");
    return run_layer(down, variant, false, features, silu(root.m(), run_layer(up, variant, true, hidden, x)));
  };
  const auto on = mesh(c.at("mesh"));
  const Layer made(on, c.at("x_local").at("shape"), build), untyped(on, c.at("x_local").at("shape"), build, false);
  compare_init(made, c);
  std::map<std::string, Tensor> params;
  for (const Leaf& leaf : tree(c.at("params"))) {
    params[leaf.path] = assembled(spec_of(made, leaf.path), *made.mesh, leaf.arrays);
  }
  EXPECT_EQ(params.size(), made.params.specs().size());
  const Tensor expected = Layer::stacked(per_device(c.at("y")));
  EXPECT_TRUE(close(made.output(params, per_device(c.at("x_local"))), expected, kTolerance, kTolerance));
  expect_gradients(untyped.gradients(params, per_device(c.at("x_local")), per_device(c.at("c_local"))), c, kTolerance);
  compare_dense(c);
}

/// ½ mean((y − target)²) of one device: of its rows, of all, or nothing but on tp index 0.
ValueId loss_of(ModelBuilder& m, const std::string& convention, ValueId y, ValueId target) {
  const Group tp = m.group("tp");
  const ValueId own = convention == "tokens_split" ? split_array_over_mesh(m, target, tp, 0) : target;
  const ValueId error = m.op(Subtract{}, {y, own});
  const ValueId sum = m.op(Reduce{Reducer::add, {0, 1}, {}}, {m.multiply(error, error)});
  const ValueId loss = m.with_constant(Divide{}, sum, Rational(2 * m.shape(y)[0] * m.shape(y)[1]));
  if (convention != "one_device") return loss;
  const ValueId first = m.with_constant(Compare{Direction::eq}, m.op(AxisIndex{tp}, {}), Rational(0));
  return m.op(Select{}, {first, loss, m.constant_like(loss, Rational(0))});
}

ValueId probe(Scope& root, const std::string& convention, ValueId x) {
  ModelBuilder& m = root.m();
  const Group tp = m.group("tp");
  const int64_t devices = m.mesh().size(tp);
  Scope plain = root.child("plain"), up = root.child("up"), down = root.child("down");
  Scope over_fsdp = root.child("fsdp_over_fsdp"), over_tp = root.child("fsdp_over_tp");
  const auto layer = [](int64_t features) -> ModuleFn {
    return [features](Scope& self, ValueId v) { return dense(self, Dense{features}, v); };
  };
  TpDense gather{dense_fn(8 / devices), tp, "gather", true}, scatter{dense_fn(8), tp, "scatter"};
  scatter.kernel_init_adjustment = inverse_root(devices);
  ValueId y = silu(m, tp_dense(up, gather, dense(plain, Dense{8}, x)));
  y = m.all_gather(tp_dense(down, scatter, y), tp, 1);
  if (convention == "tokens_split") y = split_array_over_mesh(m, y, tp, 0);
  y = shard_module_params(over_fsdp, m.group("fsdp"), layer(8), silu(m, y), 0);
  return shard_module_params(over_tp, tp, layer(4), silu(m, y), 0);
}

Shape with_devices(const Json& c, const char* field) {
  Shape shape = c.at(field).at("shape");
  shape.insert(shape.begin(), std::ssize(c.at(field).at("per_device")));
  return shape;
}

/// The mean over all data: of the devices' losses, or of those that are not masked.
double mean_loss(const Tensor& losses, const std::string& convention, int64_t tp) {
  double sum = 0;
  for (const float loss : losses.as<float>()) sum += static_cast<double>(loss);
  return sum / static_cast<double>(losses.size()) * static_cast<double>(convention == "one_device" ? tp : 1);
}

void convention_case(const Json& c) {
  const auto on = mesh(c.at("mesh"));
  const std::string convention = c.at("convention");
  Module module;
  DiagnosticSink sink;
  const GlobalId x = declare(module, "x", with_devices(c, "x"), Role::input, InitKind::normal);
  const GlobalId target = declare(module, "target", with_devices(c, "target"), Role::input, InitKind::normal);
  ModelBuilder m(module, "p", on, sink, BuilderOptions{ProgramKind::program, false, {}});
  Params params;
  Scope root(m, params);
  const ValueId y = probe(root, convention, m.view(x, of_each_device(*on, 2), "x"));
  const ValueId loss = loss_of(m, convention, y, m.view(target, of_each_device(*on, 2), "target"));
  m.output("loss", loss, of_each_device(*on, 0));
  const std::optional<ProgramId> program = m.finish();
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  ASSERT_TRUE(program.has_value());
  std::map<std::string, Tensor> given{{"x", Layer::stacked(per_device(c.at("x")))},
                                      {"target", Layer::stacked(per_device(c.at("target")))}};
  const std::vector<Leaf> leaves = tree(c.at("params"));
  EXPECT_EQ(leaves.size(), params.specs().size());
  for (const Leaf& leaf : leaves) {
    const ParamSpec& spec = spec_of(params, leaf.path);
    EXPECT_EQ(names_of(spec, *on), leaf.names) << leaf.path;
    given[params.global_name(spec)] = leaf.arrays.at(0);
  }
  const Tensor losses = run_program(module, *program, given).at("loss");
  EXPECT_TRUE(close(losses, Layer::stacked(per_device(c.at("loss"))), kTolerance, kTolerance));
  const auto expected = c.at("true_loss").get<double>();
  EXPECT_NEAR(mean_loss(losses, convention, on->size(axis("tp", *on))), expected, kTolerance * expected);
}

void run_case(const Json& c) { c.at("op") == "tp_mlp" ? mlp_case(c) : convention_case(c); }

TEST(Golden, TpMlp) { run_family("tp_mlp", 14, "raw_grads, synced_grads, true_grads, ratio", run_case); }

}  // namespace
}  // namespace isoshard::golden
