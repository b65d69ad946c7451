// The domain of floats: runs a program as written, or all of it in f32 or in f64. As written, bf16 and f16 are held in
// f32 and rounded to their width after each op; sums and products are added in f32 and rounded once at the end. A
// result does not depend on sharding but for the order of sums over devices, because the kernels do not
// (docs/adr/0005-own-matmul.md). Padding is NaN, which shows wherever it is used, or, for callers who ask for that,
// random numbers.
// Order is that of IEEE floats (docs/adr/0011-order.md), predicates are bytes. Maxima follow IEEE 754-2019, where a NaN
// wins and +0 is above -0, so that the result does not depend on the order of operands and a maximum over devices is
// the same on every mesh; a minimum is the negated maximum of negated operands. In lists that fall NaN comes first, as
// in XLA, and of equal elements the first. Cost: that of the kernels; one pass, or a partial sort per row.
#include "sim/domains/floats/f32_f64.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "core/ir/scalar/narrow_dtypes.h"
#include "core/ir/scalar/order.h"
#include "core/support/check.h"
#include "core/support/mix.h"
#include "sim/integers/integer_ops.h"
#include "sim/integers/native_predicates.h"
#include "sim/kernels/gemm.h"
#include "sim/kernels/gemm_turned.h"
#include "sim/value/narrow.h"
#include "sim/value/top_k.h"
#include "sim/value/typed_bytes.h"

