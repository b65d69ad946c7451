#pragma once

#include "core/ir/scalar/arctangent.h"
#include "core/ir/scalar/cube_root.h"
#include "core/ir/scalar/erf.h"
#include "core/ir/scalar/log.h"
#include "core/ir/scalar/narrow.h"
#include "core/ir/scalar/near_one.h"
#include "core/ir/scalar/power.h"
#include "core/ir/scalar/tanh.h"
#include "core/ir/scalar/trigonometric.h"
#include "exec/kernels/common_steps.h"

namespace isoshard::exec {

/// Steps that a GPU has no functions in few registers for; one element per thread is the way to go through them.
constexpr bool is_rare(StepOp op) {
  return op == StepOp::sine || op == StepOp::cosine || op == StepOp::erf_inv || op == StepOp::power ||
         op == StepOp::remainder || op == StepOp::atan2 || (op >= StepOp::exponential_minus_one && op <= StepOp::erfc);
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
    case StepOp::round_nearest_even:
      return use([](T v, T, T) { return scalar::round_nearest_even(v); });
    case StepOp::round_nearest_afz:
      return use([](T v, T, T) { return scalar::round_nearest_afz(v); });
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
    case StepOp::exponential_minus_one:
      return use([](T v, T, T) { return scalar::exponential_minus_one(v); });
    case StepOp::log_plus_one:
      return use([](T v, T, T) { return scalar::log_plus_one(v); });
    case StepOp::cbrt:
      return use([](T v, T, T) { return scalar::cbrt(v); });
    case StepOp::erf:
      return use([](T v, T, T) { return scalar::erf(v); });
    case StepOp::erfc:
      return use([](T v, T, T) { return scalar::erfc(v); });
    case StepOp::atan2:
      return use([](T v, T b, T) { return scalar::atan2(v, b); });
    case StepOp::power:
      return use([](T v, T b, T) { return scalar::power(v, b); });
    case StepOp::remainder:
      return use([](T v, T b, T) { return scalar::remainder(v, b); });
    default:
      return with_float_step<T>(op, use);
  }
}

}  // namespace isoshard::exec
