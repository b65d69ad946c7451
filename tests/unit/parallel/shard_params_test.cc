// shard_params, gather_params and gather_array: which leaves are split, warnings, states, and what travels.
#include "parallel/sharding/shard_params.h"

#include <gtest/gtest.h>

#include "parallel/module/model_builder.h"
#include "parallel/sharding/shard_module_params.h"

namespace isoshard::shard_params_test {
namespace {

class ShardParams : public ::testing::Test {
 protected:
  /// One leaf of that shape: R on all devices.
  ParamLeaf leaf(const std::string& path, Shape shape, std::optional<std::vector<Group>> names = std::nullopt) {
    const size_t rank = shape.size();
    const GlobalId global = declare(module, path, std::move(shape), Role::param, InitKind::normal);
    return ParamLeaf{path, std::move(names), m.view(global, Layout(rank), "")};
  }
  std::string type_of(const ParamLeaf& made) { return to_string(m.builder().type(made.value), m.mesh()); }
  std::string messages() const {
    std::string text;
    for (const Diagnostic& d : sink.diagnostics()) {
      text += std::string(d.severity == Severity::warning ? "warning " : "") + d.rule + ": " + d.message + "\n";
    }
    return text;
  }
  size_t calls_with_backward() const {
    size_t count = 0;
    const Program& program = m.builder().program();
    for (size_t i = 0; i < program.op_count(); ++i) {
      const Call* call = std::get_if<Call>(&program.op(OpId(i)).data);
      count += call != nullptr && call->vjp.valid() ? 1U : 0U;
    }
    return count;
  }

  Module module;
  DiagnosticSink sink;
  mutable ModelBuilder m{module, "p", std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"a", 2}, {"b", 4}}),
                         sink};
  Group a = m.group("a"), b = m.group("b"), both{{AxisId(0), AxisId(1)}};
};

/// The largest dimension that the devices divide, of equal ones the last; no more than the threshold stays whole.
TEST_F(ShardParams, WhichDimension) {
  const ParamTree made =
      shard_params(m, {leaf("tie", {4, 8, 8}), leaf("six", {6, 4}), leaf("at", {4, 4}), leaf("above", {4, 5})}, b, 16);
  EXPECT_EQ(type_of(made[0]), "f32[4,8,2] {R: a, V: b}");
  EXPECT_EQ(made[0].names, (std::vector<Group>{{}, {}, b}));
  EXPECT_EQ(type_of(made[1]), "f32[6,1] {R: a, V: b}");
  EXPECT_EQ(type_of(made[2]), "f32[4,4] {R: (a, b)}");
  EXPECT_FALSE(made[2].names);
  EXPECT_EQ(type_of(made[3]), "f32[1,5] {R: a, V: b}");
  EXPECT_EQ(messages(), "");
}

TEST_F(ShardParams, TupleAxesAndLocalSizes) {
  const ParamTree made = shard_params(m, {leaf("w", {16, 3})}, both, 0);
  EXPECT_EQ(type_of(made[0]), "f32[2,3] {V: (a, b)}");
  EXPECT_EQ(made[0].names, (std::vector<Group>{both, {}}));
  const ParamTree back = gather_params(m, made, both);
  EXPECT_EQ(type_of(back[0]), "f32[16,3] {R: (a, b)}");
  EXPECT_FALSE(back[0].names);
  EXPECT_EQ(gather_params(m, made, b)[0].names, made[0].names) << "a part of a tuple is another name";
}

/// Blocks of one device at a time: the second axis splits what the first one left.
TEST_F(ShardParams, OverOneAxisAfterTheOther) {
  const ParamTree once = shard_params(m, {leaf("w", {8, 4})}, a, 0);
  EXPECT_EQ(type_of(once[0]), "f32[4,4] {R: b, V: a}");
  const ParamTree twice = shard_params(m, once, b, 15);
  EXPECT_EQ(type_of(twice[0]), "f32[4,1] {V: (a, b)}");
  EXPECT_EQ(shard_params(m, once, b, 16)[0].names, once[0].names);
  const ParamTree half = gather_params(m, twice, a);
  EXPECT_EQ(type_of(half[0]), "f32[8,1] {R: a, V: b}");
  EXPECT_EQ(half[0].names, (std::vector<Group>{{}, b}));
}

TEST_F(ShardParams, WhatStaysWholeIsSaid) {
  const ParamTree once = shard_params(m, {leaf("w", {8, 4})}, b, 0);
  EXPECT_EQ(shard_params(m, once, b, 0)[0].names, once[0].names);
  shard_params(m, {leaf("odd", {3, 5}), leaf("small", {3})}, b, 3);
  EXPECT_EQ(messages(),
            "warning C-shard: shard_params: w, f32[2,4] on each device, is sharded over `b` already\n"
            "warning C-shard: shard_params: odd, f32[3,5] on each device, stays whole: no dimension without a name is "
            "divided by the 4 devices of `b`\n");
}

/// The derived rule needs no func of its own; casts and means are written down.
TEST_F(ShardParams, WhenTheBackwardIsWrittenDown) {
  const ValueId x = shard_params(m, {leaf("w", {8, 4})}, b, 0)[0].value;
  GatherOptions options;
  EXPECT_TRUE(gather_array(m, x, b, 0, options).valid());
  EXPECT_EQ(calls_with_backward(), 0U);
  options.grad_scatter_dtype = DType::f32;
  EXPECT_TRUE(gather_array(m, x, b, 0, options).valid());
  EXPECT_EQ(calls_with_backward(), 0U);
  options.grad_scatter_dtype = DType::bf16;
  EXPECT_EQ(to_string(m.builder().type(gather_array(m, x, b, 0, options)), m.mesh()), "f32[8,4] {R: (a, b)}");
  EXPECT_EQ(calls_with_backward(), 1U);
  options.gather_dtype = DType::bf16;
  EXPECT_EQ(to_string(m.builder().type(gather_array(m, x, b, 0, options)), m.mesh()), "bf16[8,4] {R: (a, b)}");
  EXPECT_EQ(calls_with_backward(), 1U) << "that of a cast and an all_gather is a reduce_scatter in bf16 and a cast";
  options.grad_scatter_dtype = DType::f32;
  EXPECT_TRUE(gather_array(m, x, b, 0, options).valid());
  EXPECT_TRUE(gather_array_with_mean_grads(m, x, b, 0).valid());
  EXPECT_TRUE(gather_array_with_mean_grads(m, x, b, 0).valid());
  EXPECT_EQ(calls_with_backward(), 4U);
  EXPECT_EQ(module.programs.size(), 6U) << "the mean gather is made once";
  EXPECT_EQ(messages(), "");
}

/// Integers have no gradient, and nothing is written down for them.
TEST_F(ShardParams, IntegersAreGathered) {
  const GlobalId ids = declare_ids(module, "ids", {8});
  const ValueId x = m.view(ids, {ViewEntry{b}}, "x");
  EXPECT_EQ(to_string(m.builder().type(gather_array_with_mean_grads(m, x, b, 0)), m.mesh()), "i32[8] {=: (a, b)}");
  EXPECT_EQ(calls_with_backward(), 0U);
}

}  // namespace
}  // namespace isoshard::shard_params_test
