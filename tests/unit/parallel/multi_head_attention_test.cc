// Attention with heads over an axis, embeddings, dense layers over several dimensions: parameters, states and errors.
#include "parallel/tensor_parallel/multi_head_attention.h"

#include <gtest/gtest.h>

#include "parallel/layers/dense_general.h"
#include "parallel/layers/embed.h"
#include "parallel/tensor_parallel/tp_language_model.h"
#include "parallel/tensor_parallel/tp_transformer.h"

namespace isoshard::multi_head_attention_test {
namespace {

using Lines = std::vector<std::string>;

class MultiHeadAttention : public ::testing::Test {
 protected:
  ValueId input(Shape local) {
    Layout layout(local.size() + 1);
    layout[0] = ViewEntry{tp, 0, std::nullopt, Split::stack};
    local.insert(local.begin(), 2);
    return m.view(declare(module, "x", std::move(local), Role::input, InitKind::normal), layout, "x");
  }

  Lines declared() const {
    Lines result;
    for (const ParamSpec& spec : params.specs())
      result.push_back(spec.name() + " " + to_string(module.global(spec.global).type));
    return result;
  }

  std::string state_of(ValueId value) { return to_string(m.builder().type(value), m.mesh()); }
  std::string message() const {
    const auto& said = sink.diagnostics();
    return said.size() == 1 ? said[0].rule + ": " + said[0].message : std::to_string(said.size()) + " messages";
  }

  Module module;
  DiagnosticSink sink;
  ModelBuilder m{module, "p", std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"tp", 2}}), sink};
  Params params;
  Scope root{m, params};
  Group tp = m.group("tp");
};

TEST_F(MultiHeadAttention, EveryShardHasQueriesKeysAndValues) {
  TpMultiHeadAttention layer{tp, 6, 5};
  layer.normalize_qk = true;
  EXPECT_EQ(state_of(tp_multi_head_attention(root, layer, input({1, 4, 3}))), "f32[1,4,3] {V: tp}");
  Lines expected{"pre_norm/sharded/scale f32[2,3]"};
  for (const std::string shard : {"qkv/shard_0/sharded/", "qkv/shard_1/sharded/"}) {
    for (const char* name : {"query", "key", "value"}) expected.push_back(shard + name + "/kernel f32[2,3,3,5]");
    for (const char* name : {"query_norm", "key_norm"}) expected.push_back(shard + name + "/scale f32[2,5]");
  }
  expected.insert(expected.end(),
                  {"out/shard_0/sharded/out/kernel f32[2,3,5,3]", "out/shard_0/sharded/out/bias f32[2,3]",
                   "out/shard_1/sharded/out/kernel f32[2,3,5,3]"});
  EXPECT_EQ(declared(), expected);
  EXPECT_TRUE(m.builder().program().state_errors().empty());
}

/// Both kernels see a half of their fan-in.
TEST_F(MultiHeadAttention, KernelsBeginNarrower) {
  tp_multi_head_attention(root, TpMultiHeadAttention{tp, 2, 2}, input({1, 4, 3}));
  for (const ParamSpec& spec : params.specs()) {
    if (spec.path.back() != "kernel") continue;
    EXPECT_EQ(spec.initializer.name, "scale_init(0.707106781) of lecun_normal") << spec.name();
  }
}

TEST_F(MultiHeadAttention, DevicesShareTheHeads) {
  EXPECT_FALSE(tp_multi_head_attention(root, TpMultiHeadAttention{tp, 3, 2}, input({1, 4, 3})).valid());
  EXPECT_EQ(
      message(),
      "C-divide: TPMultiHeadAttn: 3 heads cannot be shared by the 2 devices of tp; expected a positive multiple of "
      "2");
}

TEST_F(MultiHeadAttention, ThereAreSequencesAndPositions) {
  EXPECT_FALSE(tp_multi_head_attention(root, TpMultiHeadAttention{tp, 2, 2}, input({4, 3})).valid());
  EXPECT_EQ(message(),
            "C-attention: TPMultiHeadAttn: x has 2 dimensions; expected 3, sequences, positions and features");
}

TEST_F(MultiHeadAttention, ParallelBlocksHaveOneNormAndTwoBiases) {
  const TpTransformerBlock block{TpMultiHeadAttention{tp, 2, 3}, TpMlpBlock{tp, 10}};
  EXPECT_EQ(state_of(tp_transformer_parallel_block(root, block, input({1, 4, 7}))), "f32[1,4,7] {V: tp}");
  EXPECT_EQ(
      declared(),
      (Lines{"pre_norm/sharded/scale f32[2,7]", "hqkv/shard_0/sharded/mlp/dense/kernel f32[2,7,5]",
             "hqkv/shard_0/sharded/mlp/dense/bias f32[2,5]", "hqkv/shard_0/sharded/qkv/query/kernel f32[2,7,1,3]",
             "hqkv/shard_0/sharded/qkv/key/kernel f32[2,7,1,3]", "hqkv/shard_0/sharded/qkv/value/kernel f32[2,7,1,3]",
             "hqkv/shard_1/sharded/mlp/dense/kernel f32[2,7,5]", "hqkv/shard_1/sharded/qkv/query/kernel f32[2,7,1,3]",
             "hqkv/shard_1/sharded/qkv/key/kernel f32[2,7,1,3]", "hqkv/shard_1/sharded/qkv/value/kernel f32[2,7,1,3]",
             "out/shard_0/sharded/mlp/dense/kernel f32[2,5,7]", "out/shard_0/sharded/mlp/dense/bias f32[2,7]",
             "out/shard_0/sharded/attn/out/kernel f32[2,1,3,7]", "out/shard_0/sharded/attn/out/bias f32[2,7]",
             "out/shard_1/sharded/mlp/dense/kernel f32[2,5,7]", "out/shard_1/sharded/attn/out/kernel f32[2,1,3,7]"}));
  EXPECT_TRUE(m.builder().program().state_errors().empty());
}

