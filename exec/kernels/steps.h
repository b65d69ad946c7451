#pragma once

#include "core/ir/scalar/erf_inv.h"
#include "core/ir/scalar/log.h"
#include "core/ir/scalar/narrow.h"
#include "core/ir/scalar/power.h"
#include "core/ir/scalar/tanh.h"
#include "core/ir/scalar/trigonometric.h"
#include "core/plan/calls/step_op.h"
#include "exec/kernels/arithmetic.h"

/// What the steps of a Map are, as functions of v, b and c. They are handed to `use`, so that one who works on several
/// elements decides only once.
namespace isoshard::exec {

using calls::StepOp;

/// Steps that a GPU has no functions in few registers for; one element per thread is the way to go through them.
constexpr bool is_rare(StepOp op) {
  return op == StepOp::sine || op == StepOp::cosine || op == StepOp::erf_inv || op == StepOp::power ||
         op == StepOp::remainder;
}

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

template <class Narrow, class T>
ISOSHARD_DEVICE T rounded(T x) {
  return scalar::narrowed<Narrow>(x);
}

/// Steps of floats but for those that are rare.
template <class T, class Use>
ISOSHARD_DEVICE void with_float_step(StepOp op, const Use& use) {
  switch (op) {
    case StepOp::exponential:
      return use([](T v, T, T) { return scalar::exponential(v); });
    case StepOp::log:
      return use([](T v, T, T) { return scalar::log(v); });
    case StepOp::tanh:
      return use([](T v, T, T) { return scalar::tanh(v); });
    case StepOp::logistic:
      return use([](T v, T, T) { return scalar::logistic(v); });
    case StepOp::sqrt:
      return use([](T v, T, T) { return scalar::sqrt(v); });
    case StepOp::rsqrt:
      return use([](T v, T, T) { return scalar::rsqrt(v); });
    case StepOp::floor:
      return use([](T v, T, T) { return scalar::floor(v); });
    case StepOp::is_finite:
      return use([](T v, T, T) { return scalar::is_number(v) ? T(1) : T(0); });
    case StepOp::divide:
      return use([](T v, T b, T) { return scalar::canonical(v / b); });
    case StepOp::round_bf16:
      return use([](T v, T, T) { return rounded<scalar::Bf16>(v); });
    case StepOp::round_f16:
      return use([](T v, T, T) { return rounded<scalar::F16>(v); });
    case StepOp::round_f8e4m3:
      return use([](T v, T, T) { return rounded<scalar::F8E4M3>(v); });
    case StepOp::round_f8e5m2:
      return use([](T v, T, T) { return rounded<scalar::F8E5M2>(v); });
    default:
      return with_common_step<T>(op, use);
  }
}

/// Steps of floats.
template <class T, class Use>
ISOSHARD_DEVICE void with_any_float_step(StepOp op, const Use& use) {
  switch (op) {
    case StepOp::sine:
      return use([](T v, T, T) { return scalar::sine(v); });
    case StepOp::cosine:
      return use([](T v, T, T) { return scalar::cosine(v); });
    case StepOp::erf_inv:
      return use([](T v, T, T) { return scalar::erf_inv(v); });
    case StepOp::power:
      return use([](T v, T b, T) { return scalar::power(v, b); });
    case StepOp::remainder:
      return use([](T v, T b, T) { return scalar::remainder(v, b); });
    default:
      return with_float_step<T>(op, use);
  }
}

/// Steps of integers and predicates.
template <class T, class Use>
ISOSHARD_DEVICE void with_integer_step(StepOp op, const Use& use) {
  switch (op) {
    case StepOp::remainder:
      return use([](T v, T b, T) { return scalar::integer_remainder(v, b); });
    case StepOp::conjunction:
      return use([](T v, T b, T) { return v & b; });
    case StepOp::disjunction:
      return use([](T v, T b, T) { return v | b; });
    case StepOp::exclusive_or:
      return use([](T v, T b, T) { return v ^ b; });
    case StepOp::shift_right:
      return use([](T v, T b, T) {
        const auto bits = static_cast<uint64_t>(b);
        return static_cast<T>(bits < 64 ? static_cast<uint64_t>(v) >> bits : 0);
      });
    case StepOp::wrap_i8:
      return use([](T v, T, T) { return static_cast<T>(static_cast<int8_t>(v)); });
    case StepOp::wrap_u8:
      return use([](T v, T, T) { return static_cast<T>(static_cast<uint8_t>(v)); });
    case StepOp::wrap_i32:
      return use([](T v, T, T) { return static_cast<T>(static_cast<int32_t>(v)); });
    case StepOp::wrap_u32:
      return use([](T v, T, T) { return static_cast<T>(static_cast<uint32_t>(v)); });
    default:
      return with_common_step<T>(op, use);
  }
}

/// Steps of T.
template <class T, class Use>
ISOSHARD_DEVICE void with_step(StepOp op, const Use& use) {
  if constexpr (std::is_floating_point_v<T>) {
    with_any_float_step<T>(op, use);
  } else {
    with_integer_step<T>(op, use);
  }
}

}  // namespace isoshard::exec
