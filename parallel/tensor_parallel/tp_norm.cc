#include "parallel/tensor_parallel/tp_norm.h"

#include "parallel/layers/norms.h"

namespace isoshard {

ValueId tp_norm(Scope& self, const Group& axis, ValueId x, std::optional<DType> dtype) {
  RmsNorm layer{axis};
  layer.dtype = dtype;
  const ModuleFn normalize = [&](Scope& scope, ValueId v) { return rms_norm(scope, layer, v); };
  return model_parallelism_wrapper(self, axis, normalize, x);
}

}  // namespace isoshard
