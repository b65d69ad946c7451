#include "core/ir/ops/constant.h"

#include "core/ir/ops/shape_checks.h"
#include "core/support/rational_gmp.h"

namespace isoshard {

namespace {

/// What an integer or pred constant may be; empty when `value` fits.
std::string misfit(const Rational& value, DType dtype) {
  const auto within = [&](const char* least, const char* greatest) {
    return value.is_integer() && to_mpq(value) >= mpq_class(least) && to_mpq(value) <= mpq_class(greatest);
  };
  switch (dtype) {
    case DType::pred:
      return within("0", "1") ? "" : "0 or 1";
    case DType::i32:
      return within("-2147483648", "2147483647") ? "" : "a 32-bit integer";
    case DType::u32:
      return within("0", "4294967295") ? "" : "an unsigned 32-bit integer";
    case DType::i64:
      return within("-9223372036854775808", "9223372036854775807") ? "" : "a 64-bit integer";
    case DType::key:
      return "a key global: keys are not numbers";
    default:
      return "";
  }
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
