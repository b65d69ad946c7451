#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"

namespace isoshard {

/// Reducers are an enum, never open regions.
enum class Reducer : uint8_t { none, add, max, min, argmax, mul, logical_and, logical_or };

/// Combines the elements along `dims`, which disappear.
///
/// max and min of no elements are -inf and inf (of integers: the least and the greatest). argmax is over one dimension
/// and has two results, the maximum and its first i32 index: `%value, %index = reduce %x {op=argmax, dims=[1]}`.
/// `mul` is the product of numbers, 1 of none; `and` and `or` are those of predicates or of the bits of integers, of
/// none all bits and 0. These three run in pairs along one dimension after the other: the first half meets the second,
/// and the last element of an odd number stands behind the pairs, until one is left. So the rounding of a product is
/// fixed.
struct Reduce {
  Reducer op = Reducer::none;
  std::vector<int64_t> dims;
  AxisSet partial;

  static constexpr std::string_view kName = "reduce";
  static constexpr std::string_view kDoc =
      "Sum, maximum, minimum, argmax, product, and or or over `dims`, which disappear (StableHLO reduce).";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 1;
  OpFacts facts() const;
  static constexpr auto fields() {
    return std::tuple{field("op", &Reduce::op, "add, max, min, argmax, mul, and, or"),
                      field("dims", &Reduce::dims, "dimensions that disappear"),
                      optional_field("partial", &Reduce::partial, "axes over which a reduced dimension is sharded")};
  }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const Reduce&) const = default;
};

/// Says what is wrong with elements of `dtype` for `op`; empty where nothing is.
std::string reducer_misfit(Reducer op, DType dtype);

}  // namespace isoshard
