#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"

namespace isoshard {

/// Changes the state and keeps the meaning, without communication: R -> I; R, I or = -> P (`owner` keeps it, others 0).
struct ConvertState {
  Group axis;
  std::optional<State> to;
  std::optional<int64_t> owner;

  static constexpr std::string_view kName = "convert_state";
  static constexpr std::string_view kDoc =
      "Another state, same meaning: R -> I, or R/I -> P {owner=k} (x on k, 0 elsewhere).";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{.kind = OpClass::movement, .elementwise = true};
  static constexpr auto fields() {
    return std::tuple{field("axis", &ConvertState::axis, "an axis or a tuple of axes"),
                      field("to", &ConvertState::to, "I or P"),
                      optional_field("owner", &ConvertState::owner, "the index that keeps the value, for P")};
  }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const ConvertState&) const = default;
};

/// Changes only the type, values stay as they are on every device: I -> R, R -> V, V -> P, R -> P (multiplies by N).
struct Reinterpret {
  Group axis;
  std::optional<State> to;

  static constexpr std::string_view kName = "reinterpret";
  static constexpr std::string_view kDoc =
      "Another state, same values: I -> R, R -> V, V -> P, R -> P (multiplies by N).";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{.kind = OpClass::movement, .elementwise = true};
  static constexpr auto fields() {
    return std::tuple{field("axis", &Reinterpret::axis, "an axis or a tuple of axes"),
                      field("to", &Reinterpret::to, "R, V or P")};
  }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const Reinterpret&) const = default;
};

/// Each device keeps its own block along `dim`: R, I or = -> V.
struct SliceBlock {
  Group axis;
  int64_t dim = 0;

  static constexpr std::string_view kName = "slice_block";
  static constexpr std::string_view kDoc = "The device's own block of an equal value along `dim`: R/I -> V.";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{OpClass::movement};
  static constexpr auto fields() {
    return std::tuple{field("axis", &SliceBlock::axis, "an axis or a tuple of axes"),
                      field("dim", &SliceBlock::dim, "the dimension that is split")};
  }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const SliceBlock&) const = default;
};

/// Each device's block in its own place along `dim` of an array of zeros: V -> P, the adjoint of slice_block of R.
struct PlaceBlock {
  Group axis;
  int64_t dim = 0;

  static constexpr std::string_view kName = "place_block";
  static constexpr std::string_view kDoc = "The device's own block along `dim` in an array of zeros: V -> P.";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{OpClass::movement};
  static constexpr auto fields() {
    return std::tuple{field("axis", &PlaceBlock::axis, "an axis or a tuple of axes"),
                      field("dim", &PlaceBlock::dim, "the dimension that grows")};
  }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const PlaceBlock&) const = default;
};

/// Claims that a V value is the same on all devices of `axis`: V -> R (= without a gradient). Values are compared by
/// simulation, equivalence and at run time; a difference is an error there.
struct AssertEqual {
  Group axis;

  static constexpr std::string_view kName = "assert_equal";
  static constexpr std::string_view kDoc =
      "Claims that all devices of `axis` hold the same: V -> R, checked on values.";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{OpClass::communication};
  static constexpr auto fields() { return std::tuple{field("axis", &AssertEqual::axis, "an axis or a tuple of axes")}; }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const AssertEqual&) const = default;
};

}  // namespace isoshard
