// train_step of the catalogue: EQUAL to one device on meshes of all axes, with each of its settings, and NOT EQUAL with
// one mistake in its text. Random combinations are in tests/mutation/train_step_test.cc.
#include "parallel/training/train_step.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/models_testing.h"
#include "tests/sanitized.h"

namespace isoshard::train_step_test {
namespace {

using testing::expect_equal;
using testing::expect_rejected;
using testing::made;

/// Small: every parameter has a denominator of its own after the first step.
std::vector<SettingValue> with(std::vector<SettingValue> settings) {
  for (const char* name : {"inputs", "width"}) settings.push_back({name, "2"});
  settings.push_back({"outputs", "1"});
  return settings;
}

std::string text_of(const ModelRequest& request) { return text::print(made(request)); }

size_t count(const std::string& text, const std::string& word) {
  size_t result = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++result;
  return result;
}

TEST(TrainStep, IsThatOfOneDeviceOnEveryMesh) {
  const std::vector<std::vector<MeshAxis>> meshes{
      {{"dp", 1}, {"tp", 1}},
      {{"dp", 3}, {"tp", 1}},
      {{"dp", 1}, {"tp", 3}},
      {{"dp", 1}, {"tp", 1}, {"pp", 2}},
      {{"dp", 1}, {"tp", 1}, {"fsdp", 2}},
      {{"dp", 2}, {"fsdp", 2}, {"pp", 1}, {"tp", 2}},
      {{"dp", 2}, {"fsdp", 1}, {"pp", 2}, {"tp", 2}},
  };
  for (const std::vector<MeshAxis>& mesh : meshes) {
    expect_equal({"train_step", mesh, with({{"optimizer", "sgd"}, {"accumulate", "3"}})});
    if (kSanitized) break;
  }
  expect_equal({"train_step", {{"fsdp", 2}, {"pp", 2}}, {{"optimizer", "sgd"}, {"layers", "4"}}});
}

TEST(TrainStep, OfEveryOptimizerAndClipped) {
  if (kSanitized) GTEST_SKIP() << kLeftOut;
  for (const char* optimizer : {"sgd", "momentum", "nesterov", "adam", "adamw"}) {
    for (const char* clip : {"0", "1"}) {
      expect_equal(
          {"train_step", {{"dp", 2}, {"fsdp", 2}, {"tp", 2}}, with({{"optimizer", optimizer}, {"clip", clip}})});
    }
  }
}

TEST(TrainStep, AccumulatesInALoopAndInAScan) {
  for (const char* accumulation : {"loop", "scan"}) {
    for (const char* minibatches : {"1", "3"}) {
      expect_equal({"train_step",
                    {{"dp", 2}, {"tp", 2}},
                    with({{"accumulation", accumulation}, {"accumulate", minibatches}, {"layer_loop", "row"}})});
    }
  }
}

/// Masks are those of one device: they belong to rows of the batch, features and layers.
TEST(TrainStep, DropsWhatOneDeviceDrops) {
  if (kSanitized) GTEST_SKIP() << kLeftOut;
  const SettingValue dropout{"dropout", "0.5"}, sgd{"optimizer", "sgd"};
  for (const char* loop : {"scan", "row"}) {
    expect_equal({"train_step", {{"dp", 2}, {"tp", 2}}, with({dropout, sgd, {"layers", "2"}, {"layer_loop", loop}})});
    expect_equal({"train_step", {{"pp", 2}, {"tp", 1}}, with({dropout, sgd, {"layers", "4"}, {"layer_loop", loop}})});
  }
  expect_equal({"train_step", {{"fsdp", 2}, {"pp", 2}}, with({dropout, sgd, {"accumulate", "3"}})});
  const ModelRequest request{"train_step", {{"dp", 2}, {"tp", 2}}, with({dropout, sgd})};
  expect_rejected(request, {"the same masks on all devices of the batch", "axis_index {axis=(dp, fsdp)}",
                            "axis_index {axis=fsdp}"});
}

/// Stage by stage less is whole: what the text holds of the moments and parameters of one kernel, and how it reduces.
TEST(TrainStep, ZeroIsALayoutOfTheState) {
  if (kSanitized) GTEST_SKIP() << kLeftOut;
  const std::string kernel = "view @blocks.up.kernel [-, -, tp]", moment = "view @blocks.up.kernel.m [-, -, tp]";
  const std::string own = "[-, dp, tp]";
  for (const char* zero : {"0", "1", "2", "3"}) {
    const ModelRequest request{
        "train_step", {{"dp", 2}, {"tp", 2}}, {{"optimizer", "adamw"}, {"zero", zero}, {"inputs", "2"}}};
    expect_equal(request);
    const std::string text = text_of(request);
    const std::string step = text.substr(text.find("program @train_step"));
    const char stage = zero[0];
    EXPECT_EQ(count(step, moment), stage == '0' ? 1U : 0U) << zero;
    EXPECT_EQ(count(step, "view @blocks.up.kernel.m " + own), stage == '0' ? 0U : 1U) << zero;
    EXPECT_EQ(count(step, kernel), stage == '3' ? 0U : 1U) << zero;
    EXPECT_EQ(count(step, "view @blocks.up.kernel " + own), stage == '3' ? 1U : 0U) << zero;
    EXPECT_EQ(count(step, "reduce_scatter") > 0, stage >= '2') << zero;
    EXPECT_EQ(count(step, "slice_block") > 0, stage == '1' || stage == '2') << zero;
    EXPECT_EQ(count(step, "all_gather") > 0, stage != '0') << zero;
  }
  for (const char* zero : {"1", "2", "3"}) {
    expect_equal({"train_step", {{"dp", 2}, {"fsdp", 2}, {"tp", 1}}, {{"zero", zero}, {"clip", "1"}}});
  }
}

/// What no dimension is divided by stays whole; with fsdp alone it may be divided.
TEST(TrainStep, WhatDevicesDoNotDivideStaysWhole) {
  const ModelRequest request{"train_step",
                             {{"dp", 3}, {"fsdp", 2}, {"tp", 1}},
                             {{"zero", "3"}, {"inputs", "5"}, {"width", "6"}, {"outputs", "1"}}};
  expect_equal(request);
  const std::string text = text_of(request);
  EXPECT_NE(text.find("view @input.kernel [-, (fsdp, dp)]"), std::string::npos);
  EXPECT_NE(text.find("view @blocks.up.bias [-, fsdp]"), std::string::npos);
  EXPECT_NE(text.find("view @output.bias [-]"), std::string::npos);
}

TEST(TrainStep, OfATransformer) {
  const std::vector<SettingValue> small{{"model", "transformer"}, {"optimizer", "adamw"}, {"steps", "1"}};
  expect_equal({"train_step", {{"dp", 2}, {"tp", 2}}, small});
  expect_equal({"train_step", {{"dp", 1}, {"fsdp", 2}, {"tp", 2}}, small});
  expect_equal({"train_step", {{"dp", 1}, {"tp", 3}}, small});
}

/// The dtypes of all products of matrices.
std::set<DType> dtypes_of_products(const Module& module) {
  std::set<DType> result;
  for (const Program& program : module.programs) {
    for (size_t i = 0; i < program.op_count(); ++i) {
      const Op& op = program.op(OpId(i));
      if (std::holds_alternative<DotGeneral>(op.data)) result.insert(program.value(op.results[0]).type.tensor.dtype);
    }
  }
  return result;
}

/// Mixed precision: layers and their gradients in bf16; parameters, what is added up of their gradients, and moments in
/// f32.
TEST(TrainStep, ComputesInBf16) {
  if (kSanitized) GTEST_SKIP() << kLeftOut;
  for (const std::string model : {"mlp", "transformer"}) {
    std::vector<SettingValue> settings = with({{"model", model}, {"optimizer", "sgd"}, {"dtype", "bf16"}});
    const ModelRequest request{"train_step", {{"dp", 2}, {"fsdp", 2}, {"pp", 2}, {"tp", 2}}, settings};
    expect_equal(request);
    const Module module = made(request);
    EXPECT_EQ(dtypes_of_products(module), std::set<DType>{DType::bf16}) << model;
    for (const Global& global : module.globals) EXPECT_NE(global.type.dtype, DType::bf16) << global.name;
    const Program& step = module.program(*module.find_program("train_step"));
    for (const Output& output : step.outputs()) EXPECT_EQ(output.type.dtype, DType::f32) << output.name;
    EXPECT_EQ(dtypes_of_products(made({"train_step", {}, with({{"model", model}})})), std::set<DType>{DType::f32});
  }
}

/// The statement that contains `word`, or the last one of `kind` before it.
std::string statement(const std::string& text, const std::string& word, const std::string& kind = "") {
  const size_t at = kind.empty() ? text.find(word) : text.rfind(kind, text.find(word));
  const size_t start = text.rfind('\n', at) + 1;
  return text.substr(start, text.find('\n', at) - start);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(TrainStep, MistakesInTheTextAreFound) {
  if (kSanitized) GTEST_SKIP() << kLeftOut;
  const ModelRequest request{"train_step", {{"dp", 2}, {"tp", 2}}, with({{"optimizer", "sgd"}, {"clip", "1"}})};
  const std::string text = text_of(request);
  const auto rejected = [&](const std::string& what, const std::string& line, const std::string& from,
                            const std::string& to) {
    expect_rejected(request, {what, line, replaced(line, from, to)});
  };
  rejected("the norm of a device's blocks", statement(text, "%norm = sqrt", "all_reduce"), "{axis=tp}", "{axis=dp}");
  rejected("a gradient of the device's own rows", statement(text, "%grad.blocks.up.kernel ="), "(dp, fsdp, pp)", "pp");
  rejected("a gradient of a bias summed over tp, too", statement(text, "%grad.blocks.bias ="), "(dp, fsdp, pp)",
           "(dp, fsdp, pp, tp)");
  rejected("the sum of minibatches' gradients", statement(text, "%grad.input.kernel =", "value=2"), "value=2",
           "value=1");
}

}  // namespace
}  // namespace isoshard::train_step_test
