// Every case of data_parallel.json: which dimension is sharded, arrays that are sharded and gathered again, gradients
// of gathers in every dtype, synchronised gradients, and modules whose parameters are sharded: names, first values,
// outputs, losses, gradients.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <type_traits>

#include "parallel/layers/dense_general.h"
#include "parallel/module/scan_layers.h"
#include "parallel/sharding/shard_module_params.h"
#include "parallel/tensor_parallel/tensor_parallel.h"
#include "parallel/training/sync_gradients.h"
#include "tests/golden/layer.h"
#include "tests/golden/param_trees.h"
#include "tests/golden/same_bits.h"

namespace isoshard::golden::data_parallel_golden_test {
namespace {

std::vector<Group> groups(const Json& names, size_t rank, const Mesh& mesh) {
  std::vector<Group> result(rank);
  for (size_t i = 0; i < rank && !names.is_null(); ++i) {
    if (!names.at(i).is_null()) result[i] = axis(names.at(i), mesh);
  }
  return result;
}

/// The rule on local shapes and names.
void names_case(const Json& c) {
  const auto on = mesh(c.at("mesh"));
  const Group over = axis(c.at("axis"), *on);
  for (const Json& leaf : c.at("leaves")) {
    SCOPED_TRACE(leaf.at("path").get<std::string>());
    Shape local = leaf.at("local_shape").get<Shape>();
    std::vector<Group> names = groups(leaf.at("names"), local.size(), *on);
    const std::optional<size_t> dim = dim_to_shard(local, names, over, on->size(over), c.at("min_weight_size"));
    if (dim) {
      local[*dim] /= on->size(over);
      names[*dim] = over;
    }
    EXPECT_EQ(local, leaf.at("new_local_shape").get<Shape>());
    EXPECT_EQ(names, groups(leaf.at("new_names"), local.size(), *on));
  }
}

/// Dense `fsdp`, silu, TPDense `fsdp_tp`, both sharded over fsdp, all_gather, silu, Dense `plain`.
Build model_of(const Json& c, const Mesh& mesh) {
  const Group fsdp = axis("fsdp", mesh), tp = axis("tp", mesh);
  const int64_t size = c.at("min_weight_size"), features = 4 / mesh.size(tp);
  return [=](Scope& root, ValueId x) {
    Scope first = root.child("fsdp"), second = root.child("fsdp_tp"), last = root.child("plain");
    const ModuleFn plain = [](Scope& self, ValueId v) { return dense(self, Dense{8}, v); };
    const ModuleFn parallel = [=](Scope& self, ValueId v) {
      return tp_dense(self, TpDense{dense_fn(features), tp, "gather", true}, v);
    };
    ModelBuilder& m = root.m();
    const ValueId h = activate(m, Activation::silu, shard_module_params(first, fsdp, plain, x, size), "");
    const ValueId z = m.all_gather(shard_module_params(second, fsdp, parallel, h, size), tp, 1);
    return dense(last, Dense{2}, activate(m, Activation::silu, z, ""));
  };
}

/// The leaves of `expected` as one device after another holds them: what `made` has, in the shapes of the data.
std::vector<Tensor> local_gradients(const std::map<std::string, Tensor>& made, const Leaf& expected) {
  std::vector<Tensor> result;
  for (size_t device = 0; device < expected.arrays.size(); ++device) {
    const Tensor own = part(made.at(expected.path), static_cast<int64_t>(device));
    const Tensor& like = expected.arrays[device];
    EXPECT_EQ(own.size(), like.size()) << expected.path;
    result.push_back(Tensor::from_bytes(like.dtype(), like.shape(), own.bytes()));
  }
  return result;
}

void expect_close(const std::vector<Tensor>& made, const Leaf& expected) {
  ASSERT_EQ(made.size(), expected.arrays.size());
  for (size_t device = 0; device < made.size(); ++device) {
    EXPECT_TRUE(close(made[device], expected.arrays[device], kAbsolute, kRelative))
        << expected.path << " on " << device;
  }
}

/// Our raw gradients are those of the data, and so are they after sync_gradients over all axes.
void compare_gradients(const Json& c, const std::map<std::string, Tensor>& made) {
  ProgramRun run(mesh(c.at("mesh")), false);
  ParamTree raw;
  for (const Leaf& leaf : tree(c.at("raw_grads"))) {
    const std::vector<Tensor> local = local_gradients(made, leaf);
    expect_close(local, leaf);
    const ValueId value = run.input_per_device("g" + std::to_string(raw.size()), local);
    raw.push_back(ParamLeaf{leaf.path, names_of(leaf, run.mesh()), value});
  }
  const ParamTree synced = sync_gradients(run.m(), raw, all_axes(run.mesh()));
  put_out(run, "synced", synced);
  const std::map<std::string, std::vector<Tensor>> outputs = run.run();
  const std::vector<Leaf> expected = tree(c.at("synced_grads"));
  ASSERT_EQ(expected.size(), synced.size());
  for (size_t i = 0; i < expected.size(); ++i) {
    EXPECT_EQ(synced[i].names, names_of(expected[i], run.mesh()));
    expect_close(outputs.at("synced" + std::to_string(i)), expected[i]);
  }
}

/// The mean of (y - target)^2 of each device, and its derivative with respect to y.
struct Loss {
  std::vector<Tensor> values, cotangents;
};
Loss loss_of(const Tensor& y, const std::vector<Tensor>& target) {
  Loss result;
  for (size_t device = 0; device < target.size(); ++device) {
    const Tensor own = part(y, static_cast<int64_t>(device));
    const double count = static_cast<double>(own.size());
    double sum = 0;
    std::vector<float> cotangent;
    for (size_t i = 0; i < static_cast<size_t>(own.size()); ++i) {
      const double error = static_cast<double>(own.as<float>()[i]) - static_cast<double>(target[device].as<float>()[i]);
      sum += error * error;
      cotangent.push_back(static_cast<float>(2 * error / count));
    }
    result.values.push_back(Tensor::from<float>(DType::f32, {}, std::vector{static_cast<float>(sum / count)}));
    result.cotangents.push_back(Tensor::from<float>(DType::f32, own.shape(), cotangent));
  }
  return result;
}

void module_case(const Json& c) {
  const auto on = mesh(c.at("mesh"));
  const std::vector<Tensor> x = per_device(c.at("x"));
  const Layer layer(on, x.at(0).shape(), model_of(c, *on)), untyped(on, x.at(0).shape(), model_of(c, *on), false);
  const std::map<std::string, Tensor> init = compare_init(layer, c);
  const Tensor y = layer.output(init, x);
  EXPECT_TRUE(close(y, Layer::stacked(per_device(c.at("y"))), kAbsolute, kRelative));
  const Loss loss = loss_of(y, per_device(c.at("target")));
  EXPECT_TRUE(close(Layer::stacked(loss.values), Layer::stacked(per_device(c.at("loss"))), kAbsolute, kRelative));
  compare_gradients(c, untyped.gradients(init, x, loss.cotangents));
}

/// On all devices the same arrays, each kept and put together again.
void shard_case(const Json& c) {
  for (const bool typed : {false, true}) {
    ProgramRun run(mesh(c.at("mesh")), typed);
    const Group over = axis(c.at("axis"), run.mesh());
    const ParamTree sharded = shard_params(run.m(), params(run, c.at("params")), over, c.at("min_weight_size"));
    const ParamTree gathered = gather_params(run.m(), sharded, over);
    put_out(run, "sharded", sharded);
    put_out(run, "gathered", gathered);
    const std::map<std::string, std::vector<Tensor>> outputs = run.run();
    expect_tree(run, outputs, "sharded", sharded, c.at("sharded"));
    expect_tree(run, outputs, "gathered", gathered, c.at("gathered"));
  }
}

void gather_params_case(const Json& c) {
  ProgramRun run(mesh(c.at("mesh")), false);
  const ParamTree gathered = gather_params(run.m(), params(run, c.at("params")), axis(c.at("axis"), run.mesh()));
  put_out(run, "gathered", gathered);
  expect_tree(run, run.run(), "gathered", gathered, c.at("gathered"));
}

std::optional<DType> dtype_of(const Json& name) {
  if (name.is_null()) return std::nullopt;
  return name == "float32" ? DType::f32 : name == "float16" ? DType::f16 : DType::bf16;
}

/// How far one rounding of the sum reaches: XLA adds bf16 in f32, here every addition rounds.
double rounding(const Json& c, DType x) {
  const DType scatter = dtype_of(c.at("grad_scatter_dtype")).value_or(x);
  return scatter == DType::bf16 ? 1.0 / 128 : scatter == DType::f16 ? 1.0 / 1024 : kRelative;
}

void gather_mean_case(const Json& c) {
  ProgramRun run(mesh(c.at("mesh")), false);
  const std::vector<Tensor> x = per_device(c.at("x")), expected = per_device(c.at("x_cotangent"));
  const GatherOptions options{dtype_of(c.at("gather_dtype")), dtype_of(c.at("grad_scatter_dtype"))};
  const Group over = axis(c.at("axis"), run.mesh());
  const ValueId y = gather_array_with_mean_grads(run.m(), run.input_per_device("x", x), over, c.at("dim"), options);
  run.output("y", y);
  const std::vector<Tensor> made = run.run().at("y"), y_expected = per_device(c.at("y"));
  const std::vector<Tensor> gradients = run.gradients({{"y", per_device(c.at("y_cotangent"))}}).at("x");
  for (size_t device = 0; device < x.size(); ++device) {
    EXPECT_TRUE(same_bits(made[device], y_expected[device])) << "device " << device;
    const double tolerance = rounding(c, x[device].dtype());
    EXPECT_TRUE(close(gradients[device], expected[device], tolerance, tolerance)) << "device " << device;
  }
}

void sync_case(const Json& c) {
  ProgramRun run(mesh(c.at("mesh")), false);
  const ParamTree synced = sync_gradients(run.m(), params(run, c.at("grads")), axis(c.at("axis_names"), run.mesh()));
  put_out(run, "synced", synced);
  expect_tree(run, run.run(), "synced", synced, c.at("synced"));
}

/// Trap P17: a bare name is no list of names; the original fails when it meets the letters of one (NameError).
void string_axis_case(const Json& c) {
  static_assert(!std::is_invocable_v<decltype(sync_gradients), ModelBuilder&, ParamTree, const char*, Location>);
  EXPECT_EQ(error(c.at("error")).value().type, "NameError");
}

/// What the key draws for a module, sharded over fsdp or not.
std::map<std::string, Tensor> first_values(bool sharded, const ModuleFn& module_fn) {
  const auto on = std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"fsdp", 2}, {"tp", 2}});
  const Layer layer(on, {2, 6}, [&](Scope& root, ValueId x) {
    const Group fsdp = root.m().group("fsdp");
    return sharded ? shard_module_params(root, fsdp, module_fn, x, 0) : module_fn(root, x);
  });
  for (const ParamSpec& spec : layer.params.specs()) EXPECT_TRUE(!sharded || spec.local(0).varying.contains(AxisId(0)));
  return layer.init(42);
}

