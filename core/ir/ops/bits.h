#pragma once

#include <string_view>

#include "core/ir/ops/functions.h"

/// Logic of predicates, and of the bits of integers; whole division.
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

struct ShiftLeft : Function<ShiftLeft, 2> {
  static constexpr std::string_view kName = "shift_left";
  static constexpr OpFacts kFacts{.kind = OpClass::integer, .elementwise = true};
  static constexpr std::string_view kDoc =
      "Elementwise x moved left by y bits, zeros moving in (StableHLO shift_left); 0 for y beyond the width.";
  Inferred infer(const InferContext& context) const { return infer_integer_binary(context); }
};

struct ShiftRightArithmetic : Function<ShiftRightArithmetic, 2> {
  static constexpr std::string_view kName = "shift_right_arithmetic";
  static constexpr OpFacts kFacts{.kind = OpClass::integer, .elementwise = true};
  static constexpr std::string_view kDoc =
      "Elementwise x moved right by y bits, copies of its first bit moving in (StableHLO shift_right_arithmetic); "
      "nothing else for y beyond the width.";
  Inferred infer(const InferContext& context) const { return infer_integer_binary(context); }
};

struct Popcnt : Function<Popcnt, 1> {
  static constexpr std::string_view kName = "popcnt";
  static constexpr OpFacts kFacts{.kind = OpClass::integer, .elementwise = true};
  static constexpr std::string_view kDoc = "Elementwise number of bits of x that are 1 (StableHLO popcnt).";
  Inferred infer(const InferContext& context) const { return infer_integer_unary(context); }
};

struct CountLeadingZeros : Function<CountLeadingZeros, 1> {
  static constexpr std::string_view kName = "count_leading_zeros";
  static constexpr OpFacts kFacts{.kind = OpClass::integer, .elementwise = true};
  static constexpr std::string_view kDoc =
      "Elementwise number of bits of x that are 0 above its first 1 (StableHLO count_leading_zeros).";
  Inferred infer(const InferContext& context) const { return infer_integer_unary(context); }
};

struct IntegerDivide : Function<IntegerDivide, 2> {
  static constexpr std::string_view kName = "integer_divide";
  static constexpr OpFacts kFacts{.kind = OpClass::integer, .elementwise = true};
  static constexpr std::string_view kDoc =
      "Elementwise x / y of integers toward zero (StableHLO divide), as XLA has it: by 0 -1, of unsigned ones the "
      "greatest number; the least number by -1 is itself.";
  Inferred infer(const InferContext& context) const { return infer_integer_binary(context); }
};

struct Not : Function<Not, 1> {
  static constexpr std::string_view kName = "not";
  static constexpr OpFacts kFacts{.kind = OpClass::integer, .elementwise = true};
  static constexpr std::string_view kDoc = "Elementwise not: logical for pred, bitwise for integers (StableHLO not).";
  Inferred infer(const InferContext& context) const { return infer_bits_unary(context); }
};

}  // namespace isoshard
