// The order of machine integers: comparisons, extremes, signs and the k largest, each a loop in the C++ type of the
// dtype, signed or not. The magnitude of the least number wraps around to itself, as all arithmetic of integers does
// here. Of equal elements the first one counts as larger, as everywhere (sim/value/top_k.h). Cost: one pass, or a
// partial sort per row.
#include "sim/integers/integer_order.h"

#include <algorithm>

#include "core/ir/scalar/integers.h"
#include "core/value/integers.h"
#include "sim/integers/native_predicates.h"
#include "sim/value/top_k.h"
#include "sim/value/typed_bytes.h"

namespace isoshard::sim::integer {

void sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) {
  with_integer(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < n; ++i)
      as<T>(out)[i] = op == SignOp::abs ? scalar::integer_magnitude(as<T>(x)[i]) : scalar::integer_sign(as<T>(x)[i]);
  });
}

void extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) {
  with_integer(dtype, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < n; ++i) {
      const T a = as<T>(x)[i], b = as<T>(y)[i];
      as<T>(out)[i] = op == Extreme::maximum ? std::max(a, b) : std::min(a, b);
    }
  });
}

void logic(Logic op, DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) {
  with_integer(dtype, [&](auto zero) {
    using T = decltype(zero);
    logic_native(op, n, as<T>(x), as<T>(y), as<T>(out), static_cast<T>(~T(0)));
  });
}

void compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y, uint8_t* out) {
  with_integer(dtype, [&](auto zero) {
    using T = decltype(zero);
    compare_native(direction, n, as<T>(x), as<T>(y), out);
  });
}

void top_k(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, int32_t* indices) {
  with_integer(dtype, [&](auto zero) {
    const auto* in = as<decltype(zero)>(x);
    top_k_rows(
        rows, length, k, [&](int64_t a, int64_t b) { return in[a] > in[b]; }, indices);
  });
}

Rational weakest(Extreme op, DType dtype) {
  return op == Extreme::maximum ? least_integer(dtype) : greatest_integer(dtype);
}

}  // namespace isoshard::sim::integer
