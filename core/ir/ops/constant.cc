#include "core/ir/ops/constant.h"

#include <cmath>

#include "core/ir/ops/shape_checks.h"
#include "core/ir/scalar/narrow.h"
#include "core/value/integers.h"

namespace isoshard {

namespace {

/// `a 32-bit integer`, `an unsigned 64-bit integer`
std::string integer_in_words(DType dtype) {
  const size_t bits = 8 * info(dtype).bytes;
  return std::string(is_unsigned(dtype) ? "an unsigned "
                     : bits == 8        ? "an "
                                        : "a ") +
         std::to_string(bits) + "-bit integer";
}

/// `value` as the nearest number of `dtype`, a float, or for bf16 of f32: an infinity or nan where it is out of range.
double nearest(const Rational& value, DType dtype) {
  switch (dtype) {
    case DType::f32:
    case DType::bf16:  // masks write the lowest f32, which counts as infinite wherever it matters
      return value.to_float();
    case DType::f16:
      return scalar::narrowed<scalar::F16>(value.to_double());
    case DType::f8e4m3:
      return scalar::narrowed<scalar::F8E4M3>(value.to_double());
    case DType::f8e5m2:
      return scalar::narrowed<scalar::F8E5M2>(value.to_double());
    default:
      return value.to_double();
  }
}

std::string float_in_words(DType dtype) {
  switch (dtype) {
    case DType::bf16:
    case DType::f32:
      return "a number below 3.4e38 in magnitude, or inf, -inf";
    case DType::f16:
      return "a number up to 65504 in magnitude, or inf, -inf";
    case DType::f8e4m3:
      return "a number up to 448 in magnitude: it has no infinity";
    case DType::f8e5m2:
      return "a number up to 57344 in magnitude, or inf, -inf";
    default:
      return "a number below 1.79e308 in magnitude, or inf, -inf";
  }
}

/// Numbers that floats make an infinity or nan of are refused, since rings would go on with the number.
bool is_float_of(DType dtype, const Rational& value) {
  if (value.is_nan()) return true;
  return value.finite() ? std::isfinite(nearest(value, dtype)) : dtype != DType::f8e4m3;
}

/// What a constant may be; empty when `value` fits.
std::string misfit(const Rational& value, DType dtype) {
  if (dtype == DType::key) return "a key global: keys are not numbers";
  if (is_float(dtype)) return is_float_of(dtype, value) ? "" : float_in_words(dtype);
  if (dtype != DType::pred) return is_integer_of(dtype, value) ? "" : integer_in_words(dtype);
  return value == Rational(0) || value == Rational(1) ? "" : "0 or 1";
}

}  // namespace

Inferred Constant::infer(const InferContext& context) const {
  if (!check_sizes(context, shape)) return std::nullopt;
  if (const std::string expected = misfit(value, dtype); !expected.empty()) {
    return context.error("T-constant", "the value " + value.to_string() + " is not representable as " +
                                           std::string(name(dtype)) + "; expected " + expected);
  }
  return std::vector{TensorType{dtype, shape}};
}

}  // namespace isoshard
