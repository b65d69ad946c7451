#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"

namespace isoshard {

/// How the indices of a tuple of axes in non-mesh order are counted by collective_permute (docs/spec/views.md, "Meshes
/// and groups").
enum class PermuteOrder : uint8_t { unspecified, tuple, mesh };

/// A (source index, target index) of a permute.
using IndexPair = std::pair<int64_t, int64_t>;

/// Member i sends its operand to member i + shift (mod the group's size), or along explicit `pairs`.
///
/// A member that is no target receives zeros (StableHLO). Shapes: unchanged. States: V -> V.
struct CollectivePermute {
  Group axis;
  std::optional<int64_t> shift;
  std::vector<IndexPair> pairs;
  PermuteOrder order = PermuteOrder::unspecified;

  static constexpr std::string_view kName = "collective_permute";
  static constexpr std::string_view kDoc =
      "Sends along pairs or by a shift within the group (StableHLO collective_permute).";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{OpClass::communication};
  static constexpr auto fields() {
    return std::tuple{
        field("axis", &CollectivePermute::axis, "an axis or a tuple of axes"),
        optional_field("shift", &CollectivePermute::shift, "index i sends to i + shift"),
        optional_field("pairs", &CollectivePermute::pairs, "[(source, target), ...]"),
        optional_field("order", &CollectivePermute::order, "tuple or mesh, for tuples in non-mesh order")};
  }
  /// The tuple whose row-major order counts the members: `axis`, or its axes in mesh order.
  Group counting_group() const;
  /// The index that `index` sends to in a group of `size`, or -1.
  int64_t target(int64_t index, int64_t size) const;
  /// The index that `index` receives from in a group of `size`, or -1 (zeros).
  int64_t source(int64_t index, int64_t size) const;
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const CollectivePermute&) const = default;
};

}  // namespace isoshard
