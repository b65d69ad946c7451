// A transformer block whose attention and MLP read the same norm and are added up, so that one ring gathers the input
// of both and one ring scatters their sum (docs/spec/originals.md, "Transformer"; Wang and Komatsuzaki 2021). What goes
// round the rings is one array: the features of the MLP and behind them those of the heads, which are joined and cut
// apart around each product. So a block communicates half as often as one with two parts in a row. The activation is
// computed once where the original repeats it in each shard, which gives the same.
#include <utility>

#include "parallel/layers/dense_general.h"
#include "parallel/layers/dropout.h"
#include "parallel/sharding/shard_module_params.h"
#include "parallel/tensor_parallel/tp_norm.h"
#include "parallel/tensor_parallel/tp_transformer.h"

namespace isoshard {
namespace {

/// What goes round the rings: the features of the MLP and those of the heads, [b, positions, first + rest].
class Joined {
 public:
  Joined(ModelBuilder& m, int64_t first, int64_t head_dim) : m_(m), first_(first), head_dim_(head_dim) {}

  /// `heads` are [b, positions, heads, head_dim].
  ValueId join(ValueId mlp, ValueId heads) {
    if (!mlp.valid() || !heads.valid()) return {};
    Shape flat = m_.shape(mlp);
    flat.back() = m_.shape(heads)[2] * head_dim_;
    return m_.op(Concatenate{2}, {mlp, m_.op(Reshape{std::move(flat)}, {heads})});
  }

  ValueId mlp(ValueId x) { return m_.slice(x, -1, 0, first_); }

  ValueId heads(ValueId x) {
    const Shape shape = m_.shape(x);
    const Shape split{shape[0], shape[1], (shape[2] - first_) / head_dim_, head_dim_};
    return m_.op(Reshape{split}, {m_.slice(x, -1, first_, shape[2])});
  }

 private:
  ModelBuilder& m_;
  int64_t first_, head_dim_;
};

/// Dense `dense` of the scope's child `mlp`.
ValueId mlp_dense(Scope& self, int64_t features, ValueId x, const Initializer& kernel_init, bool use_bias) {
  Scope mlp = self.child("mlp");
  Scope child = mlp.child("dense");
  return dense(child, Dense{features, kernel_init, use_bias}, x);
}

DenseFn parallel_block_input(const TpTransformerBlock& block, int64_t hidden) {
  return DenseFn{"QKVMLPDense", [=](Scope& self, ValueId x, const Initializer& kernel_init, bool use_bias) {
                   const ValueId h = mlp_dense(self, hidden, x, kernel_init, use_bias);
                   Scope qkv = self.child("qkv");
                   return Joined(self.m(), hidden, block.attention.head_dim)
                       .join(h, qkv_dense(qkv, block.attention, x, kernel_init));
                 }};
}

DenseFn parallel_block_output(const TpTransformerBlock& block, int64_t hidden, int64_t features) {
  return DenseFn{
      "AttnMLPOut", [=](Scope& self, ValueId x, const Initializer& kernel_init, bool use_bias) {
        if (!x.valid()) return ValueId();
        ModelBuilder& m = self.m();
        Joined joined(m, hidden, block.attention.head_dim);
        const ValueId mlp = mlp_dense(self, features, joined.mlp(x), kernel_init, use_bias);
        Scope attn = self.child("attn");
        Scope out = attn.child("out");
        return m.add(mlp, dense_general(out, DenseGeneral{{features}, 2, kernel_init, use_bias}, joined.heads(x)));
      }};
}

/// The block without its residual, `hidden` features on each device.
ValueId both_parts(Scope& self, const TpTransformerBlock& block, int64_t hidden, ValueId x, const Location& location) {
  ModelBuilder& m = self.m();
  const TpMultiHeadAttention& attention = block.attention;
  TpAsyncDense in{parallel_block_input(block, hidden), attention.axis};
  TpAsyncDense out{parallel_block_output(block, hidden, m.shape(x).back()), attention.axis};
  in.tp_mode = "gather";
  out.tp_mode = "scatter";
  in.kernel_init_adjustment = out.kernel_init_adjustment = fan_in_adjustment(m, attention.axis);
  in.use_bidirectional_gather = attention.use_bidirectional_gather;
  out.use_bidirectional_scatter = attention.use_bidirectional_scatter;
  Scope norm = self.child("pre_norm"), first = self.child("hqkv"), second = self.child("out");
  const ValueId h = tp_async_dense(first, in, tp_norm(norm, attention.axis, x), "", location);
  if (!h.valid()) return {};
  Joined joined(m, hidden, attention.head_dim);
  const ValueId mixed = attend_to_qkv(m, joined.heads(h), attention.causal, location);
  // The original has the activation inside each shard of `out`.
  const ValueId active = activate(m, block.mlp.activation, joined.mlp(h), "", location);
  return tp_async_dense(second, out, joined.join(active, mixed), "", location);
}

}  // namespace

ValueId tp_transformer_parallel_block(Scope& self, const TpTransformerBlock& block, ValueId x, const std::string& name,
                                      const Location& location) {
  ModelBuilder& m = self.m();
  if (!x.valid() || !check_attention(m, block.attention, x, location)) return {};
  const std::optional<int64_t> hidden = share_of_device(m, "TPTransformerParallelBlock", block.mlp.hidden,
                                                        "hidden features", block.attention.axis, location);
  if (!hidden) return {};
  const ModuleFn parts = [&](Scope& scope, ValueId v) { return both_parts(scope, block, *hidden, v, location); };
  const ValueId y =
      block.fsdp.empty() ? parts(self, x) : shard_module_params(self, block.fsdp, parts, x, block.fsdp_min_weight_size);
  Scope drop = self.next_child("Dropout");
  return m.add(x, dropout(drop, block.dropout_rate, y, "", location), name, location);
}

}  // namespace isoshard
