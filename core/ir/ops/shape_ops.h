#pragma once

#include <cstdint>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"

namespace isoshard {

/// Result dimension dims[i] runs over operand dimension i; the other result dimensions repeat the operand.
struct BroadcastInDim {
  std::vector<int64_t> dims;
  Shape shape;

  static constexpr std::string_view kName = "broadcast_in_dim";
  static constexpr std::string_view kDoc = "Repeats the operand along new or size-1 dimensions (StableHLO).";
  static constexpr StateRule kStates = StateRule::unary_linear;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{.kind = OpClass::movement, .zeros = ZerosStay::of_first};
  static constexpr auto fields() {
    return std::tuple{field("dims", &BroadcastInDim::dims, "the result dimension of each operand dimension"),
                      field("shape", &BroadcastInDim::shape, "the result's sizes")};
  }
  Inferred infer(const InferContext& context) const;
  bool operator==(const BroadcastInDim&) const = default;
};

/// The same elements in row-major order under another shape.
struct Reshape {
  Shape shape;

  static constexpr std::string_view kName = "reshape";
  static constexpr std::string_view kDoc = "The same elements, row-major, under another shape (StableHLO).";
  static constexpr StateRule kStates = StateRule::unary_linear;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{.kind = OpClass::movement, .zeros = ZerosStay::of_first};
  static constexpr auto fields() { return std::tuple{field("shape", &Reshape::shape, "the result's sizes")}; }
  Inferred infer(const InferContext& context) const;
  bool operator==(const Reshape&) const = default;
};

/// Result dimension i is operand dimension permutation[i].
struct Transpose {
  std::vector<int64_t> permutation;

  static constexpr std::string_view kName = "transpose";
  static constexpr std::string_view kDoc =
      "Reorders dimensions: result dim i is operand dim permutation[i] (StableHLO).";
  static constexpr StateRule kStates = StateRule::unary_linear;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{.kind = OpClass::movement, .zeros = ZerosStay::of_first};
  static constexpr auto fields() {
    return std::tuple{field("permutation", &Transpose::permutation, "the operand dimension of each result dimension")};
  }
  Inferred infer(const InferContext& context) const;
  bool operator==(const Transpose&) const = default;
};

/// Elements start[i], start[i] + stride[i], ... below limit[i].
struct Slice {
  std::vector<int64_t> start;
  std::vector<int64_t> limit;
  std::vector<int64_t> strides;

  static constexpr std::string_view kName = "slice";
  static constexpr std::string_view kDoc = "A static half-open range of each dimension (StableHLO slice).";
  static constexpr StateRule kStates = StateRule::unary_linear;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{.kind = OpClass::movement, .zeros = ZerosStay::of_first};
  static constexpr auto fields() {
    return std::tuple{field("start", &Slice::start, "first index per dimension"),
                      field("limit", &Slice::limit, "one past the last index per dimension"),
                      optional_field("strides", &Slice::strides, "step per dimension; omitted when all are 1")};
  }
  Inferred infer(const InferContext& context) const;
  bool operator==(const Slice&) const = default;
};

/// Operands one after another along `dim`.
struct Concatenate {
  int64_t dim = 0;

  static constexpr std::string_view kName = "concatenate";
  static constexpr std::string_view kDoc = "The operands one after another along `dim` (StableHLO concatenate).";
  static constexpr StateRule kStates = StateRule::jointly_linear;
  static constexpr int kOperands = -1;  ///< one or more
  static constexpr OpFacts kFacts{.kind = OpClass::movement, .zeros = ZerosStay::of_all};
  static constexpr auto fields() { return std::tuple{field("dim", &Concatenate::dim, "the dimension that grows")}; }
  Inferred infer(const InferContext& context) const;
  bool operator==(const Concatenate&) const = default;
};

}  // namespace isoshard
