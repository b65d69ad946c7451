// Every model of the catalogue, on every mesh of 1 to 8 devices: it is built without errors and says what it promises.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

#include "catalogue/catalogue.h"

namespace isoshard::catalogue_models_test {
namespace {

struct Case {
  std::string model;
  int64_t data, ring;
  std::vector<SettingValue> settings;
};

/// For the names of tests, which would hold the bytes of the struct.
void PrintTo(const Case& c, std::ostream* out) { *out << c.model; }

std::vector<Case> cases() {
  std::vector<Case> result;
  for (int64_t data = 1; data <= 8; ++data) {
    for (int64_t model = 1; data * model <= 8; ++model) {
      result.push_back(Case{"tp_mlp", data, model, {{"activation", "gelu"}}});
      result.push_back(Case{"tp_mlp", data, model, {{"activation", "silu"}}});
      result.push_back(Case{"ring_matmul", data, model, {}});
    }
  }
  return result;
}

std::string name_of(const ::testing::TestParamInfo<Case>& info) {
  const Case& c = info.param;
  return c.model + (c.settings.empty() ? "" : "_" + c.settings[0].value) + "_" + std::to_string(c.data) + "x" +
         std::to_string(c.ring);
}

template <class OpType>
std::vector<const Op*> ops_of(const Program& program) {
  std::vector<const Op*> result;
  for (const OpId id : program.body().ops) {
    if (std::holds_alternative<OpType>(program.op(id).data)) result.push_back(&program.op(id));
  }
  return result;
}

class CatalogueModels : public ::testing::TestWithParam<Case> {
 protected:
  Module make() const {
    DiagnosticSink sink;
    const Case& c = GetParam();
    std::optional<Module> module = make_model({c.model, {{"data", c.data}, {"model", c.ring}}, c.settings}, sink);
    for (const Diagnostic& d : sink.diagnostics()) ADD_FAILURE() << render(d);
    EXPECT_TRUE(module.has_value());
    return module ? std::move(*module) : Module();
  }
};

TEST_P(CatalogueModels, ChecksTwoProgramsWithoutStateErrorsAndWithEqualOutputs) {
  const Module module = make();
  ASSERT_EQ(module.checks.size(), 1U);
  const Check check = module.checks.front();
  const Program& sharded = module.program(check.left);
  const Program& dense = module.program(check.right);
  for (const ProgramId id : {check.left, check.right}) {
    for (const Diagnostic& d : module.state_errors(id)) ADD_FAILURE() << render(d);
  }
  EXPECT_EQ(sharded.mesh().device_count(), GetParam().data * GetParam().ring);
  EXPECT_EQ(dense.mesh().axis_count(), 0U);
  ASSERT_EQ(sharded.outputs().size(), 1U);
  ASSERT_EQ(dense.outputs().size(), 1U);
  EXPECT_EQ(sharded.outputs().front().name, dense.outputs().front().name);
  EXPECT_EQ(sharded.outputs().front().type, dense.outputs().front().type);
}

TEST_P(CatalogueModels, CommunicatesAsItsDescriptionSays) {
  const Module module = make();
  ASSERT_EQ(module.checks.size(), 1U);
  const Program& sharded = module.program(module.checks.front().left);
  const bool is_ring = GetParam().model == "ring_matmul";
  EXPECT_EQ(ops_of<AllReduce>(sharded).size(), is_ring ? 0U : 1U);
  EXPECT_EQ(ops_of<CollectivePermute>(sharded).size(), is_ring ? static_cast<size_t>(GetParam().ring - 1) : 0U);
}

/// Only then can sending x on overlap with the products.
TEST_P(CatalogueModels, RingPermutesDependOnNoProduct) {
  const Module module = make();
  ASSERT_EQ(module.checks.size(), 1U);
  const Program& sharded = module.program(module.checks.front().left);
  for (const Op* permute : ops_of<CollectivePermute>(sharded)) {
    const OpData& source = sharded.op(sharded.value(permute->operands.front()).definition).data;
    EXPECT_TRUE(std::holds_alternative<View>(source) || std::holds_alternative<CollectivePermute>(source));
  }
}

INSTANTIATE_TEST_SUITE_P(AllMeshes, CatalogueModels, ::testing::ValuesIn(cases()), name_of);

struct Collectives {
  std::string model, axis;
  std::vector<SettingValue> settings;
  size_t all_reduces, all_gathers, all_to_alls, permutes;
};

TEST(CatalogueCommunication, ModelsWithTwinsCommunicateAsDocumented) {
  const std::vector<Collectives> all{{"ring_attention", "seq", {}, 0, 0, 0, 3 * 4},
                                     {"ring_attention", "seq", {{"causal", "0"}}, 0, 0, 0, 2 * 4},
                                     {"ring_attention", "seq", {{"causal", "0"}, {"t", "7"}}, 0, 0, 0, 3 * 4},
                                     {"flash_merge", "keys", {}, 3, 0, 0, 0},
                                     {"flash_merge", "keys", {{"merge", "all_gather"}}, 0, 2, 0, 0},
                                     {"top1_moe", "expert", {}, 0, 0, 2, 0},
                                     {"silu_two_ways", "model", {}, 1, 0, 0, 0}};
  for (const Collectives& expected : all) {
    DiagnosticSink sink;
    const std::optional<Module> module = make_model({expected.model, {{expected.axis, 5}}, expected.settings}, sink);
    ASSERT_TRUE(module.has_value());
    const Program& sharded = module->program(module->checks.front().left);
    EXPECT_EQ(sharded.state_errors().size(), 0U) << expected.model;
    EXPECT_EQ(ops_of<AllReduce>(sharded).size(), expected.all_reduces) << expected.model;
    EXPECT_EQ(ops_of<AllGather>(sharded).size(), expected.all_gathers) << expected.model;
    EXPECT_EQ(ops_of<AllToAll>(sharded).size(), expected.all_to_alls) << expected.model;
    EXPECT_EQ(ops_of<CollectivePermute>(sharded).size(), expected.permutes) << expected.model;
  }
}

/// Whether `value` is made with a product.
bool needs_product(const Program& program, ValueId value) {
  const Op& op = program.op(program.value(value).definition);
  return std::holds_alternative<DotGeneral>(op.data) ||
         std::any_of(op.operands.begin(), op.operands.end(), [&](ValueId v) { return needs_product(program, v); });
}

/// Only then can sending keys and values on overlap with the products.
TEST(CatalogueCommunication, RingAttentionSendsOnWithoutWaitingForProducts) {
  for (const char* t : {"8", "7"}) {
    DiagnosticSink sink;
    const std::optional<Module> module = make_model({"ring_attention", {{"seq", 4}}, {{"t", t}}}, sink);
    ASSERT_TRUE(module.has_value());
    const Program& sharded = module->program(module->checks.front().left);
    EXPECT_EQ(ops_of<CollectivePermute>(sharded).size(), 9U);
    for (const Op* permute : ops_of<CollectivePermute>(sharded)) {
      EXPECT_FALSE(needs_product(sharded, permute->operands.front()));
    }
    EXPECT_TRUE(needs_product(sharded, sharded.outputs().front().parts.front().value));
  }
}

TEST(CatalogueTpMlp, ResidualStreamIsInvariantOverModel) {
  DiagnosticSink sink;
  const std::optional<Module> module = make_model({"tp_mlp", {}, {}}, sink);
  ASSERT_TRUE(module.has_value());
  const Program& program = module->program(module->checks.front().left);
  std::vector<std::string> states;
  for (size_t i = 0; i < program.value_count(); ++i) {
    const Value& value = program.value(ValueId(i));
    for (const char* name : {"x", "z", "a", "p", "r", "y"}) {
      if (value.name == name) states.push_back(value.name + " " + to_string(value.type.states, program.mesh()));
    }
  }
  EXPECT_EQ(states,
            (std::vector<std::string>{"x {I: model, V: data}", "z {V: (data, model)}", "a {V: (data, model)}",
                                      "p {V: data, P: model}", "r {I: model, V: data}", "y {I: model, V: data}"}));
}

}  // namespace
}  // namespace isoshard::catalogue_models_test