namespace isoshard::sim {
namespace {

template <typename T>
GemmOperand<T> operand(const DotOperand& x) {
  return {as<T>(x.data), x.ld, x.turned};
}

template <typename T>
void add_up_as(std::span<const std::byte* const> terms, std::byte* out, int64_t n) {
  std::vector<const T*> typed;
  typed.reserve(terms.size());
  for (const std::byte* term : terms) typed.push_back(as<T>(term));
  sim::add_up(best_isa(), std::span<const T* const>(typed), as<T>(out), n);
}

template <typename T>
void product(const DotSizes& sizes, const DotOperand& a, const DotOperand& b, std::byte* out) {
  gemm(best_isa(), sizes.m, sizes.n, sizes.k, operand<T>(a), operand<T>(b), as<T>(out), sizes.n);
}

/// Calls `use` with a 0 of the C++ type that holds one element.
template <class Use>
void with_format(const Storage& storage, const Use& use) {
  if (storage.element_bytes == sizeof(double)) return use(double{});
  ISOSHARD_CHECK(storage.element_bytes == sizeof(float), "a float format without comparisons");
  use(float{});
}

}  // namespace

DType FloatDomain::format(DType dtype) const {
  if (dtype == DType::pred) return dtype;
  if (precision_ == Precision::as_written) return dtype == DType::f64 ? DType::f64 : DType::f32;
  return precision_ == Precision::f64 ? DType::f64 : DType::f32;
}

std::string_view FloatDomain::name() const {
  if (precision_ == Precision::as_written) return "as written";
  return isoshard::name(format(DType::f32));
}

Storage FloatDomain::storage(DType dtype) const { return {info(format(dtype)).bytes, 1}; }

bool FloatDomain::rounds(DType dtype) const { return precision_ == Precision::as_written && is_narrow(dtype); }

void FloatDomain::round(DType dtype, int64_t n, std::byte* x) const {
  if (rounds(dtype)) narrow(dtype, n, as<float>(x), as<float>(x));
}

void FloatDomain::constant(const Rational& constant, DType dtype, std::byte* out) const {
  const double as_double = constant.to_double();
  const float as_float = rounds(dtype) ? scalar::nearest_narrow(dtype, constant) : constant.to_float();
  if (format(dtype) == DType::f64) {
    std::memcpy(out, &as_double, sizeof as_double);
  } else {
    std::memcpy(out, &as_float, sizeof as_float);
  }
}

void FloatDomain::from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const {
  if (format(dtype) == DType::f64) {
    std::transform(x, x + n, as<double>(out), scalar::canonical<double>);
  } else if (rounds(dtype)) {
    narrow(dtype, n, x, as<float>(out));
  } else {
    std::transform(x, x + n, as<float>(out), [](double e) { return scalar::canonical(static_cast<float>(e)); });
  }
}

void FloatDomain::poison(DType dtype, uint64_t seed, int64_t n, std::byte* out) const {
  std::vector<double> padding(static_cast<size_t>(n), std::numeric_limits<double>::quiet_NaN());
  for (size_t i = 0; padding_ == FloatPadding::numbers && i < padding.size(); ++i) {
    padding[i] = 0.5 + static_cast<double>(mix(seed + mix(i)) >> 11) * 0x1p-54;
  }
  from_doubles(dtype, n, padding.data(), out);
}

template <class T>
void FloatDomain::from_numbers(DType dtype, int64_t n, const T* x, std::byte* out) const {
  if (format(dtype) == DType::f64) {
    std::transform(x, x + n, as<double>(out), [](T i) { return static_cast<double>(i); });
  } else if (rounds(dtype)) {
    std::transform(x, x + n, as<float>(out), [dtype](T i) { return narrow(dtype, i); });
  } else {
    std::transform(x, x + n, as<float>(out), [](T i) { return static_cast<float>(i); });
  }
}

void FloatDomain::from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const {
  from_numbers(dtype, n, x, out);
}

void FloatDomain::from_unsigned(DType dtype, int64_t n, const uint64_t* x, std::byte* out) const {
  from_numbers(dtype, n, x, out);
}

void FloatDomain::to_integers(DType dtype, int64_t n, const std::byte* x, DType to, int64_t* out) const {
  if (format(dtype) == DType::f64) {
    std::transform(as<double>(x), as<double>(x) + n, out,
                   [dtype, to](double e) { return integer::truncated_from(dtype, e, to); });
  } else {
    std::transform(as<float>(x), as<float>(x) + n, out, [to](float e) { return integer::truncated(e, to); });
  }
}

void FloatDomain::convert(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const {
  if (format(from) == DType::f64) return from_doubles(to, n, as<double>(x), out);
  if (format(to) == DType::f64) {
    std::transform(as<float>(x), as<float>(x) + n, as<double>(out), [](float e) { return static_cast<double>(e); });
    return;
  }
  std::copy_n(as<float>(x), n, as<float>(out));
  round(to, n, out);
}

Tensor FloatDomain::to_tensor(const Value& value) const {
  if (rounds(value.type.dtype)) {
    const float* x = as<float>(value.data.get());
    return packed(value.type.dtype, value.type.shape, std::vector<float>(x, x + value.size()));
  }
  return Tensor::from_bytes(format(value.type.dtype), value.type.shape, {value.data.get(), value.bytes()});
}

void FloatDomain::unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  if (format(dtype) == DType::f64) return sim::unary(best_isa(), op, as<double>(x), as<double>(out), n);
  sim::unary(best_isa(), op, as<float>(x), as<float>(out), n);
  round(dtype, n, out);
}

void FloatDomain::binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                         std::byte* out) const {
  if (format(dtype) == DType::f64) {
    return sim::binary(best_isa(), op, as<double>(x), as<double>(y), as<double>(out), n);
  }
  sim::binary(best_isa(), op, as<float>(x), as<float>(y), as<float>(out), n);
  round(dtype, n, out);
}

void FloatDomain::dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                      std::byte* out) const {
  if (format(dtype) == DType::f64) {
    return gemm(best_isa(), m, n, k, as<double>(a), k, as<double>(b), n, as<double>(out), n);
  }
  gemm(best_isa(), m, n, k, as<float>(a), k, as<float>(b), n, as<float>(out), n);
  round(dtype, m * n, out);
}

void FloatDomain::dot_in_place(DType dtype, const DotSizes& sizes, const DotOperand& a, const DotOperand& b,
                               const DotResult& out) const {
  if (format(dtype) == DType::f64) return product<double>(sizes, a, b, out.data);
  product<float>(sizes, a, b, out.data);
  finish_sum(dtype, sizes.m * sizes.n, out.data);
}

