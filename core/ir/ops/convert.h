#pragma once

#include <string_view>
#include <tuple>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"

namespace isoshard {

/// Another dtype: floats round to nearest even, float to integer truncates toward zero, pred is 0 or 1, to pred is
/// x != 0. Linear but for float to integer or pred, which then takes no partial operand.
struct Convert {
  DType dtype = DType::f32;

  static constexpr std::string_view kName = "convert";
  static constexpr std::string_view kDoc = "The same numbers in another dtype (StableHLO convert).";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{.kind = OpClass::rounding, .elementwise = true, .zeros = ZerosStay::of_first};
  static constexpr auto fields() { return std::tuple{field("dtype", &Convert::dtype, "the new element type")}; }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const Convert&) const = default;
};

/// The operand as a value without a gradient: R and I become =.
struct StopGradient {
  static constexpr std::string_view kName = "stop_gradient";
  static constexpr std::string_view kDoc = "The same value without a gradient (jax.lax.stop_gradient).";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{.kind = OpClass::movement, .elementwise = true, .zeros = ZerosStay::of_first};
  static constexpr auto fields() { return std::tuple{}; }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const StopGradient&) const = default;
};

}  // namespace isoshard
