// Parameters that are sharded between uses: which dimension, where they are gathered, and what the types say.
#include "parallel/sharding/shard_module_params.h"

#include <gtest/gtest.h>

#include "parallel/module/scan_layers.h"
#include "parallel/sharding/convert_params.h"
#include "parallel/tensor_parallel/tensor_parallel.h"

namespace isoshard::shard_module_params_test {
namespace {

using Lines = std::vector<std::string>;

class ShardModuleParams : public ::testing::Test {
 protected:
  /// f32[2, 3] on every device.
  ValueId input() {
    const ViewEntry devices{all, 0, std::nullopt, Split::stack};
    return m.view(declare(module, "x", {8, 2, 3}, Role::input, InitKind::normal), {devices, {}, {}}, "x");
  }

  Lines declared() const {
    Lines result;
    for (const ParamSpec& spec : params.specs()) {
      result.push_back(spec.name() + " " + to_string(module.global(spec.global).type) + " " +
                       to_string(spec.layout(), m.mesh()));
    }
    return result;
  }

  /// How many all_gathers stand in the program, and how many of them in its own body.
  std::pair<size_t, size_t> gathers() {
    const Program& program = m.builder().program();
    size_t all_ops = 0, own = 0;
    for (size_t i = 0; i < program.op_count(); ++i) {
      all_ops += std::holds_alternative<AllGather>(program.op(OpId(i)).data) ? 1U : 0U;
    }
    for (const OpId id : program.body().ops) own += std::holds_alternative<AllGather>(program.op(id).data) ? 1U : 0U;
    return {all_ops, own};
  }

  std::string state_of(ValueId value) { return to_string(m.builder().type(value), m.mesh()); }
  std::string message() const {
    const auto& said = sink.diagnostics();
    return said.size() == 1 ? said[0].rule + ": " + said[0].message : std::to_string(said.size()) + " messages";
  }

  Module module;
  DiagnosticSink sink;
  ModelBuilder m{module, "p", std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"fsdp", 2}, {"tp", 4}}), sink};
  Params params;
  Scope root{m, params};
  Group fsdp = m.group("fsdp"), tp = m.group("tp"), all{{AxisId(0), AxisId(1)}};
};

const ModuleFn kSquare = [](Scope& self, ValueId x) { return dense(self, Dense{3, lecun_normal_initializer()}, x); };
const ModuleFn kWide = [](Scope& self, ValueId x) { return dense(self, Dense{4}, x); };

TEST_F(ShardModuleParams, WhatIsReadIsGatheredAndReplicated) {
  std::string state;
  const ModuleFn module_fn = [&](Scope& self, ValueId x) {
    state = state_of(self.param("kernel", ones_initializer(), {3, 4}));
    return x;
  };
  shard_module_params(root, fsdp, module_fn, input(), 0);
  EXPECT_EQ(state, "f32[3,4] {R: (fsdp, tp)}");
  EXPECT_EQ(declared(), (Lines{"kernel f32[3,4] [-, fsdp]"}));
  EXPECT_EQ(*params.specs()[0].names(), (std::vector<Group>{{}, fsdp}));
}

/// The threshold is about the elements of one device, and includes itself (P18).
TEST_F(ShardModuleParams, TheThresholdCountsTheElementsOfOneDevice) {
  const ModuleFn wrapped = [&](Scope& self, ValueId x) { return model_parallelism_wrapper(self, tp, kWide, x); };
  Scope at = root.child("at"), below = root.child("below");
  const ValueId x = input();
  shard_module_params(at, fsdp, wrapped, x, 12);
  shard_module_params(below, fsdp, wrapped, x, 11);
  EXPECT_EQ(
      declared(),
      (Lines{"at/sharded/kernel f32[4,3,4] [stack tp, -, -]", "at/sharded/bias f32[4,4] [stack tp, -]",
             "below/sharded/kernel f32[4,3,4] [stack tp, -, fsdp]", "below/sharded/bias f32[4,4] [stack tp, -]"}));
}

/// An odd size, or an axis that is there already.
TEST_F(ShardModuleParams, WhatCannotBeSplitStaysWhole) {
  const ModuleFn twice = [&](Scope& self, ValueId x) { return shard_module_params(self, fsdp, kWide, x, 0); };
  shard_module_params(root, fsdp, twice, input(), 0);
  root.param("odd", ones_initializer(), {3, 5});
  EXPECT_EQ(declared(), (Lines{"kernel f32[3,4] [-, fsdp]", "bias f32[4] [fsdp]", "odd f32[3,5] [-, -]"}));
  Scope child = root.child("c");
  const ModuleFn odd = [&](Scope& self, ValueId) { return self.param("odd", ones_initializer(), {3, 5}); };
  shard_module_params(child, fsdp, odd, {}, 0);
  EXPECT_EQ(declared().back(), "c/odd f32[3,5] [-, -]");
  EXPECT_FALSE(params.specs().back().names().has_value());
}

