#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"

namespace isoshard {

/// Dimensions of two operands that are paired: lhs[i] with rhs[i]; written `[1]x[0]`.
struct DimPairs {
  std::vector<int64_t> lhs;
  std::vector<int64_t> rhs;
  bool operator==(const DimPairs&) const = default;
};

/// Sums products over the contracted dimensions, for each index of the batch dimensions.
///
/// Shapes: the batch dimensions, the remaining lhs dimensions, then the remaining rhs dimensions. All numeric dtypes;
/// bf16 and f16 accumulate in f32 and round once.
/// `partial={axes}` states that the contraction runs over a dimension sharded on these axes, so that each device holds
/// one term of a sum: V becomes P there.
struct DotGeneral {
  DimPairs contract;
  AxisSet partial;
  DimPairs batch{};

  static constexpr std::string_view kName = "dot_general";
  static constexpr std::string_view kDoc = "Sum of products over paired dimensions (StableHLO dot_general).";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 2;
  static constexpr OpFacts kFacts{OpClass::bilinear};
  static constexpr auto fields() {
    return std::tuple{
        field("contract", &DotGeneral::contract, "contracted dimensions, [lhs]x[rhs]"),
        optional_field("batch", &DotGeneral::batch, "batch dimensions, [lhs]x[rhs]"),
        optional_field("partial", &DotGeneral::partial, "axes over which the contracted dimension is sharded")};
  }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const DotGeneral&) const = default;
};

/// The dimensions of an operand of such a shape that are neither contracted nor batch dimensions.
std::vector<int64_t> free_dims(const Shape& shape, const std::vector<int64_t>& contracted,
                               const std::vector<int64_t>& batch);

}  // namespace isoshard
