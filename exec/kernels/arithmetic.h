#pragma once

#include <type_traits>

#include "core/ir/scalar/integers.h"
#include "core/ir/scalar/order.h"
#include "exec/kernels/simt/simt.h"

/// Arithmetic of the numbers that kernels compute in: float and double, whose nan is the canonical one, and int64_t and
/// uint64_t, which wrap around.
namespace isoshard::exec {

template <class T>
ISOSHARD_DEVICE T added(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return scalar::canonical(a + b);
  } else {
    return static_cast<T>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  }
}

template <class T>
ISOSHARD_DEVICE T subtracted(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return scalar::canonical(a - b);
  } else {
    return static_cast<T>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
  }
}

template <class T>
ISOSHARD_DEVICE T multiplied(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return scalar::canonical(a * b);
  } else {
    return static_cast<T>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
  }
}

template <class T>
ISOSHARD_DEVICE T negated(T a) {
  if constexpr (std::is_floating_point_v<T>) {
    return scalar::canonical(-a);
  } else {
    return subtracted(T(0), a);
  }
}

/// sum + a · b: of floats rounded once, the nan any.
template <class T>
ISOSHARD_DEVICE T multiply_added(T a, T b, T sum) {
  if constexpr (std::is_floating_point_v<T>) {
    return scalar::fused(a, b, sum);
  } else {
    return added(sum, multiplied(a, b));
  }
}

template <class T>
ISOSHARD_DEVICE T maximum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return scalar::larger(a, b);
  } else {
    return a < b ? b : a;
  }
}

template <class T>
ISOSHARD_DEVICE T minimum(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return scalar::smaller(a, b);
  } else {
    return b < a ? b : a;
  }
}

template <class T>
ISOSHARD_DEVICE T absolute(T a) {
  if constexpr (std::is_floating_point_v<T>) {
    return scalar::canonical(scalar::magnitude(a));
  } else {
    return scalar::integer_magnitude(a);
  }
}

template <class T>
ISOSHARD_DEVICE T sign(T a) {
  if constexpr (std::is_floating_point_v<T>) {
    return scalar::sign_of(a);
  } else {
    return scalar::integer_sign(a);
  }
}

/// Whether a comes before b in a list that falls.
template <class T>
ISOSHARD_DEVICE bool falls(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    return scalar::falls(a, b);
  } else {
    return a > b;
  }
}

}  // namespace isoshard::exec