void FloatDomain::sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  if (format(dtype) == DType::f64) return reduce_sum(best_isa(), plan, as<double>(x), as<double>(out));
  reduce_sum(best_isa(), plan, as<float>(x), as<float>(out));
  round(dtype, plan.output_size(), out);
}

void FloatDomain::accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const {
  if (format(dtype) == DType::f64) return sim::accumulate(best_isa(), as<double>(acc), as<double>(x), n);
  sim::accumulate(best_isa(), as<float>(acc), as<float>(x), n);
}

void FloatDomain::add_up(DType dtype, int64_t n, std::span<const std::byte* const> terms, std::byte* out) const {
  if (format(dtype) == DType::f64) return add_up_as<double>(terms, out, n);
  add_up_as<float>(terms, out, n);
}

void FloatDomain::finish_sum(DType dtype, int64_t n, std::byte* sum) const { round(dtype, n, sum); }

void FloatDomain::from_native(int64_t n, const uint8_t* x, std::byte* out) const {
  std::copy_n(x, n, as<uint8_t>(out));
}

void FloatDomain::decide(int64_t n, const std::byte* predicate, uint8_t* out) const {
  std::copy_n(as<uint8_t>(predicate), n, out);
}

void FloatDomain::to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const {
  with_format(storage(dtype), [&](auto zero) {
    using T = decltype(zero);
    for (int64_t i = 0; i < n; ++i) as<T>(out)[i] = static_cast<T>(as<uint8_t>(predicate)[i]);
  });
}

void FloatDomain::compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                          std::byte* out) const {
  with_format(storage(dtype), [&](auto zero) {
    using T = decltype(zero);
    compare_native(direction, n, as<T>(x), as<T>(y), as<uint8_t>(out));
  });
}

void FloatDomain::finite(DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  with_format(storage(dtype), [&](auto zero) {
    const auto* in = as<decltype(zero)>(x);
    for (int64_t i = 0; i < n; ++i) as<uint8_t>(out)[i] = scalar::is_number(in[i]) ? 1 : 0;
  });
}

void FloatDomain::logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  logic_native(op, n, as<uint8_t>(x), as<uint8_t>(y), as<uint8_t>(out), uint8_t{1});
}

void FloatDomain::select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
                         std::byte* out) const {
  select_native(storage(dtype).element_bytes, n, as<uint8_t>(predicate), x, y, out);
}

void FloatDomain::sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  with_format(storage(dtype), [&](auto zero) {
    using T = decltype(zero);
    const T* in = as<T>(x);
    for (int64_t i = 0; i < n; ++i) {
      as<T>(out)[i] = op == SignOp::abs ? scalar::canonical(scalar::magnitude(in[i])) : scalar::sign_of(in[i]);
    }
  });
}

void FloatDomain::extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                          std::byte* out) const {
  with_format(storage(dtype), [&](auto zero) {
    using T = decltype(zero);
    const T *a = as<T>(x), *b = as<T>(y);
    T* c = as<T>(out);
    if (op == Extreme::maximum) {
      for (int64_t i = 0; i < n; ++i) c[i] = scalar::larger(a[i], b[i]);
    } else {
      for (int64_t i = 0; i < n; ++i) c[i] = scalar::smaller(a[i], b[i]);
    }
  });
}

void FloatDomain::top_k(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x,
                        int32_t* indices) const {
  with_format(storage(dtype), [&](auto zero) {
    const auto* in = as<decltype(zero)>(x);
    top_k_rows(
        rows, length, k, [&](int64_t a, int64_t b) { return scalar::falls(in[a], in[b]); }, indices);
  });
}

const Domain& float_domain(Precision precision) {
  static const std::array<FloatDomain, 3> domains{FloatDomain(Precision::as_written), FloatDomain(Precision::f32),
                                                  FloatDomain(Precision::f64)};
  return domains[static_cast<size_t>(precision)];
}

}  // namespace isoshard::sim
