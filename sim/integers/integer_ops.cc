// Arithmetic of all integer dtypes over arrays. It is done in the unsigned type of the same width, because integers of
// the language wrap around and signed overflow is undefined in C++; only remainders need the sign. A remainder by 0
// gives the dividend and one by -1 gives 0, both without the trap of the processor. Floats that become integers are
// truncated and clamped to the ends of the type, and NaN gives 0, which C++ leaves undefined. Products and sums are
// plain loops, as integers are seldom large here. Cost: one pass, or m n k.
#include "sim/integers/integer_ops.h"

#include <algorithm>
#include <limits>
#include <span>
#include <type_traits>

#include "core/ir/scalar/integers.h"
#include "core/value/integers.h"
#include "sim/integers/constants.h"
#include "sim/value/typed_bytes.h"

namespace isoshard::sim::integer {
namespace {

using Axis = ReducePlan::Axis;

/// Calls f with a zero of the unsigned type in which `dtype` wraps around.
template <class F>
void in_words(DType dtype, const F& f) {
  with_integer(dtype, [&](auto zero) { f(std::make_unsigned_t<decltype(zero)>{0}); });
}

template <class Op>
void binary_in_words(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out, Op op) {
  in_words(dtype, [&](auto zero) {
    using T = decltype(zero);
    const T *a = as<T>(x), *b = as<T>(y);
    T* c = as<T>(out);
    for (int64_t i = 0; i < n; ++i) c[i] = static_cast<T>(op(a[i], b[i]));  // narrow ones are calculated as int
  });
}

/// In the type of the numbers, signed or not.
template <class Op>
void binary_in_numbers(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out, Op op) {
  with_integer(dtype, [&](auto zero) {
    using T = decltype(zero);
    const T *a = as<T>(x), *b = as<T>(y);
    T* c = as<T>(out);
    for (int64_t i = 0; i < n; ++i) c[i] = op(a[i], b[i]);
  });
}

template <class T>
T sum_over(std::span<const Axis> axes, const T* x) {
  if (axes.empty()) return *x;
  T total = 0;
  for (int64_t i = 0; i < axes[0].size; ++i)
    total = static_cast<T>(total + sum_over(axes.subspan(1), x + i * axes[0].stride));
  return total;
}

/// Writes the sums of one block of kept indices and returns the end of what it wrote.
template <class T>
T* sum_kept(const ReducePlan& plan, std::span<const Axis> kept, const T* x, T* out) {
  if (kept.empty()) {
    *out = sum_over<T>(plan.reduced(), x);
    return out + 1;
  }
  for (int64_t i = 0; i < kept[0].size; ++i) out = sum_kept(plan, kept.subspan(1), x + i * kept[0].stride, out);
  return out;
}

template <class T>
int64_t truncate(T x, DType to) {
  return with_integer(to, [x](auto zero) { return static_cast<int64_t>(scalar::truncated<decltype(zero)>(x)); });
}

}  // namespace

void negate(DType dtype, int64_t n, const std::byte* x, std::byte* out) {
  binary_in_words(dtype, n, x, x, out, [](auto a, auto) { return decltype(a){0} - a; });
}

void add(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) {
  binary_in_words(dtype, n, x, y, out, [](auto a, auto b) { return a + b; });
}

void subtract(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) {
  binary_in_words(dtype, n, x, y, out, [](auto a, auto b) { return a - b; });
}

void multiply(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) {
  binary_in_words(dtype, n, x, y, out, [](auto a, auto b) { return a * b; });
}

void count_ones(DType dtype, int64_t n, const std::byte* x, std::byte* out) {
  binary_in_words(dtype, n, x, x, out, [](auto a, auto) { return scalar::count_ones(a); });
}

void leading_zeros(DType dtype, int64_t n, const std::byte* x, std::byte* out) {
  binary_in_words(dtype, n, x, x, out, [](auto a, auto) {
    return scalar::leading_zeros(a) - 8 * static_cast<int>(sizeof(uint64_t) - sizeof(a));
  });
}

void quotient(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) {
  binary_in_numbers(dtype, n, x, y, out, [](auto a, auto b) { return scalar::integer_quotient(a, b); });
}

void remainder(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) {
  binary_in_numbers(dtype, n, x, y, out, [](auto a, auto b) { return scalar::integer_remainder(a, b); });
}

void exclusive_or(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) {
  binary_in_words(dtype, n, x, y, out, [](auto a, auto b) { return a ^ b; });
}

void shift_right_logical(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) {
  binary_in_words(dtype, n, x, y, out, [](auto a, auto b) {
    using T = decltype(a);
    return b < 8 * sizeof(T) ? static_cast<T>(a >> b) : T{0};
  });
}

void shift_left(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) {
  binary_in_words(dtype, n, x, y, out, [](auto a, auto b) {
    using T = decltype(a);
    return b < 8 * sizeof(T) ? static_cast<T>(uint64_t{a} << b) : T{0};
  });
}

void shift_right_arithmetic(DType dtype, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) {
  binary_in_words(dtype, n, x, y, out, [](auto a, auto b) {
    using T = decltype(a);
    const T most = 8 * sizeof(T) - 1;
    return static_cast<std::make_signed_t<T>>(a) >> (b < most ? b : most);
  });
}

void dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b, std::byte* out) {
  in_words(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(as<T>(out), m * n, zero);
    for (int64_t i = 0; i < m; ++i) {
      T* row = as<T>(out) + i * n;
      for (int64_t q = 0; q < k; ++q) {
        const T factor = as<T>(a)[i * k + q];
        const T* terms = as<T>(b) + q * n;
        for (int64_t j = 0; j < n; ++j) row[j] = static_cast<T>(row[j] + factor * terms[j]);
      }
    }
  });
}

void sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) {
  in_words(dtype, [&](auto zero) {
    using T = decltype(zero);
    if (plan.input_size() == 0) {
      std::fill_n(as<T>(out), plan.output_size(), zero);
    } else {
      sum_kept<T>(plan, plan.kept(), as<T>(x), as<T>(out));
    }
  });
}

void widen(DType dtype, int64_t n, const std::byte* x, int64_t* out) {
  with_integer(dtype, [&](auto zero) {
    const auto* numbers = as<decltype(zero)>(x);
    std::transform(numbers, numbers + n, out, [](auto number) { return static_cast<int64_t>(number); });
  });
}

void widen_indices(DType dtype, int64_t n, const std::byte* x, int64_t* out) {
  widen(dtype, n, x, out);
  if (dtype != DType::u64) return;
  constexpr int64_t kFar = std::numeric_limits<int64_t>::max();
  std::transform(out, out + n, out, [](int64_t index) { return index < 0 ? kFar : index; });
}

void wrap(DType dtype, int64_t n, const int64_t* x, std::byte* out) {
  in_words(dtype, [&](auto zero) {
    using T = decltype(zero);
    std::transform(x, x + n, as<T>(out), [](int64_t value) { return static_cast<T>(value); });
  });
}

int64_t truncated(float x, DType to) { return truncate(x, to); }
int64_t truncated(double x, DType to) { return truncate(x, to); }
double held_in(DType dtype, double x) { return dtype == DType::f32 ? static_cast<float>(x) : x; }
double held_in(DType dtype, const Rational& x) { return rounded_to(dtype == DType::f32 ? DType::f32 : DType::f64, x); }

}  // namespace isoshard::sim::integer
