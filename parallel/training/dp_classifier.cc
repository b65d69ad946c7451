#include "parallel/training/dp_classifier.h"

#include "parallel/layers/dense.h"
#include "parallel/layers/dropout.h"
#include "parallel/sharding/shard_module_params.h"

namespace isoshard {

ValueId dp_classifier(Scope& self, const DpClassifier& model, ValueId x) {
  ModelBuilder& m = self.m();
  const auto layer = [&](const std::string& name, int64_t features, ValueId v) {
    Scope child = self.child(name);
    const ModuleFn apply = [&](Scope& scope, ValueId u) {
      Dense made{features};
      made.dtype = model.dtype;
      return dense(scope, made, u);
    };
    return model.fsdp ? shard_module_params(child, *model.fsdp, apply, v, model.min_weight_size) : apply(child, v);
  };
  const ValueId h = layer("input_dense", model.hidden, x);
  if (!h.valid()) return {};
  Scope drop = self.next_child("Dropout");
  const ValueId kept = dropout(drop, model.dropout, activate(m, Activation::silu, h, ""));
  return in_dtype(m, layer("output_dense", model.classes, kept), DType::f32);
}

}  // namespace isoshard
