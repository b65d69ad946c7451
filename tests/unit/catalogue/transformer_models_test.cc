// Models made of whole layers: EQUAL to their references on every number of devices and for all settings, and NOT EQUAL
// with one mistake in their text.
#include <gtest/gtest.h>

#include "core/text/text.h"
#include "tests/models_testing.h"
#include "tests/sanitized.h"

namespace isoshard::transformer_models_test {
namespace {

using testing::expect_equal;
using testing::expect_rejected;
using testing::made;
using testing::Mistake;

const std::vector<int64_t> kDevices = kSanitized ? std::vector<int64_t>{1, 3} : std::vector<int64_t>{1, 2, 3, 4, 8};

TEST(TransformerModels, BlocksAreLoopsOverDevicesAndHeads) {
  if (kSanitized) GTEST_SKIP() << kLeftOut;
  const std::vector<std::vector<SettingValue>> all{{},
                                                   {{"causal", "0"}, {"heads", "2"}},
                                                   {{"normalize_qk", "1"}, {"head_dim", "3"}},
                                                   {{"split_scatter", "1"}, {"width", "3"}},
                                                   {{"parallel", "1"}},
                                                   {{"parallel", "1"}, {"causal", "0"}, {"split_scatter", "1"}}};
  for (const int64_t devices : kDevices) {
    for (const std::vector<SettingValue>& settings : all) {
      expect_equal({"tp_transformer_block", {{"model", devices}}, settings});
    }
  }
  expect_equal({"tp_transformer_block", {{"data", 2}, {"model", 2}}, {{"axis", "data_model"}}});
  expect_equal({"tp_transformer_block", {{"data", 2}, {"fsdp", 2}, {"model", 2}}, {{"shard", "1"}, {"layers", "2"}}});
  expect_equal({"tp_transformer_block", {{"fsdp", 2}, {"model", 3}}, {{"axis", "data_model"}, {"shard", "1"}}});
  expect_equal(
      {"tp_transformer_block", {{"fsdp", 2}, {"model", 2}}, {{"parallel", "1"}, {"shard", "1"}, {"layers", "2"}}});
  expect_equal({"tp_transformer_block", {{"data", 2}, {"model", 2}}, {{"parallel", "1"}, {"axis", "data_model"}}});
}

TEST(TransformerModels, ToysAreTheirWholeLayers) {
  for (const char* name : {"toy_model", "llm_toy_model"}) {
    for (const int64_t devices : kDevices) {
      for (const int64_t others : {1, 2}) {
        expect_equal({name, {{"dp", others}, {"fsdp", 1}, {"pp", others}, {"tp", devices}}, {}});
        expect_equal({name, {{"dp", 1}, {"fsdp", others}, {"pp", 1}, {"tp", devices}}, {{"fsdp_axis", "dp_fsdp"}}});
      }
    }
    expect_equal({name, {{"dp", 2}, {"fsdp", 2}, {"pp", 2}, {"tp", 2}}, {{"fsdp_axis", "dp_fsdp"}}});
    expect_equal({name, {{"fsdp", 4}, {"tp", 2}}, {{"min_weight_size", "8"}}});
  }
}

TEST(TransformerModels, TransformersAreLoopsOverDevices) {
  for (const int64_t devices : kDevices) {
    expect_equal({"tp_transformer", {{"data", 2}, {"model", devices}}, {}});
    expect_equal({"tp_transformer", {{"model", devices}}, {{"positions", "sinusoidal"}, {"head", "lm"}}});
  }
  expect_equal({"tp_transformer", {{"data", 2}, {"model", 3}}, {{"axis", "data_model"}, {"s", "2"}}});
  expect_equal({"tp_transformer", {{"model", 2}}, {{"layers", "2"}, {"heads", "2"}}});
}

/// All parameters that are large enough and divide are sharded, and gathered once each.
TEST(TransformerModels, ShardedParametersAreGathered) {
  const auto gathers = [](const std::string& min_weight_size) {
    const Module module = made({"toy_model", {{"fsdp", 2}, {"tp", 2}}, {{"min_weight_size", min_weight_size}}});
    const std::string text = text::print(module);
    size_t count = 0;
    for (size_t at = text.find("{axis=fsdp, dim="); at != std::string::npos; at = text.find("{axis=fsdp, dim=", at + 1))
      ++count;
    return count;
  };
  EXPECT_EQ(gathers("1"), 3U) << "two kernels and a bias; the other bias has one element";
  EXPECT_EQ(gathers("4"), 2U) << "the bias has 4 elements";
  EXPECT_EQ(gathers("32"), 0U);
}

TEST(TransformerTwins, MistakesInABlockAreFound) {
  if (kSanitized) GTEST_SKIP() << kLeftOut;
  const ModelRequest request{"tp_transformer_block", {{"model", 2}}, {{"heads", "2"}, {"head_dim", "4"}}};
  const std::vector<Mistake> mistakes{
      {"no position sees itself", "{direction=ge}", "{direction=gt}"},
      {"1/d for 1/sqrt(d)", "constant {value=0.5, dtype=f32, shape=[1, 3, 2, 4]}",
       "constant {value=0.25, dtype=f32, shape=[1, 3, 2, 4]}"},
      {"positions for heads", "%86 = transpose %85 {permutation=[0, 2, 1, 3]}",
       "%86 = reshape %85 {shape=[1, 3, 2, 4]}"},
      {"keys for queries", "slice %64 {start=[0, 0, 0, 0], limit=[1, 3, 2, 4]}",
       "slice %64 {start=[0, 0, 2, 0], limit=[1, 3, 4, 4]}"},
      {"heads of one device", "%64 = add %59, %63", "%64 = reshape %59 {shape=[1, 3, 6, 4]}"},
      {"the ring's sum is not added", "%92 = add %91, %90", "%92 = reshape %90 {shape=[1, 3, 2]}"},
      {"the norm of one device", "divide %43, %44", "add %41, %41"},
      {"no residual", "%93 = add %x, %92", "%93 = reshape %92 {shape=[1, 3, 2]}"}};
  for (const Mistake& mistake : mistakes) expect_rejected(request, mistake);
}

/// One array carries the features of the MLP and of the heads.
TEST(TransformerTwins, MistakesInAParallelBlockAreFound) {
  if (kSanitized) GTEST_SKIP() << kLeftOut;
  const ModelRequest request{"tp_transformer_block", {{"model", 2}}, {{"parallel", "1"}, {"width", "3"}}};
  expect_rejected(request,
                  {"the MLP reads queries", "start=[0, 0, 0], limit=[1, 3, 2]}", "start=[0, 0, 2], limit=[1, 3, 4]}"});
  expect_rejected(request,
                  {"the heads read the MLP", "start=[0, 0, 2], limit=[1, 3, 8]}", "start=[0, 0, 0], limit=[1, 3, 6]}"});
}

TEST(TransformerTwins, MistakesInToysAreFound) {
  if (kSanitized) GTEST_SKIP() << kLeftOut;
  const ModelRequest request{"toy_model", {{"fsdp", 2}, {"tp", 2}}, {}};
  expect_rejected(request, {"the variance is that of the mean", "subtract %23, %24", "subtract %23, %23"});
  expect_rejected(request, {"the mean of one device", "divide %17, %18", "reshape %15 {shape=[2, 2]}"});
  const ModelRequest transformer{"tp_transformer", {{"model", 2}}, {{"positions", "sinusoidal"}}};
  expect_rejected(transformer, {"cosines for sines", " = sine ", " = cosine "});
  expect_rejected(transformer, {"the block of features begins with 0", "%10 = add %8, %9", "%10 = add %8, %8"});
  const ModelRequest llm{"llm_toy_model", {{"fsdp", 2}, {"tp", 2}}, {}};
  expect_rejected(llm, {"the embedding of another device", "view @embed.sharded.embedding [stack tp, -, -]",
                        "view @embed.sharded.embedding [stack tp - 1, -, -]"});
}

}  // namespace
}  // namespace isoshard::transformer_models_test
