#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"

namespace isoshard {

/// Elements 0, 1, 2, ... along `dim`, equal along the others.
struct Iota {
  DType dtype = DType::i32;
  Shape shape;
  int64_t dim = 0;

  static constexpr std::string_view kName = "iota";
  static constexpr std::string_view kDoc = "0, 1, 2, ... along `dim` (StableHLO iota).";
  static constexpr StateRule kStates = StateRule::constant;
  static constexpr int kOperands = 0;
  static constexpr OpFacts kFacts{OpClass::source};
  static constexpr auto fields() {
    return std::tuple{field("dtype", &Iota::dtype, "a numeric element type"),
                      field("shape", &Iota::shape, "the result's sizes"),
                      optional_field("dim", &Iota::dim, "the dimension that is counted; 0 when omitted")};
  }
  Inferred infer(const InferContext& context) const;
  bool operator==(const Iota&) const = default;
};

/// A block of `sizes` that begins at the scalars behind the operand, one per dimension:
/// `dynamic_slice %x, %i, 0 {sizes=[2, 8]}`. Starts are clamped so that the block lies inside (StableHLO).
struct DynamicSlice {
  std::vector<int64_t> sizes;

  static constexpr std::string_view kName = "dynamic_slice";
  static constexpr std::string_view kDoc =
      "A block at computed starts, clamped to lie inside (StableHLO dynamic_slice).";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = -1;
  static constexpr OpFacts kFacts{.kind = OpClass::indexed, .zeros = ZerosStay::of_first};
  static constexpr auto fields() { return std::tuple{field("sizes", &DynamicSlice::sizes, "the result's sizes")}; }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const DynamicSlice&) const = default;
};

/// The first operand with the second in place of the block at the scalars behind them:
/// `dynamic_update_slice %x, %update, %i, 0`. Starts are clamped so that the block lies inside (StableHLO).
struct DynamicUpdateSlice {
  static constexpr std::string_view kName = "dynamic_update_slice";
  static constexpr std::string_view kDoc =
      "A block at computed starts replaced, clamped to lie inside (StableHLO dynamic_update_slice).";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = -1;
  static constexpr OpFacts kFacts{OpClass::indexed};
  static constexpr auto fields() { return std::tuple{}; }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const DynamicUpdateSlice&) const = default;
};

/// Entries of the first operand along `dim`, picked by the integers of the second: `gather %table, %ids {dim=0}`.
///
/// The first `batch` dimensions (all before `dim`) are shared by both. Shapes: x[b.., p.., n, q..] and
/// ids[b.., i..] give [b.., p.., i.., q..]. An index outside 0..n-1 is clamped (StableHLO gather). With batch = 0 it is
/// jnp.take(x, ids, axis=dim, mode='clip'); with batch = dim, ids of rank dim picks one entry per row.
struct Gather {
  int64_t dim = 0;
  int64_t batch = 0;

  static constexpr std::string_view kName = "gather";
  static constexpr std::string_view kDoc =
      "Entries along one dimension picked by indices (StableHLO gather, jnp.take).";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 2;
  static constexpr OpFacts kFacts{.kind = OpClass::indexed, .zeros = ZerosStay::of_first};
  static constexpr auto fields() {
    return std::tuple{field("dim", &Gather::dim, "the dimension that is indexed"),
                      optional_field("batch", &Gather::batch, "how many leading dimensions both operands share")};
  }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const Gather&) const = default;
};

/// The first operand with the third added where the second says, the transpose of gather:
/// `scatter_add %x, %ids, %updates {dim=0}`; updates have the shape that gather would give.
///
/// Repeated indices add up, in row-major order of the indices; an index outside is dropped (StableHLO scatter).
struct ScatterAdd {
  int64_t dim = 0;
  int64_t batch = 0;

  static constexpr std::string_view kName = "scatter_add";
  static constexpr std::string_view kDoc = "Adds updates at indices along one dimension (StableHLO scatter with add).";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 3;
  static constexpr OpFacts kFacts{OpClass::indexed};
  static constexpr auto fields() {
    return std::tuple{field("dim", &ScatterAdd::dim, "the dimension that is indexed"),
                      optional_field("batch", &ScatterAdd::batch, "how many leading dimensions all operands share")};
  }
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
  bool operator==(const ScatterAdd&) const = default;
};

}  // namespace isoshard
