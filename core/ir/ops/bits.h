#pragma once

#include <string_view>

#include "core/ir/ops/functions.h"

/// Logic of predicates, and of the bits of integers.
namespace isoshard {

struct And : Function<And, 2> {
  static constexpr std::string_view kName = "and";
  static constexpr OpFacts kFacts{.kind = OpClass::integer, .elementwise = true};
  static constexpr std::string_view kDoc = "Elementwise and: logical for pred, bitwise for integers (StableHLO and).";
  Inferred infer(const InferContext& context) const { return infer_bits_binary(context); }
};

struct Or : Function<Or, 2> {
  static constexpr std::string_view kName = "or";
  static constexpr OpFacts kFacts{.kind = OpClass::integer, .elementwise = true};
  static constexpr std::string_view kDoc = "Elementwise or: logical for pred, bitwise for integers (StableHLO or).";
  Inferred infer(const InferContext& context) const { return infer_bits_binary(context); }
};

struct Xor : Function<Xor, 2> {
  static constexpr std::string_view kName = "xor";
  static constexpr OpFacts kFacts{.kind = OpClass::integer, .elementwise = true};
  static constexpr std::string_view kDoc =
      "Elementwise exclusive or: logical for pred, bitwise for integers (StableHLO xor).";
  Inferred infer(const InferContext& context) const { return infer_bits_binary(context); }
};

struct ShiftRightLogical : Function<ShiftRightLogical, 2> {
  static constexpr std::string_view kName = "shift_right_logical";
  static constexpr OpFacts kFacts{.kind = OpClass::integer, .elementwise = true};
  static constexpr std::string_view kDoc =
      "Elementwise x moved right by y bits, zeros moving in (StableHLO shift_right_logical); 0 for y beyond the width.";
  Inferred infer(const InferContext& context) const { return infer_integer_binary(context); }
};

struct Not : Function<Not, 1> {
  static constexpr std::string_view kName = "not";
  static constexpr OpFacts kFacts{.kind = OpClass::integer, .elementwise = true};
  static constexpr std::string_view kDoc = "Elementwise not: logical for pred, bitwise for integers (StableHLO not).";
  Inferred infer(const InferContext& context) const { return infer_bits_unary(context); }
};

}  // namespace isoshard
