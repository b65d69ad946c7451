#include "catalogue/training/train_network.h"
#include "parallel/layers/dense_general.h"
#include "parallel/layers/embed.h"
#include "parallel/layers/norms.h"
#include "parallel/tensor_parallel/multi_head_attention.h"

namespace isoshard {
namespace {

/// One block: x + attention(norm(x)), then that plus an MLP of its norm (Radford et al. 2019), heads and hidden
/// features over `tensor` (Shoeybi et al. 2019).
class TrainBlock {
 public:
  TrainBlock(Scope& self, const TrainSizes& sizes, const Group& tensor, const TrainPlace& place)
      : self_(self), m_(self.m()), sizes_(sizes), tensor_(tensor), place_(place) {}

  ValueId of(ValueId x) {
    const ValueId y = m_.add(x, attention(normal("attention_norm", x)));
    return m_.add(y, mlp(normal("mlp_norm", y)));
  }

 private:
  ValueId normal(const std::string& name, ValueId x) {
    Scope norm = self_.child(name);
    return enter_tensor(m_, tensor_, rms_norm(norm, RmsNorm{.dtype = sizes_.dtype}, x));
  }

  ValueId attention(ValueId x) {
    const int64_t heads = sizes_.heads / m_.mesh().size(tensor_);
    const auto project = [&](const std::string& name) {
      Scope child = self_.child(name);
      return dense_general(child, DenseGeneral{{heads, sizes_.head_dim}, 1, lecun_normal_initializer(), false}, x);
    };
    const ValueId q = project("query"), k = project("key"), v = project("value");
    const ValueId mixed = dot_product_attention(m_, q, k, v, true);
    Scope out = self_.child("out").giving_terms(tensor_);
    const DenseGeneral layer{{sizes_.width}, 2, lecun_normal_initializer(), false};
    return leave_tensor(m_, tensor_, dense_general(out, layer, mixed));
  }

  ValueId mlp(ValueId x) {
    Scope up = self_.child("up"), down = self_.child("down").giving_terms(tensor_);
    const int64_t hidden = sizes_.hidden / m_.mesh().size(tensor_);
    const ValueId h = dense(up, Dense{hidden}, x);
    if (!h.valid()) return {};
    const ValueId a = train_dropout(m_, sizes_, tensor_, activate(m_, Activation::silu, h, ""), place_);
    const ValueId y = leave_tensor(m_, tensor_, dense(down, Dense{sizes_.width, lecun_normal_initializer(), false}, a));
    const ValueId bias = self_.param("bias", zeros_initializer(), {sizes_.width});
    return y.valid() ? m_.add(y, m_.broadcast_like(bias, {2}, y)) : y;
  }

  Scope& self_;
  ModelBuilder& m_;
  const TrainSizes& sizes_;
  const Group& tensor_;
  const TrainPlace& place_;
};

/// The embeddings of the ids [rows, positions] and of their positions.
ValueId embedded(Scope& self, const TrainSizes& sizes, ValueId ids) {
  ModelBuilder& m = self.m();
  Scope tokens = self.child("tokens");
  const ValueId x = embed(tokens, Embed{sizes.vocabulary, sizes.width}, ids);
  const ValueId places = self.param("positions", normal_initializer(0.02), {sizes.positions, sizes.width});
  return x.valid() ? m.add(x, m.broadcast_like(places, {1, 2}, x)) : x;
}

/// log(sum of exp(logits)) - the logit of the label, at each position.
ValueId cross_entropy_of_positions(ModelBuilder& m, ValueId logits, ValueId labels) {
  if (!logits.valid()) return {};
  const auto over = [&](Reducer reducer, ValueId x) { return m.op(Reduce{reducer, {2}, {}}, {x}); };
  const ValueId top = over(Reducer::max, m.op(StopGradient{}, {logits}));
  const ValueId shifted = m.op(Subtract{}, {logits, m.broadcast_like(top, {0, 1}, logits)});
  const ValueId log_sum = m.op(Log{}, {over(Reducer::add, m.op(Exponential{}, {shifted}))});
  const ValueId word = m.op(Iota{DType::i32, m.shape(logits), 2}, {});
  const ValueId is_label = m.op(Compare{Direction::eq}, {word, m.broadcast_like(labels, {0, 1}, word)});
  const ValueId own = m.op(Select{}, {is_label, shifted, m.constant_like(shifted, Rational(0))});
  return m.op(Subtract{}, {log_sum, over(Reducer::add, own)});
}

}  // namespace

TrainNetwork train_transformer(const TrainSizes& sizes, const TrainAxes& axes) {
  const ViewEntry all, tensor{axes.tensor};
  const int64_t width = sizes.width;
  Group behind = axes.tensor;  // the loss is the same on all stages
  behind.axes.insert(behind.axes.end(), axes.pipeline.axes.begin(), axes.pipeline.axes.end());
  TrainNetwork network;
  const TensorType ids{DType::i32, {sizes.rows, sizes.positions}};
  network.batch = {{"ids", ids, {}}, {"labels", ids, {}}};
  network.outer = {{"tokens.embedding", {sizes.vocabulary, width}, {all, all}, axes.tensor, InitKind::normal},
                   {"positions", {sizes.positions, width}, {all, all}, axes.tensor, InitKind::normal},
                   {"norm.scale", {width}, {all}, behind, InitKind::ones},
                   {"head.kernel", {width, sizes.vocabulary}, {all, all}, behind}};
  const Shape heads{width, sizes.heads, sizes.head_dim};
  const Layout by_head{all, tensor, all};
  network.blocks = {{"blocks.attention_norm.scale", {width}, {all}, axes.tensor, InitKind::ones},
                    {"blocks.query.kernel", heads, by_head},
                    {"blocks.key.kernel", heads, by_head},
                    {"blocks.value.kernel", heads, by_head},
                    {"blocks.out.kernel", {sizes.heads, sizes.head_dim, width}, {tensor, all, all}},
                    {"blocks.mlp_norm.scale", {width}, {all}, axes.tensor, InitKind::ones},
                    {"blocks.up.kernel", {width, sizes.hidden}, {all, tensor}},
                    {"blocks.up.bias", {sizes.hidden}, {tensor}, {}, InitKind::zeros},
                    {"blocks.down.kernel", {sizes.hidden, width}, {tensor, all}},
                    {"blocks.bias", {width}, {all}, axes.tensor, InitKind::zeros}};
  network.input = [sizes](Scope& self, const std::vector<ValueId>& batch) { return embedded(self, sizes, batch[0]); };
  network.block = [sizes, axes](Scope& self, ValueId x, const TrainPlace& place) {
    return TrainBlock(self, sizes, axes.tensor, place).of(x);
  };
  network.losses = [sizes](Scope& self, ValueId x, const std::vector<ValueId>& batch) {
    Scope norm = self.child("norm"), head = self.child("head");
    const Dense layer{sizes.vocabulary, lecun_normal_initializer(), false};
    const ValueId logits = dense(head, layer, rms_norm(norm, RmsNorm{.dtype = sizes.dtype}, x));
    return cross_entropy_of_positions(self.m(), in_dtype(self.m(), logits, DType::f32), batch[1]);
  };
  network.losses_per_row = sizes.positions;
  return network;
}

}  // namespace isoshard
