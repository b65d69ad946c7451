// MLP blocks of two dense layers, the first of mode `gather` and the second of mode `scatter`, so that the hidden
// features stay split and each block communicates twice (docs/spec/originals.md, "MLP blocks"). With one collective the
// norm is taken inside of the first layer, of the gathered features; with rings it needs the mean over all devices, by
// tp_norm, because no device ever has all of them. The activation is computed once before the second layer, where the
// original repeats it in each shard, which gives the same. A classifier of such blocks scans over its layers.
#include "parallel/tensor_parallel/tp_mlp_block.h"

#include <utility>

#include "parallel/layers/norms.h"
#include "parallel/module/scan_layers.h"
#include "parallel/tensor_parallel/tp_norm.h"

namespace isoshard {
namespace {

/// Dense `dense` in `self`, which gives terms where `self` does.
ValueId dense_child(Scope& self, const Dense& layer, ValueId x) {
  Scope child = self.child("dense").giving_terms(self.terms());
  return dense(child, layer, x);
}

/// RMSNorm `pre_norm`, unless the norm has been taken already, and a dense layer.
DenseFn mlp_input(int64_t features, bool use_norm, std::optional<DType> dtype) {
  return DenseFn{"MLPBlockInput", [=](Scope& self, ValueId x, const Initializer& kernel_init, bool use_bias) {
                   if (use_norm) {
                     Scope norm = self.child("pre_norm");
                     RmsNorm rms;
                     rms.dtype = dtype;
                     x = rms_norm(norm, rms, x);
                   }
                   return dense_child(self, Dense{features, kernel_init, use_bias, dtype}, x);
                 }};
}

/// A dense layer of what the activation gives: the same x for all shards, so that it is computed once.
DenseFn mlp_output(int64_t features, std::optional<DType> dtype) {
  return DenseFn{"MLPBlockOutput", [=](Scope& self, ValueId x, const Initializer& kernel_init, bool use_bias) {
                   return dense_child(self, Dense{features, kernel_init, use_bias, dtype}, x);
                 }};
}

}  // namespace

ValueId tp_mlp_block(Scope& self, const TpMlpBlock& block, ValueId x, const std::string& name,
                     const Location& location) {
  ModelBuilder& m = self.m();
  const std::optional<int64_t> hidden =
      share_of_device(m, "TPMLPBlock", block.hidden, "hidden features", block.axis, location);
  if (!hidden || !x.valid()) return {};
  TpDense input{mlp_input(*hidden, true, block.dtype), block.axis, "gather"}, output{{}, block.axis, "scatter"};
  output.kernel_init_adjustment = fan_in_adjustment(m, block.axis);
  Scope first = self.child("input"), second = self.child("output");
  const ValueId h = tp_dense(first, input, x, "", location);
  if (!h.valid()) return {};
  output.dense_fn = mlp_output(m.shape(x).back() * m.mesh().size(block.axis), block.dtype);
  return tp_dense(second, output, activate(m, block.activation, h, "", location), name, location);
}

ValueId tp_async_mlp_block(Scope& self, const TpMlpBlock& block, ValueId x, const std::string& name,
                           const Location& location) {
  ModelBuilder& m = self.m();
  const std::optional<int64_t> hidden =
      share_of_device(m, "TPAsyncMLPBlock", block.hidden, "hidden features", block.axis, location);
  if (!hidden || !x.valid()) return {};
  TpAsyncDense input{mlp_input(*hidden, false, block.dtype), block.axis, "gather"}, output{{}, block.axis, "scatter"};
  input.kernel_init_adjustment = output.kernel_init_adjustment = fan_in_adjustment(m, block.axis);
  output.use_bidirectional_scatter = block.split_scatter;
  Scope norm = self.child("pre_norm"), first = self.child("input"), second = self.child("output");
  const ValueId h = tp_async_dense(first, input, tp_norm(norm, block.axis, x, block.dtype), "", location);
  if (!h.valid()) return {};
  output.dense_fn = mlp_output(m.shape(x).back(), block.dtype);
  // The original has the activation inside each shard of `output`.
  return tp_async_dense(second, output, activate(m, block.activation, h, "", location), name, location);
}

ValueId tp_classifier(Scope& self, const TpClassifier& model, ValueId x, const std::string& name,
                      const Location& location) {
  ModelBuilder& m = self.m();
  const std::optional<int64_t> width =
      share_of_device(m, "TPClassifier", model.hidden, "hidden features", model.axis, location);
  if (!width || !x.valid()) return {};
  TpDense input{dense_fn(*width, model.dtype), model.axis, "gather", true},
      output{dense_fn(model.classes, model.dtype), model.axis, "scatter", true};
  output.kernel_init_adjustment = fan_in_adjustment(m, model.axis);
  const TpMlpBlock block{model.axis, model.hidden, Activation::silu, model.split_scatter, model.dtype};
  const ModuleFn layer = [&](Scope& scope, ValueId v) {
    const ValueId y = model.async ? tp_async_mlp_block(scope, block, v) : tp_mlp_block(scope, block, v);
    return scope.m().add(v, y);
  };
  Scope first = self.child("input_layer"), mlp = self.child("mlp"), last = self.child("output_layer");
  const ValueId h = tp_dense(first, input, x, "", location);
  const ValueId z = scan_layers(mlp.child("block"), model.layers, layer, h, "", location);
  const ValueId terms = tp_dense(last, output, z, "", location);
  if (!terms.valid()) return {};
  const bool rounded = model.dtype && model.dtype != DType::f32;
  const ValueId logits = m.all_reduce(terms, model.axis, State::replicated, rounded ? "" : name, location);
  return rounded ? m.op(Convert{DType::f32}, {logits}, name, location) : logits;
}

}  // namespace isoshard
