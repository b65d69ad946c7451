#include "parallel/pipelines/pp_classifier.h"

#include "parallel/layers/dense.h"
#include "parallel/layers/dropout.h"
#include "parallel/layers/norms.h"
#include "parallel/module/scan_layers.h"
#include "parallel/pipelines/looping_pipeline.h"
#include "parallel/pipelines/pipeline_parallel.h"
#include "parallel/tensor_parallel/tensor_parallel.h"

namespace isoshard {
namespace {

ValueId block(Scope& self, const PpClassifier& layer, ValueId x) {
  ModelBuilder& m = self.m();
  Scope norm = self.child("pre_norm"), in = self.child("input_dense"), out = self.child("output_dense");
  Scope drop = self.next_child("Dropout");
  const ValueId h = activate(m, Activation::silu, dense(in, Dense{layer.hidden}, layer_norm(norm, {}, x)), "");
  return m.add(x, dense(out, Dense{layer.hidden}, dropout(drop, layer.dropout, h)));
}

}  // namespace

ValueId pp_classifier(Scope& self, const PpClassifier& layer, ValueId x) {
  const auto wrapped = [&](const std::string& name, const ModuleFn& module, ValueId v, WrapperOptions options = {}) {
    Scope wrapper = self.child(name);
    return model_parallelism_wrapper(wrapper, layer.axis, module, v, options);
  };
  const auto of_width = [](int64_t features) -> ModuleFn {
    return [features](Scope& scope, ValueId v) { return dense(scope, Dense{features}, v); };
  };
  const ModuleFn layers = [&](Scope& scope, ValueId v) {
    Scope stage = scope.child("mlp_layers");
    return scan_layers(
        stage.child("block"), layer.layers, [&](Scope& own, ValueId u) { return block(own, layer, u); }, v);
  };
  const ModuleFn pipeline = [&](Scope& scope, ValueId v) {
    if (layer.loops == 1) return pipeline_module(scope, layer.axis, layer.num_microbatches, layers, v);
    return looping_pipeline_module(scope, layer.axis, layer.num_microbatches, layer.loops, layers, v);
  };
  const ModuleFn norm = [](Scope& scope, ValueId v) { return layer_norm(scope, {}, v); };
  const WrapperOptions on_first{0}, on_last{self.m().mesh().size(layer.axis) - 1};
  const ValueId h = wrapped("pipeline", pipeline, wrapped("input_dense", of_width(layer.hidden), x, on_first));
  return wrapped("output_dense", of_width(layer.classes), wrapped("output_norm", norm, h, on_last), on_last);
}

}  // namespace isoshard
