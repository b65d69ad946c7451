#pragma once

#include <vector>

#include "parallel/module/model_builder.h"

/// What turns gradients into new parameters: optax's sgd, adam, adamw and clip_by_global_norm (docs/adr/0022).
namespace isoshard {

enum class OptimizerKind : uint8_t {
  sgd,       ///< w - lr g
  momentum,  ///< w - lr t, t' = momentum t + g; nesterov: w - lr (g + momentum t')
  adam,      ///< Kingma and Ba 2015, as in optax: w - lr m^ / (sqrt(v^) + epsilon)
  adamw,     ///< the same with decoupled weight decay: w - lr (m^ / (sqrt(v^) + epsilon) + weight_decay w)
};

struct Optimizer {
  OptimizerKind kind = OptimizerKind::sgd;
  Rational learning_rate{1, 1000};
  Rational momentum{9, 10};
  bool nesterov = false;
  Rational b1{9, 10}, b2{999, 1000}, epsilon{1, 100'000'000};
  Rational weight_decay{1, 10'000};
};

/// A parameter as a device sees it: a block of its array, and the same block of its gradient.
struct Trained {
  GlobalId param;
  Layout layout;  ///< of both in the array; also that of the moments
  ValueId value;
  ValueId gradient;  ///< complete: where it is P, reduce it before
};

/// The next value of each parameter, in its layout; `update` is the caller's. Nothing is communicated.
///
/// Moments become globals of role `state` that are zeros at first and are updated here: `@W.trace` of momentum, `@W.m`
/// and `@W.v` of Adam, in the dtype of `@W`; `@adam.c1` and `@adam.c2` are 1 - b1^t and 1 - b2^t, by which m and v are
/// divided. Programs of one module share them. Errors: C-optimizer where momentum, b1 or b2 is not in 0 <= b < 1,
/// epsilon is negative, or the module has a global of such a name and another type.
std::vector<ValueId> apply_optimizer(ModelBuilder& m, const Optimizer& optimizer, const std::vector<Trained>& params,
                                     const Location& location = Location::here());

/// A value and how it is cut in an array that all devices hold together.
struct ShardedValue {
  ValueId value;
  Layout layout;
};
/// The norm of a tree of arrays: the square root of the sum of the squares of all elements, each counted once. What a
/// layout splits is summed over the axes that split it, in one all_reduce for all leaves of the same axes; copies are
/// not. The values have no gradient, are not P, and their blocks are equal (no uneven splits). A scalar, equal on all
/// devices.
ValueId global_norm(ModelBuilder& m, const std::vector<ShardedValue>& tree,
                    const Location& location = Location::here());

/// Each value times max_norm / max(max_norm, global_norm): those of a norm of at most `max_norm` stay as they are. An
/// error where `max_norm` is not above 0 (C-optimizer).
std::vector<ValueId> clip_by_global_norm(ModelBuilder& m, const std::vector<ShardedValue>& tree,
                                         const Rational& max_norm, const Location& location = Location::here());

}  // namespace isoshard
