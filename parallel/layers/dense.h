#pragma once

#include "parallel/module/module.h"

namespace isoshard {

/// `x` with the state `to` on the axes where it has another one, by reinterpret; in untyped programs x itself.
ValueId as_state(ModelBuilder& m, ValueId x, const Group& axis, State to, const Location& location = Location::here());

/// `x` in the dtype in which a module computes (docs/adr/0023-training-loop.md); x itself where that is its own, or
/// none is given.
ValueId in_dtype(ModelBuilder& m, ValueId x, std::optional<DType> dtype, const Location& location = Location::here());

/// Flax's nn.Dense: x W + b over the last dimension of x, parameters `kernel` [features of x, features] and `bias`
/// [features], the latter zeros at first. With a `dtype` x, W and b are converted to it, and so the result has it.
struct Dense {
  int64_t features = 0;
  Initializer kernel_init = lecun_normal_initializer();
  bool use_bias = true;
  std::optional<DType> dtype{};
};
/// [.., n] -> [.., features]. A scalar x is an error (C-dense).
ValueId dense(Scope& self, const Dense& layer, ValueId x, const std::string& name = "",
              const Location& location = Location::here());

/// What TPDense is made from: a module that takes the initialiser of its kernel and whether it has a bias, and the name
/// of its class, after which Flax calls it where nobody names it.
struct DenseFn {
  std::string class_name;
  std::function<ValueId(Scope& self, ValueId x, const Initializer& kernel_init, bool use_bias)> apply;
};
/// `dense` with that many features.
DenseFn dense_fn(int64_t features, std::optional<DType> dtype = {});

}  // namespace isoshard
