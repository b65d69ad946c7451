#pragma once

#include "parallel/layers/dense.h"

namespace isoshard {

/// flax.linen.DenseGeneral: the last `contracted` dimensions of x times a kernel [those, `features`..], plus a bias of
/// shape `features`, zeros at first. The kernel begins as the matrix [product of those, product of `features`] does.
struct DenseGeneral {
  Shape features;
  int64_t contracted = 1;
  Initializer kernel_init = lecun_normal_initializer();
  bool use_bias = true;
};
/// [.., those] -> [.., features..]. An x of lower rank is an error (C-dense).
ValueId dense_general(Scope& self, const DenseGeneral& layer, ValueId x, const std::string& name = "",
                      const Location& location = Location::here());

}  // namespace isoshard
