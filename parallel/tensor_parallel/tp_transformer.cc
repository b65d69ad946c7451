#include "parallel/tensor_parallel/tp_transformer.h"

#include "parallel/layers/dropout.h"
#include "parallel/sharding/shard_module_params.h"

namespace isoshard {
namespace {

/// prepare_module: the module, sharded if the block says so.
ValueId prepared(Scope& self, const TpTransformerBlock& block, const ModuleFn& module_fn, ValueId x) {
  if (block.fsdp.empty()) return module_fn(self, x);
  return shard_module_params(self, block.fsdp, module_fn, x, block.fsdp_min_weight_size);
}

}  // namespace

ValueId tp_transformer_block(Scope& self, const TpTransformerBlock& block, ValueId x, const std::string& name,
                             const Location& location) {
  ModelBuilder& m = self.m();
  const auto residual = [&](const std::string& child, const ModuleFn& module_fn, ValueId v, const std::string& label) {
    Scope scope = self.child(child), drop = self.next_child("Dropout");
    return m.add(v, dropout(drop, block.dropout_rate, prepared(scope, block, module_fn, v), "", location), label,
                 location);
  };
  const ModuleFn attention = [&](Scope& scope, ValueId v) {
    return tp_multi_head_attention(scope, block.attention, v, "", location);
  };
  const ModuleFn mlp = [&](Scope& scope, ValueId v) { return tp_async_mlp_block(scope, block.mlp, v, "", location); };
  return residual("mlp", mlp, residual("attn", attention, x, ""), name);
}

}  // namespace isoshard