TEST_F(MultiHeadAttention, ParallelBlocksShareTheHiddenFeatures) {
  const TpTransformerBlock block{TpMultiHeadAttention{tp, 2, 3}, TpMlpBlock{tp, 5}};
  EXPECT_FALSE(tp_transformer_parallel_block(root, block, input({1, 4, 7})).valid());
  EXPECT_EQ(
      message(),
      "C-divide: TPTransformerParallelBlock: 5 hidden features cannot be shared by the 2 devices of tp; expected a "
      "positive multiple of 2");
}

/// Dropout draws after attention and after the MLP, each with a scope of its own.
TEST_F(MultiHeadAttention, BlocksWithDropoutNeedAKey) {
  TpTransformerBlock block{TpMultiHeadAttention{tp, 2, 3}, TpMlpBlock{tp, 4}};
  block.dropout_rate = 0.1;
  const ValueId x = input({1, 4, 7});
  Scope keyed(m, params);
  keyed.set_key("dropout", prng_key(m, 1));
  EXPECT_TRUE(tp_transformer_block(keyed, block, x).valid());
  Scope bare = root.child("bare");
  EXPECT_FALSE(tp_transformer_block(bare, block, x).valid());
  EXPECT_EQ(sink.diagnostics().back().rule, "C-key");
}

TEST_F(MultiHeadAttention, DenseGeneralContractsTheLastDimensions) {
  EXPECT_EQ(state_of(dense_general(root, DenseGeneral{{4, 5}, 2}, input({7, 2, 3}))), "f32[7,4,5] {V: tp}");
  EXPECT_EQ(declared(), (Lines{"kernel f32[2,3,4,5]", "bias f32[4,5]"}));
}

TEST_F(MultiHeadAttention, DenseGeneralNeedsTheDimensionsItContracts) {
  EXPECT_FALSE(dense_general(root, DenseGeneral{{4}, 3}, input({7, 2})).valid());
  EXPECT_EQ(
      message(),
      "C-dense: dense_general: x has 2 dimensions, and the last 3 are contracted; expected at least 1 and as many in "
      "x");
}

TEST_F(MultiHeadAttention, EmbeddingsAreRowsOfATable) {
  const ValueId ids = m.view(declare_ids(module, "ids", {2, 3}), Layout(2), "ids");
  const ModuleFn table = [](Scope& self, ValueId v) { return embed(self, Embed{7, 4}, v); };
  EXPECT_EQ(state_of(model_parallelism_wrapper(root, tp, table, ids)), "f32[2,3,4] {V: tp}");
  EXPECT_EQ(declared(), (Lines{"sharded/embedding f32[2,7,4]"}));
  EXPECT_EQ(params.specs()[0].initializer.name, "normal(0.5)");
}

TEST_F(MultiHeadAttention, IdsAreIntegers) {
  EXPECT_FALSE(embed(root, Embed{7, 4}, input({2})).valid());
  EXPECT_EQ(message(), "C-embed: embed: the ids are f32; expected integers");
}

TEST_F(MultiHeadAttention, SinusoidsComeInPairs) {
  const ValueId ids = m.view(declare_ids(module, "ids", {2, 3}), Layout(2), "ids");
  EXPECT_FALSE(tp_input_embedding(root, TpInputEmbedding{tp, 7, 3, Positions::sinusoidal}, ids).valid());
  EXPECT_EQ(
      message(),
      "C-embed: TPInputEmbedding: ids of 2 dimensions and 3 features; expected sequences and positions, and an even "
      "number of features for sinusoids");
}

/// Its parameters are sharded over the axis whose devices have the features.
TEST_F(MultiHeadAttention, OutputLayersAreShardedOverTheirOwnAxis) {
  EXPECT_EQ(state_of(tp_output_layer(root, TpOutputLayer{tp, 5}, input({1, 4, 3}))), "f32[1,2,5] {V: tp}");
  Lines layouts;
  for (const ParamSpec& spec : params.specs())
    layouts.push_back(spec.name() + " " + to_string(spec.layout(), m.mesh()));
  EXPECT_EQ(layouts, (Lines{"out_norm/scale [tp]", "output_layer/kernel [tp, -]", "output_layer/bias [-]"}));
  EXPECT_TRUE(m.builder().program().state_errors().empty());
}

}  // namespace
}  // namespace isoshard::multi_head_attention_test