void expect_same_first_values(const ModuleFn& module_fn) {
  const std::map<std::string, Tensor> sharded = first_values(true, module_fn), whole = first_values(false, module_fn);
  ASSERT_FALSE(whole.empty());
  ASSERT_EQ(sharded.size(), whole.size());
  for (const auto& [path, tensor] : whole) EXPECT_TRUE(same_bits(sharded.at(path), tensor)) << path;
}

/// Columns, rows, one dimension of a kernel that begins as a matrix, and whole layers.
TEST(ShardedFirstValues, AreBlocksOfTheWhole) {
  expect_same_first_values([](Scope& self, ValueId x) { return dense(self, Dense{8}, x); });
  expect_same_first_values([](Scope& self, ValueId x) { return dense(self, Dense{2}, x); });
  expect_same_first_values([](Scope& self, ValueId x) { return dense_general(self, DenseGeneral{{8, 4}}, x); });
  expect_same_first_values([](Scope& self, ValueId x) {
    const Group tp = self.m().group("tp");
    const ModuleFn square = [](Scope& s, ValueId v) { return dense(s, Dense{6}, v); };
    const ModuleFn scanned = [&](Scope& s, ValueId v) { return scan_layers(s.child("block"), 8, square, v); };
    return model_parallelism_wrapper(self, tp, scanned, x);
  });
}

void run_case(const Json& c) {
  static const std::map<std::string, void (*)(const Json&)> kOps{
      {"shard_params", shard_case},          {"shard_names", names_case},
      {"gather_params", gather_params_case}, {"gather_array_with_mean_grads", gather_mean_case},
      {"sync_gradients", sync_case},         {"sync_gradients_string_axis", sync_case},
      {"shard_module_params", module_case},  {"error", string_axis_case}};
  kOps.at(c.at("op"))(c);
}

TEST(Golden, DataParallel) { run_family("data_parallel", 41, "", run_case); }

}  // namespace
}  // namespace isoshard::golden::data_parallel_golden_test
