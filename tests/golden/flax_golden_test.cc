// Layers of Flax itself, and transformer blocks made of them, against flax.json: names, first values and outputs.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "parallel/layers/dense_general.h"
#include "parallel/layers/embed.h"
#include "parallel/module/scan_layers.h"
#include "parallel/tensor_parallel/tp_language_model.h"
#include "parallel/tensor_parallel/tp_transformer.h"
#include "tests/golden/layer.h"
#include "tests/golden/same_bits.h"

namespace isoshard::golden::flax_golden_test {
namespace {

std::shared_ptr<const Mesh> one_device() {
  return std::make_shared<const Mesh>("m", std::vector<MeshAxis>{MeshAxis{"tp", 1}});
}

/// What all devices hold of a parameter, from what each of them holds, without stacked dimensions. What they shard
/// among them is whole on each of them there.
Tensor joined(const ParamSpec& spec, const Mesh& mesh, const std::vector<Tensor>& local) {
  if (!spec.transforms.empty() && spec.transforms.front().kind == ParamTransform::Kind::shard) return local.at(0);
  Shape with_stacks;
  size_t next = 0;
  for (const ParamDim& dim : spec.dims()) {
    with_stacks.push_back(dim.axis.empty() ? local.at(0).shape().at(next++) : 1);
  }
  std::vector<Tensor> parts;
  for (const Tensor& part : local) parts.push_back(Tensor::from_bytes(part.dtype(), with_stacks, part.bytes()));
  return assembled(spec, mesh, parts);
}

/// Compares paths, shapes and first values with the field `init`, whose arrays are those of each device; returns them.
std::map<std::string, Tensor> compare_local_init(const Layer& layer, const Json& c) {
  const std::map<std::string, Tensor> made = layer.init(key_of_seed(c));
  std::map<std::string, Tensor> expected;
  for (const Leaf& leaf : tree(c.at("init"))) {
    SCOPED_TRACE(leaf.path);
    expected[leaf.path] = joined(spec_of(layer, leaf.path), *layer.mesh, leaf.arrays);
    EXPECT_TRUE(close(made.at(leaf.path), expected[leaf.path], kDrawn, 0));
  }
  EXPECT_EQ(made.size(), expected.size());
  return expected;
}

void compare_output(const Layer& layer, const std::map<std::string, Tensor>& init, const std::vector<Tensor>& x,
                    const std::vector<Tensor>& y) {
  EXPECT_TRUE(close(layer.output(init, x), Layer::stacked(y), kAbsolute, kRelative));
}

/// Ids as what a Layer takes.
Tensor as_floats(const Tensor& ids) {
  std::vector<float> floats;
  for (const int32_t id : ids.as<int32_t>()) floats.push_back(static_cast<float>(id));
  return Tensor::from<float>(DType::f32, ids.shape(), floats);
}

void embed_case(const Json& c) {
  const Tensor ids = array(c.at("ids"));
  const Layer layer(one_device(), ids.shape(), [&](Scope& root, ValueId x) {
    return embed(root, Embed{c.at("num_embeddings"), c.at("features")}, root.m().op(Convert{DType::i32}, {x}));
  });
  compare_output(layer, compare_local_init(layer, c), {as_floats(ids)}, {array(c.at("y"))});
}

void dense_general_case(const Json& c) {
  const Tensor x = array(c.at("x"));
  const Layer layer(one_device(), x.shape(), [&](Scope& root, ValueId v) {
    return dense_general(root, DenseGeneral{c.at("features").get<Shape>(), c.at("contracted").get<int64_t>()}, v);
  });
  compare_output(layer, compare_local_init(layer, c), {x}, {array(c.at("y"))});
}

void transformer_case(const Json& c) {
  const auto on = mesh(c.at("mesh"));
  const Group tp = axis("tp", *on);
  TpTransformerBlock block{TpMultiHeadAttention{tp, c.at("heads"), c.at("head_dim")}, TpMlpBlock{tp, c.at("hidden")}};
  block.attention.causal = c.at("causal");
  block.attention.normalize_qk = c.at("normalize_qk");
  const std::vector<Tensor> x = per_device(c.at("x"));
  const ModuleFn layers = [&](Scope& self, ValueId v) {
    return c.at("parallel") ? tp_transformer_parallel_block(self, block, v) : tp_transformer_block(self, block, v);
  };
  const Layer layer(on, x.at(0).shape(), [&](Scope& root, ValueId v) {
    return scan_layers(root.child("block"), c.at("layers"), layers, v);
  });
  compare_output(layer, compare_local_init(layer, c), x, per_device(c.at("y")));
}

/// The parameters of the output layer are sharded over the axis here, and plain arrays there: the same numbers.
void language_model_case(const Json& c) {
  const auto on = mesh(c.at("mesh"));
  const Group tp = axis("tp", *on);
  const Positions positions = c.at("sinusoidal") ? Positions::sinusoidal : Positions::learned;
  const TpTransformerBlock block{TpMultiHeadAttention{tp, c.at("heads"), c.at("head_dim")},
                                 TpMlpBlock{tp, c.at("hidden")}};
  TpOutputLayer logits{tp, c.at("vocabulary")};
  if (c.at("cap") != 0) {
    logits.use_bias = false;
    logits.soft_cap = Rational(c.at("cap").get<int64_t>());
  }
  const Tensor ids = array(c.at("ids"));
  const Layer layer(on, ids.shape(), [&](Scope& root, ValueId x) {
    Scope input = root.child("input_embedding"), backbone = root.child("backbone"), output = root.child("output_layer");
    const ValueId integers = root.m().op(Convert{DType::i32}, {x});
    const ModuleFn layers = [&](Scope& self, ValueId v) { return tp_transformer_block(self, block, v); };
    const TpInputEmbedding embedding{tp, c.at("vocabulary"), c.at("features"), positions};
    const ValueId h = tp_input_embedding(input, embedding, integers);
    return tp_output_layer(output, logits, scan_layers(backbone.child("block"), c.at("layers"), layers, h));
  });
  const std::vector<Tensor> x(static_cast<size_t>(on->device_count()), as_floats(ids));
  compare_output(layer, compare_local_init(layer, c), x, per_device(c.at("y")));
}

void run_case(const Json& c) {
  const std::map<std::string, void (*)(const Json&)> ops{{"embed", embed_case},
                                                         {"dense_general", dense_general_case},
                                                         {"transformer_block", transformer_case},
                                                         {"transformer", language_model_case}};
  ops.at(c.at("op"))(c);
}

TEST(Golden, Flax) { run_family("flax", 29, "", run_case); }

}  // namespace
}  // namespace isoshard::golden::flax_golden_test
