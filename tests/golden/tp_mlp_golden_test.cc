// MLPs of two tensor-parallel layers: every case of tp_mlp.json. Names and first values of parameters, outputs of all
// devices with the sharded parameters and with views of the dense ones, gradients, and the losses and gradients of the
// three conventions, which are 1, T and 1/T times the true ones.
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "parallel/sharding/array_utils.h"
#include "parallel/sharding/convert_params.h"
#include "parallel/sharding/shard_module_params.h"
#include "parallel/tensor_parallel/tensor_parallel.h"
#include "parallel/training/sync_gradients.h"
#include "tests/golden/device_layout.h"
#include "tests/golden/gradients.h"
#include "tests/golden/layer.h"
#include "tests/golden/module_run.h"
#include "tests/golden/param_trees.h"
#include "tests/golden/same_bits.h"
#include "verify/check.h"

namespace isoshard::golden::tp_mlp_golden_test {
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
  const ValueId own = convention == "tokens_split" ? split_array_over_mesh(m, target, m.group("tp"), 0) : target;
  const ValueId error = m.op(Subtract{}, {y, own});
  const ValueId sum = m.op(Reduce{Reducer::add, {0, 1}, {}}, {m.multiply(error, error)});
  const ValueId loss = m.with_constant(Divide{}, sum, Rational(2 * m.shape(y)[0] * m.shape(y)[1]));
  if (convention != "one_device") return loss;
  const ValueId first = m.with_constant(Compare{Direction::eq}, m.op(AxisIndex{m.group("tp")}, {}), Rational(0));
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

/// The probe and its loss on all devices, as a program without states.
struct Convention {
  Module module;
  DiagnosticSink sink;
  Params params;
  std::optional<ProgramId> program;
  std::map<std::string, Tensor> given;
  std::shared_ptr<const Mesh> on;

  explicit Convention(const Json& c) : on(mesh(c.at("mesh"))) {
    const std::string convention = c.at("convention");
    const GlobalId x = declare(module, "x", with_devices(c, "x"), Role::input, InitKind::normal);
    const GlobalId target = declare(module, "target", with_devices(c, "target"), Role::input, InitKind::normal);
    ModelBuilder m(module, "p", on, sink, BuilderOptions{ProgramKind::program, false, {}});
    Scope root(m, params);
    const ValueId y = probe(root, convention, m.view(x, of_each_device(*on, 2), "x"));
    const ValueId loss = loss_of(m, convention, y, m.view(target, of_each_device(*on, 2), "target"));
    m.output("loss", loss, of_each_device(*on, 0));
    program = m.finish();
    given = {{"x", Layer::stacked(per_device(c.at("x")))}, {"target", Layer::stacked(per_device(c.at("target")))}};
    for (const Leaf& leaf : tree(c.at("params"))) {
      const ParamSpec& spec = spec_of(params, leaf.path);
      EXPECT_EQ(names_of(spec, *on), leaf.names) << leaf.path;
      given[params.global_name(spec)] = leaf.arrays.at(0);
    }
  }

