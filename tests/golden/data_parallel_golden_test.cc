// The forward half of data_parallel.json: which dimension is sharded, and modules whose parameters are: names, first
// values and outputs. Its other cases belong to the gradients.
#include <gtest/gtest.h>

#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "core/parallel/dense_general.h"
#include "core/parallel/scan_layers.h"
#include "core/parallel/shard_module_params.h"
#include "core/parallel/tensor_parallel.h"
#include "tests/golden/layer.h"
#include "tests/golden/same_bits.h"

namespace isoshard::golden {
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

void module_case(const Json& c) {
  const auto on = mesh(c.at("mesh"));
  const std::vector<Tensor> x = per_device(c.at("x"));
  const Layer layer(on, x.at(0).shape(), model_of(c, *on));
  const std::map<std::string, Tensor> init = compare_init(layer, c);
  EXPECT_TRUE(close(layer.output(init, x), Layer::stacked(per_device(c.at("y"))), kAbsolute, kRelative));
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

TEST(Golden, DataParallelForward) {
  const std::map<std::string, void (*)(const Json&)> ops{{"shard_names", names_case},
                                                         {"shard_module_params", module_case}};
  const Family family = load_family("data_parallel");
  size_t ran = 0;
  for (const Json& c : family.cases) {
    const auto op = ops.find(c.at("op"));
    if (op == ops.end()) continue;
    SCOPED_TRACE(c.at("name").get<std::string>());
    try {
      op->second(c);
      ++ran;
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
  }
  std::printf("data_parallel: %zu/%zu, not yet: gradients, casts, shard_params and gather_params of arrays\n", ran,
              family.cases.size());
  EXPECT_EQ(ran, 10U);
  EXPECT_EQ(family.cases.size(), 41U);
}

}  // namespace
}  // namespace isoshard::golden
