// What sync_gradients does in typed programs; untyped ones are compared with data_parallel.json.
#include <gtest/gtest.h>

#include "parallel/layers/dense.h"
#include "parallel/training/sync_gradients.h"
#include "tests/golden/param_trees.h"
#include "tests/golden/same_bits.h"

namespace isoshard::golden::sync_gradients_test {
namespace {

/// One leaf, [2] on each of two devices: P, V or = over `dp`.
struct Leaf2 {
  ProgramRun run{std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"dp", 2}})};
  ParamTree synced;
  Leaf2(State state, Role role, std::optional<std::vector<Group>> names = std::nullopt, bool integers = false) {
    const Group dp = run.m().group("dp");
    const std::vector<float> a{1, 2}, b{10, 20};
    ValueId x = run.input_per_device(
        "x", {Tensor::from<float>(DType::f32, {2}, a), Tensor::from<float>(DType::f32, {2}, b)}, role);
    if (state == State::equal) x = run.input("same", Tensor::from<float>(DType::f32, {2}, a), role);
    run.output("x", x);
    if (state == State::partial) x = as_state(run.m(), x, dp, State::partial);
    if (integers) x = run.m().op(Convert{DType::i32}, {x});
    synced = sync_gradients(run.m(), {ParamLeaf{"layer/kernel", std::move(names), x}}, dp);
    put_out(run, "y", synced);
  }
};

std::vector<float> first_device(Leaf2 leaf) {
  const Tensor y = leaf.run.run().at("y0").at(0);
  return {y.as<float>().begin(), y.as<float>().end()};
}

TEST(SyncGradients, TypedSumsTermsAndKeepsWhatIsComplete) {
  const std::vector<float> sum{11, 22}, own{1, 2};
  EXPECT_EQ(first_device(Leaf2(State::partial, Role::constant)), sum);
  EXPECT_EQ(first_device(Leaf2(State::partial, Role::input)), sum);
  EXPECT_EQ(first_device(Leaf2(State::equal, Role::constant)), own);
  const Group dp{{AxisId(0)}};
  EXPECT_EQ(first_device(Leaf2(State::varying, Role::constant, std::vector<Group>{dp})), own);
}

TEST(SyncGradients, WhatIsNoGradientOfOneParameter) {
  EXPECT_EQ(
      Leaf2(State::varying, Role::constant).run.messages(),
      "C-sync sync_gradients: the gradient of layer/kernel is V over `dp`, every device has its own; expected P "
      "(terms of a sum) or = (complete), or `dp` among the names of a parameter that each device has for itself\n");
  EXPECT_EQ(Leaf2(State::equal, Role::constant, std::nullopt, true).run.messages(),
            "C-sync sync_gradients: layer/kernel is i32[2]; expected floats\n");
}

}  // namespace
}  // namespace isoshard::golden::sync_gradients_test