  /// Of the sum of all devices' losses.
  std::map<std::string, Tensor> gradients() const {
    const auto devices = static_cast<size_t>(on->device_count());
    const Tensor ones = Tensor::from<float>(DType::f32, {on->device_count()}, std::vector<float>(devices, 1.0F));
    return run_gradients(module, *program, given, {{"loss", ones}});
  }
};

/// What each device holds of a gradient, in the shape of the data.
std::vector<Tensor> local(const Tensor& stack, const Leaf& like) {
  std::vector<Tensor> result;
  for (size_t device = 0; device < like.arrays.size(); ++device) {
    const Tensor own = part(stack, static_cast<int64_t>(device));
    result.push_back(Tensor::from_bytes(own.dtype(), like.arrays[device].shape(), own.bytes()));
  }
  return result;
}

void expect_close(const std::vector<Tensor>& made, const Leaf& expected) {
  for (size_t device = 0; device < made.size(); ++device) {
    EXPECT_TRUE(close(made[device], expected.arrays[device], kTolerance, kTolerance)) << expected.path << device;
  }
}

/// Our gradients before and after sync_gradients over all axes; gives the latter, by path.
std::map<std::string, std::vector<Tensor>> compare_synced(const Json& c, const Convention& made) {
  const std::map<std::string, Tensor> gradients = made.gradients();
  ProgramRun run(made.on, false);
  ParamTree raw;
  for (const Leaf& leaf : tree(c.at("raw_grads"))) {
    const std::vector<Tensor> own = local(gradients.at(made.params.global_name(spec_of(made.params, leaf.path))), leaf);
    expect_close(own, leaf);
    const ValueId value = run.input_per_device("g" + std::to_string(raw.size()), own);
    raw.push_back(ParamLeaf{leaf.path, names_of(leaf, *made.on), value});
  }
  put_out(run, "synced", sync_gradients(run.m(), raw, all_axes(*made.on)));
  const std::map<std::string, std::vector<Tensor>> outputs = run.run();
  std::map<std::string, std::vector<Tensor>> result;
  const std::vector<Leaf> expected = tree(c.at("synced_grads"));
  for (size_t i = 0; i < expected.size(); ++i) {
    result[expected[i].path] = outputs.at("synced" + std::to_string(i));
    expect_close(result[expected[i].path], expected[i]);
  }
  return result;
}

/// The model on one device over the same parameters, with the mean loss over the rows of all devices.
std::map<std::string, Tensor> true_gradients(const Json& c, const Convention& sharded) {
  Module module;
  DiagnosticSink sink;
  ModelBuilder m(module, "dense", std::make_shared<const Mesh>(), sink);
  std::map<std::string, Tensor> given = sharded.given;
  const auto read = [&](const std::string& name) {
    const Shape& shape = given.at(name).shape();
    return m.view(declare(module, name, shape, Role::param, InitKind::normal), Layout(shape.size()), "");
  };
  const auto reshaped = [&](ValueId x, Shape shape) { return m.op(Reshape{std::move(shape)}, {x}); };
  const auto rows = [&](const std::string& name) {
    const ValueId all = read(name);
    const Shape shape = m.shape(all);
    return reshaped(all, {shape[0] * shape[1], shape[2]});
  };
  const auto layer = [&](ValueId x, ValueId kernel, ValueId bias) {
    const ValueId y = m.matmul(x, kernel);
    return m.add(y, m.broadcast_rows(bias, m.shape(y)[0]));
  };
  const auto plain = [&](ValueId x, const std::string& name) {
    return layer(x, read(name + ".kernel"), read(name + ".bias"));
  };
  const std::string up = "up.module.sharded.", down = "down.module.sharded.";
  const ValueId columns = m.op(Transpose{{1, 0, 2}}, {read(up + "kernel")});
  const ValueId h = layer(plain(rows("x"), "plain"), reshaped(columns, {8, 8}), reshaped(read(up + "bias"), {8}));
  const ValueId bias = m.op(Reduce{Reducer::add, {0}, {}}, {read(down + "bias")});
  const ValueId z = layer(silu(m, h), reshaped(read(down + "kernel"), {8, 8}), bias);
  const ValueId y = plain(silu(m, plain(silu(m, z), "fsdp_over_fsdp")), "fsdp_over_tp");
  m.output("loss", loss_of(m, "identical", y, rows("target")), {});
  const std::optional<ProgramId> program = m.finish();
  for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
  const Tensor one = Tensor::from<float>(DType::f32, {}, std::vector{1.0F});
  std::map<std::string, Tensor> result = run_gradients(module, program.value(), given, {{"loss", one}});
  for (const auto& [path, json] : c.at("true_grads").items()) {
    std::string name = path;
    const size_t slash = name.find('/');
    const bool wrapped = path.starts_with("up/") || path.starts_with("down/");
    name.replace(slash, 1, wrapped ? ".module.sharded." : ".");
    EXPECT_TRUE(close(result.at(name), array(json), kTolerance, kTolerance)) << path;
  }
  return result;
}

/// T times the true gradient, 1 times, 1/T times: docs/spec/originals.md, "Conventions".
double factor(const std::string& convention, const std::string& path, double tp) {
  const bool wrapped = path.starts_with("up/") || path.starts_with("down/");
  return convention == "one_device" ? (wrapped ? 1 : 1 / tp) : (wrapped ? tp : 1);
}

/// The sum of the elements of an array that devices hold in blocks or copies, each counted once per copy.
double total(const std::vector<Tensor>& arrays) {
  double sum = 0;
  for (const Tensor& array : arrays) {
    for (const float x : array.as<float>()) sum += std::fabs(static_cast<double>(x));
  }
  return sum;
}

void compare_factors(const Json& c, const Convention& made) {
  const std::map<std::string, std::vector<Tensor>> synced = compare_synced(c, made);
  const std::map<std::string, Tensor> dense = true_gradients(c, made);
  for (const auto& [path, ratio] : c.at("ratio").items()) {
    const Tensor& whole = dense.at(made.params.global_name(spec_of(made.params, path)));
    int64_t elements = 0;
    for (const Tensor& array : synced.at(path)) elements += array.size();
    const double copies = static_cast<double>(elements) / static_cast<double>(whole.size());
    const double measured = total(synced.at(path)) / copies / total({whole});
    const double tp = static_cast<double>(made.on->size(axis("tp", *made.on)));
    EXPECT_NEAR(measured, factor(c.at("convention"), path, tp), 1e-4) << path;
    EXPECT_NEAR(measured, ratio.at("mean").get<double>(), 1e-4) << path;
  }
}

void convention_case(const Json& c) {
  const Convention made(c);
  for (const Diagnostic& d : made.sink.diagnostics()) ADD_FAILURE() << render(d);
  ASSERT_TRUE(made.program.has_value());
  EXPECT_EQ(tree(c.at("params")).size(), made.params.specs().size());
  const Tensor losses = run_program(made.module, *made.program, made.given).at("loss");
  EXPECT_TRUE(close(losses, Layer::stacked(per_device(c.at("loss"))), kTolerance, kTolerance));
  const auto expected = c.at("true_loss").get<double>();
  EXPECT_NEAR(mean_loss(losses, c.at("convention"), made.on->size(axis("tp", *made.on))), expected,
              kTolerance * expected);
  compare_factors(c, made);
}

void run_case(const Json& c) { c.at("op") == "tp_mlp" ? mlp_case(c) : convention_case(c); }

TEST(Golden, TpMlp) { run_family("tp_mlp", 14, "", run_case); }

}  // namespace
}  // namespace isoshard::golden::tp_mlp_golden_test
