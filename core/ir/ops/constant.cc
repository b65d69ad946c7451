#include "core/ir/ops/constant.h"

#include "core/ir/ops/shape_checks.h"

namespace isoshard {

Inferred Constant::infer(const InferContext& context) const {
  if (!check_sizes(context, shape)) return std::nullopt;
  const bool fits = dtype == DType::pred ? value == Rational(0) || value == Rational(1)
                                         : value.value() >= INT32_MIN && value.value() <= INT32_MAX;
  if (!is_float(dtype) && (!value.is_integer() || !fits)) {
    return context.error("T-constant", "the value " + value.to_string() + " is not representable as " +
                                           std::string(name(dtype)) + "; expected " +
                                           (dtype == DType::pred ? "0 or 1" : "a 32-bit integer"));
  }
  return std::vector{TensorType{dtype, shape}};
}

}  // namespace isoshard
