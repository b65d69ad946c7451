#pragma once

#include <string_view>
#include <tuple>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"

namespace isoshard {

/// The index of the device within its group over `axis`, an i32 scalar.
struct AxisIndex {
  Group axis;

  static constexpr std::string_view kName = "axis_index";
  static constexpr std::string_view kDoc = "The device's index over `axis`, i32[] (jax.lax.axis_index).";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 0;
  static constexpr OpFacts kFacts{OpClass::source};
  static constexpr auto fields() { return std::tuple{field("axis", &AxisIndex::axis, "an axis or a tuple of axes")}; }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const AxisIndex&) const = default;
};

}  // namespace isoshard
