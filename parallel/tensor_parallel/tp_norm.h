#pragma once

#include "parallel/tensor_parallel/tensor_parallel.h"

namespace isoshard {

/// TPNorm: an RMSNorm of the features of all devices of `axis`, each with the scale of its own features. `self` is the
/// scope of the wrapper: the scale is `sharded/scale`. x and the result are V over `axis`; `dtype` is that of RmsNorm.
ValueId tp_norm(Scope& self, const Group& axis, ValueId x, std::optional<DType> dtype = {});

}  // namespace isoshard