/// Two axes, each with a dimension of its own.
TEST_F(ShardModuleParams, ASecondAxisTakesAnotherDimension) {
  const ModuleFn inner = [&](Scope& self, ValueId) {
    return shard_module_params(
        self, tp,
        [](Scope& s, ValueId) {
          return s.param("w", ones_initializer(), {4, 8});
        },
        {}, 0);
  };
  EXPECT_EQ(state_of(shard_module_params(root, fsdp, inner, {}, 0)), "f32[4,8] {R: (fsdp, tp)}");
  EXPECT_EQ(declared(), (Lines{"w f32[4,8] [fsdp, tp]"}));
  EXPECT_EQ(gathers().first, 2U);
}

TEST_F(ShardModuleParams, InsideAScanEveryLayerIsGatheredByItself) {
  const ModuleFn body = [&](Scope& self, ValueId x) { return shard_module_params(self, tp, kSquare, x, 0); };
  const ModuleFn even = [&](Scope& self, ValueId x) {
    Scope d = self.child("up"), u = self.child("down");
    const ModuleFn down = [](Scope& s, ValueId v) { return dense(s, Dense{3}, v); };
    return shard_module_params(u, fsdp, down, shard_module_params(d, fsdp, kWide, x, 0), 4);
  };
  const ValueId x = input();
  EXPECT_TRUE(scan_layers(root.child("odd"), 6, body, x).valid());
  EXPECT_EQ(gathers().first, 0U) << "4 devices divide no dimension";
  EXPECT_TRUE(scan_layers(root.child("even"), 6, even, x).valid());
  EXPECT_EQ(declared(), (Lines{"odd/kernel f32[6,3,3] [-, -, -]", "odd/bias f32[6,3] [-, -]",
                               "even/up/kernel f32[6,3,4] [-, -, fsdp]", "even/up/bias f32[6,4] [-, fsdp]",
                               "even/down/kernel f32[6,4,3] [-, fsdp, -]", "even/down/bias f32[6,3] [-, -]"}));
  EXPECT_EQ(gathers(), std::pair(size_t{3}, size_t{0}));
  EXPECT_TRUE(m.builder().program().state_errors().empty());
  EXPECT_EQ(sink.diagnostics().size(), 0U);
}

/// The layers are a dimension like the others.
TEST_F(ShardModuleParams, AroundAScanAllLayersAreGatheredBeforeIt) {
  const ModuleFn scanned = [](Scope& self, ValueId x) { return scan_layers(self.child("block"), 6, kSquare, x); };
  EXPECT_EQ(state_of(shard_module_params(root, fsdp, scanned, input(), 0)), "f32[2,3] {V: (fsdp, tp)}");
  EXPECT_EQ(declared(), (Lines{"block/kernel f32[6,3,3] [fsdp, -, -]", "block/bias f32[6,3] [fsdp, -]"}));
  EXPECT_EQ(gathers(), std::pair(size_t{2}, size_t{2}));
  EXPECT_TRUE(m.builder().program().state_errors().empty());
}

TEST_F(ShardModuleParams, VariablesOfOtherCollectionsAreNotSharded) {
  const ModuleFn statistics = [](Scope& self, ValueId) { return self.variable("mean", zeros_initializer(), {8}); };
  EXPECT_EQ(state_of(shard_module_params(root, fsdp, statistics, {}, 0)), "f32[8] {=: (fsdp, tp)}");
  EXPECT_EQ(declared(), (Lines{"mean f32[8] [-]"}));
}

TEST_F(ShardModuleParams, ViewsOfDenseAreWhole) {
  const GlobalId w = declare(module, "W", {8, 8}, Role::param, InitKind::normal);
  Scope over(m, views_of_dense(TpLayout::gather, tp, w, w));
  const ModuleFn kernel = [](Scope& self, ValueId) { return self.param("kernel", ones_initializer(), {8, 2}); };
  EXPECT_FALSE(shard_module_params(over, fsdp, kernel, {}, 0).valid());
  EXPECT_EQ(
      message(),
      "C-layout: views_of_dense: the parameter kernel is sharded by shard_module_params; expected the whole of it "
      "on every device");
}

}  // namespace
}  // namespace isoshard::shard_module_params_test
