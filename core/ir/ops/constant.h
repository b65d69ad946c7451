#pragma once

#include <string_view>
#include <tuple>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"

namespace isoshard {

/// A tensor filled with one exact rational, inf or nan, rounded only by the domain that evaluates it. A number that the
/// dtype, in place of bf16 f32, would make an infinity or nan of is an error (T-constant).
struct Constant {
  Rational value;
  DType dtype = DType::f32;
  Shape shape;

  static constexpr std::string_view kName = "constant";
  static constexpr std::string_view kDoc = "A tensor of one exact value (a splat of StableHLO constant).";
  static constexpr StateRule kStates = StateRule::constant;
  static constexpr int kOperands = 0;
  static constexpr OpFacts kFacts{OpClass::source};
  static constexpr auto fields() {
    return std::tuple{field("value", &Constant::value, "an integer, decimal, n/d, inf, -inf or nan"),
                      field("dtype", &Constant::dtype, "the element type"),
                      optional_field("shape", &Constant::shape, "sizes; omitted for a scalar")};
  }
  Inferred infer(const InferContext& context) const;
  bool operator==(const Constant&) const = default;
};

}  // namespace isoshard
