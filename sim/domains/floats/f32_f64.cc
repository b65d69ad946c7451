// The domain of floats: runs a program as written, or all of it in f32 or in f64. As written, bf16 and f16 are held in
// f32 and rounded to their width after each op; sums and products are added in f32 and rounded once at the end. A
// result does not depend on sharding but for the order of sums over devices, because the kernels do not
// (docs/adr/0005-own-matmul.md). Padding is NaN, which shows wherever it is used, or, for callers who ask for that,
// random numbers. Cost: that of the kernels.
#include "sim/domains/floats/f32_f64.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include "core/ir/scalar/format.h"
#include "core/support/mix.h"
#include "sim/integers/integer_ops.h"
#include "sim/kernels/gemm.h"
#include "sim/kernels/gemm_turned.h"
#include "sim/value/narrow.h"
#include "sim/value/typed_bytes.h"

namespace isoshard::sim {
namespace {

template <typename T>
GemmOperand<T> operand(const DotOperand& x) {
  return {as<T>(x.data), x.ld, x.turned};
}

template <typename T>
void product(const DotSizes& sizes, const DotOperand& a, const DotOperand& b, std::byte* out) {
  gemm(best_isa(), sizes.m, sizes.n, sizes.k, operand<T>(a), operand<T>(b), as<T>(out), sizes.n);
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
  const float as_float = rounds(dtype) ? narrow(dtype, constant) : constant.to_float();
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

void FloatDomain::from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const {
  if (format(dtype) == DType::f64) {
    std::transform(x, x + n, as<double>(out), [](int64_t i) { return static_cast<double>(i); });
  } else if (rounds(dtype)) {
    std::transform(x, x + n, as<float>(out), [dtype](int64_t i) { return narrow(dtype, i); });
  } else {
    std::transform(x, x + n, as<float>(out), [](int64_t i) { return static_cast<float>(i); });
  }
}

void FloatDomain::to_integers(DType dtype, int64_t n, const std::byte* x, DType to, int64_t* out) const {
  if (format(dtype) == DType::f64) {
    std::transform(as<double>(x), as<double>(x) + n, out, [to](double e) { return integer::truncated(e, to); });
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
    std::vector<uint16_t> bits(static_cast<size_t>(value.size()));
    pack(value.type.dtype, value.size(), as<float>(value.data.get()), bits.data());
    return Tensor::from<uint16_t>(value.type.dtype, value.type.shape, bits);
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

void FloatDomain::finish_sum(DType dtype, int64_t n, std::byte* sum) const { round(dtype, n, sum); }

const Domain& float_domain(Precision precision) {
  static const std::array<FloatDomain, 3> domains{FloatDomain(Precision::as_written), FloatDomain(Precision::f32),
                                                  FloatDomain(Precision::f64)};
  return domains[static_cast<size_t>(precision)];
}

}  // namespace isoshard::sim
