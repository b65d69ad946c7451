#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"

namespace isoshard {

/// Surrounds the operand with copies of the scalar behind it: `pad %x, 0 {low=[0, 1], high=[0, 2]}`.
struct Pad {
  std::vector<int64_t> low;
  std::vector<int64_t> high;

  static constexpr std::string_view kName = "pad";
  static constexpr std::string_view kDoc =
      "Surrounds the operand with a scalar (StableHLO pad without interior padding).";
  static constexpr StateRule kStates = StateRule::jointly_linear;
  static constexpr int kOperands = 2;
  static constexpr OpFacts kFacts{.kind = OpClass::movement, .zeros = ZerosStay::of_all};
  static constexpr auto fields() {
    return std::tuple{field("low", &Pad::low, "elements added before, per dimension, not negative"),
                      field("high", &Pad::high, "elements added behind, per dimension, not negative")};
  }
  Inferred infer(const InferContext& context) const;
  bool operator==(const Pad&) const = default;
};

/// The elements in the opposite order along `dims`.
struct Reverse {
  std::vector<int64_t> dims;

  static constexpr std::string_view kName = "reverse";
  static constexpr std::string_view kDoc = "The opposite order along `dims` (StableHLO reverse).";
  static constexpr StateRule kStates = StateRule::unary_linear;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{.kind = OpClass::movement, .zeros = ZerosStay::of_first};
  static constexpr auto fields() { return std::tuple{field("dims", &Reverse::dims, "dimensions that are reversed")}; }
  Inferred infer(const InferContext& context) const;
  bool operator==(const Reverse&) const = default;
};

/// Sums of the elements up to and including each along `dim`, in ascending order.
struct Cumsum {
  int64_t dim = 0;

  static constexpr std::string_view kName = "cumsum";
  static constexpr std::string_view kDoc = "Sums of all elements up to each along `dim` (jnp.cumsum).";
  static constexpr StateRule kStates = StateRule::unary_linear;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{.kind = OpClass::linear, .zeros = ZerosStay::of_first};
  static constexpr auto fields() { return std::tuple{field("dim", &Cumsum::dim, "the dimension that is summed")}; }
  Inferred infer(const InferContext& context) const;
  bool operator==(const Cumsum&) const = default;
};

/// The k largest elements along the last dimension in descending order, and their i32 indices; of equal elements the
/// lower index first (jax.lax.top_k). Text: `%values, %indices = top_k %x {k=2}`.
struct TopK {
  int64_t k = 0;

  static constexpr std::string_view kName = "top_k";
  static constexpr std::string_view kDoc = "The k largest along the last dimension and their indices (jax.lax.top_k).";
  static constexpr StateRule kStates = StateRule::nonlinear;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{OpClass::order};
  static constexpr auto fields() { return std::tuple{field("k", &TopK::k, "how many")}; }
  Inferred infer(const InferContext& context) const;
  bool operator==(const TopK&) const = default;
};

}  // namespace isoshard
