#include "core/ir/ops/constant.h"

#include "core/ir/ops/shape_checks.h"
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

/// What an integer or pred constant may be; empty when `value` fits.
std::string misfit(const Rational& value, DType dtype) {
  if (dtype == DType::key) return "a key global: keys are not numbers";
  if (is_float(dtype)) return "";
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
