#pragma once

#include <cstdint>
#include <type_traits>

#include "core/ir/scalar/host_device.h"

/// Functions of integers that wrap around, and integers that are made of floats or become some.
namespace isoshard::scalar {

/// The ends of an integer type; std::numeric_limits has no functions for a device.
template <typename N>
inline constexpr N kLeastInteger = std::is_signed_v<N>
                                       ? static_cast<N>(static_cast<std::make_unsigned_t<N>>(1) << (8 * sizeof(N) - 1))
                                       : N{0};
template <typename N>
inline constexpr N kGreatestInteger = static_cast<N>(~kLeastInteger<N>);

/// |x|; that of the least number is itself.
template <typename N>
ISOSHARD_SCALAR N integer_magnitude(N x) {
  using Unsigned = std::make_unsigned_t<N>;
  if constexpr (std::is_signed_v<N>) return x < N(0) ? static_cast<N>(Unsigned(0) - static_cast<Unsigned>(x)) : x;
  return x;
}

/// -1, 0 or 1.
template <typename N>
ISOSHARD_SCALAR N integer_sign(N x) {
  if constexpr (std::is_signed_v<N>) return static_cast<N>(static_cast<int>(x > N(0)) - static_cast<int>(x < N(0)));
  return static_cast<N>(x != N(0) ? 1 : 0);
}

/// x - y·trunc(x / y); x where y is 0, and 0 for the least number by -1, where processors trap.
template <typename N>
ISOSHARD_SCALAR N integer_remainder(N x, N y) {
  if (std::is_signed_v<N> && y == static_cast<N>(-1)) return N{0};
  return y == 0 ? x : static_cast<N>(x % y);
}

/// x / y toward zero; -1 (of unsigned numbers the greatest one) where y is 0, and the least number itself by -1, where
/// processors trap: as XLA has them.
template <typename N>
ISOSHARD_SCALAR N integer_quotient(N x, N y) {
  if (y == 0) return static_cast<N>(-1);
  if (std::is_signed_v<N> && y == static_cast<N>(-1)) {
    return static_cast<N>(std::make_unsigned_t<N>(0) - static_cast<std::make_unsigned_t<N>>(x));
  }
  return static_cast<N>(x / y);
}

/// How many bits of x are 1.
ISOSHARD_SCALAR int count_ones(std::uint64_t x) {
  int count = 0;
  for (; x != 0; x &= x - 1) ++count;
  return count;
}

/// How many bits of a word of 64 are 0 above the first 1.
ISOSHARD_SCALAR int leading_zeros(std::uint64_t x) {
  int count = 64;
  for (; x != 0; x >>= 1) --count;
  return count;
}

/// x toward zero as an integer: the nearest one beyond the range of N, 0 for nan.
template <typename N, typename T>
ISOSHARD_SCALAR N truncated(T x) {
  constexpr N kLeast = kLeastInteger<N>, kGreatest = kGreatestInteger<N>;
  if (x != x) return 0;
  if (x <= static_cast<T>(kLeast)) return kLeast;
  if (x >= static_cast<T>(kGreatest)) return kGreatest;  // which may round up, to the first number beyond the range
  return static_cast<N>(x);
}

/// x as a double that rounds to fewer bits as x does: itself, or beyond 53 bits the neighbour with an odd last bit (S.
/// Boldo, G. Melquiond 2005: round to odd).
ISOSHARD_SCALAR double odd_double(std::uint64_t x) {
  constexpr int kSpare = 11;
  constexpr std::uint64_t kRest = (std::uint64_t{1} << kSpare) - 1;
  if (x >> (64 - kSpare) == 0) return static_cast<double>(x);
  const std::uint64_t digits = x >> kSpare | ((x & kRest) != 0 ? 1 : 0);
  return static_cast<double>(digits) * static_cast<double>(kRest + 1);
}
ISOSHARD_SCALAR double odd_double(std::int64_t x) {
  const double size = odd_double(static_cast<std::uint64_t>(integer_magnitude(x)));
  return x < 0 ? -size : size;
}

}  // namespace isoshard::scalar
