#pragma once

#include "exec/kernels/float_steps.h"

namespace isoshard::exec {

/// Steps of integers and predicates.
template <class T, class Use>
ISOSHARD_DEVICE void with_integer_step(StepOp op, const Use& use) {
  switch (op) {
    case StepOp::divide:
      return use([](T v, T b, T) { return scalar::integer_quotient(v, b); });
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
    case StepOp::shift_left:
      return use([](T v, T b, T) {
        const auto bits = static_cast<uint64_t>(b);
        return static_cast<T>(bits < 64 ? static_cast<uint64_t>(v) << bits : 0);
      });
    case StepOp::shift_right_sign:
      return use([](T v, T b, T) {
        const auto bits = static_cast<uint64_t>(b);
        return static_cast<T>(static_cast<int64_t>(v) >> (bits < 63 ? bits : 63));
      });
    case StepOp::count_ones:
      return use([](T v, T, T) { return static_cast<T>(scalar::count_ones(static_cast<uint64_t>(v))); });
    case StepOp::leading_zeros:
      return use([](T v, T, T) { return static_cast<T>(scalar::leading_zeros(static_cast<uint64_t>(v))); });
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
