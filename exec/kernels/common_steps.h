#pragma once

#include "core/plan/calls/step_op.h"
#include "exec/kernels/arithmetic.h"

/// What the steps of a Map are, as functions of v, b and c. They are handed to `use`, so that one who works on several
/// elements decides only once.
namespace isoshard::exec {

using calls::StepOp;

/// Steps of all numbers.
template <class T, class Use>
ISOSHARD_DEVICE void with_common_step(StepOp op, const Use& use) {
  switch (op) {
    case StepOp::negate:
      return use([](T v, T, T) { return negated(v); });
    case StepOp::absolute:
      return use([](T v, T, T) { return absolute(v); });
    case StepOp::sign:
      return use([](T v, T, T) { return sign(v); });
    case StepOp::add:
      return use([](T v, T b, T) { return added(v, b); });
    case StepOp::subtract:
      return use([](T v, T b, T) { return subtracted(v, b); });
    case StepOp::multiply:
      return use([](T v, T b, T) { return multiplied(v, b); });
    case StepOp::maximum:
      return use([](T v, T b, T) { return maximum(v, b); });
    case StepOp::minimum:
      return use([](T v, T b, T) { return minimum(v, b); });
    case StepOp::equal:
      return use([](T v, T b, T) { return v == b ? T(1) : T(0); });
    case StepOp::not_equal:
      return use([](T v, T b, T) { return v == b ? T(0) : T(1); });
    case StepOp::less:
      return use([](T v, T b, T) { return v < b ? T(1) : T(0); });
    case StepOp::less_equal:
      return use([](T v, T b, T) { return v <= b ? T(1) : T(0); });
    case StepOp::greater:
      return use([](T v, T b, T) { return v > b ? T(1) : T(0); });
    case StepOp::greater_equal:
      return use([](T v, T b, T) { return v >= b ? T(1) : T(0); });
    case StepOp::select:
      return use([](T v, T b, T c) { return v != T(0) ? b : c; });
    default:  // take
      return use([](T, T b, T) { return b; });
  }
}

}  // namespace isoshard::exec
