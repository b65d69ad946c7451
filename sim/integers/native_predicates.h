#pragma once

#include <cstdint>

#include "core/support/check.h"
#include "sim/integers/order_domain.h"

/// Comparisons and predicates as the machine has them: bytes 0 and 1, and bits of integers.
namespace isoshard::sim {

/// Comparisons with a nan do not hold, except `ne`.
template <class T>
void compare_native(Direction direction, int64_t n, const T* x, const T* y, uint8_t* out) {
  const auto each = [&](auto holds) {
    for (int64_t i = 0; i < n; ++i) out[i] = holds(x[i], y[i]) ? 1 : 0;
  };
  switch (direction) {
    case Direction::eq:
      return each([](T a, T b) { return a == b; });
    case Direction::ne:
      return each([](T a, T b) { return !(a == b); });
    case Direction::lt:
      return each([](T a, T b) { return a < b; });
    case Direction::le:
      return each([](T a, T b) { return a <= b; });
    case Direction::gt:
      return each([](T a, T b) { return a > b; });
    case Direction::ge:
      return each([](T a, T b) { return a >= b; });
    case Direction::none:
      break;
  }
  internal_error("compare", "inference rejects a compare without direction", __FILE__, __LINE__);
}

/// Bitwise; `ones` is what negation flips.
template <class T>
void logic_native(Logic op, int64_t n, const T* x, const T* y, T* out, T ones) {
  for (int64_t i = 0; i < n; ++i) {
    out[i] = static_cast<T>(op == Logic::conjunction   ? x[i] & y[i]
                            : op == Logic::disjunction ? x[i] | y[i]
                                                       : x[i] ^ ones);
  }
}

/// Elements of x where the byte is not 0, otherwise of y.
inline void select_native(size_t bytes, int64_t n, const uint8_t* predicate, const std::byte* x, const std::byte* y,
                          std::byte* out) {
  const auto each = [&](auto zero) {
    using T = decltype(zero);
    const T* a = reinterpret_cast<const T*>(x);
    const T* b = reinterpret_cast<const T*>(y);
    T* c = reinterpret_cast<T*>(out);
    for (int64_t i = 0; i < n; ++i) c[i] = predicate[i] != 0 ? a[i] : b[i];
  };
  switch (bytes) {
    case 1:
      return each(uint8_t{});
    case 2:
      return each(uint16_t{});
    case 4:
      return each(uint32_t{});
    case 8:
      return each(uint64_t{});
    default:
      internal_error("select", "an element size of 1, 2, 4 or 8 bytes", __FILE__, __LINE__);
  }
}

}  // namespace isoshard::sim
