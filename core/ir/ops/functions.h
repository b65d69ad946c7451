#pragma once

#include <string_view>

#include "core/ir/ops/elementwise.h"

namespace isoshard {

/// What elementwise functions beyond arithmetic have in common: they are nonlinear, a partial operand is an error.
template <class Op, int operands>
struct Function : Elementwise<Op> {
  static constexpr StateRule kStates = StateRule::nonlinear;
  static constexpr int kOperands = operands;
};

struct Log : Function<Log, 1> {
  static constexpr std::string_view kName = "log";
  static constexpr OpFacts kFacts{
      .kind = OpClass::function, .law = RingLaw::logarithm, .elementwise = true, .defined = DefinedWhere::positive};
  static constexpr std::string_view kDoc = "Elementwise natural logarithm (StableHLO log).";
  Inferred infer(const InferContext& context) const { return infer_float_unary(context); }
};

struct Sqrt : Function<Sqrt, 1> {
  static constexpr std::string_view kName = "sqrt";
  static constexpr OpFacts kFacts{
      .kind = OpClass::function, .law = RingLaw::opaque, .elementwise = true, .defined = DefinedWhere::nonnegative};
  static constexpr std::string_view kDoc = "Elementwise square root (StableHLO sqrt).";
  Inferred infer(const InferContext& context) const { return infer_float_unary(context); }
};

struct Rsqrt : Function<Rsqrt, 1> {
  static constexpr std::string_view kName = "rsqrt";
  static constexpr OpFacts kFacts{
      .kind = OpClass::function, .law = RingLaw::opaque, .elementwise = true, .defined = DefinedWhere::positive};
  static constexpr std::string_view kDoc = "Elementwise 1 / sqrt(x) (StableHLO rsqrt).";
  Inferred infer(const InferContext& context) const { return infer_float_unary(context); }
};

struct Sine : Function<Sine, 1> {
  static constexpr std::string_view kName = "sine";
  static constexpr OpFacts kFacts{.kind = OpClass::function, .law = RingLaw::opaque, .elementwise = true};
  static constexpr std::string_view kDoc = "Elementwise sine (StableHLO sine).";
  Inferred infer(const InferContext& context) const { return infer_float_unary(context); }
};

struct Cosine : Function<Cosine, 1> {
  static constexpr std::string_view kName = "cosine";
  static constexpr OpFacts kFacts{.kind = OpClass::function, .law = RingLaw::opaque, .elementwise = true};
  static constexpr std::string_view kDoc = "Elementwise cosine (StableHLO cosine).";
  Inferred infer(const InferContext& context) const { return infer_float_unary(context); }
};

struct ErfInv : Function<ErfInv, 1> {
  static constexpr std::string_view kName = "erf_inv";
  static constexpr OpFacts kFacts{
      .kind = OpClass::function, .law = RingLaw::opaque, .elementwise = true, .defined = DefinedWhere::inside_1};
  static constexpr std::string_view kDoc =
      "Elementwise inverse of the error function (CHLO erf_inv), as XLA evaluates it in f32; inf at 1, nan beyond.";
  Inferred infer(const InferContext& context) const { return infer_float_unary(context); }
};

struct Floor : Function<Floor, 1> {
  static constexpr std::string_view kName = "floor";
  static constexpr OpFacts kFacts{.kind = OpClass::rounding, .law = RingLaw::opaque, .elementwise = true};
  static constexpr std::string_view kDoc = "Elementwise largest integer <= x (StableHLO floor).";
  Inferred infer(const InferContext& context) const { return infer_float_unary(context); }
};

struct Abs : Function<Abs, 1> {
  static constexpr std::string_view kName = "abs";
  static constexpr OpFacts kFacts{.kind = OpClass::order, .elementwise = true};
  static constexpr std::string_view kDoc = "Elementwise |x| (StableHLO abs); |min| of an integer wraps to itself.";
  Inferred infer(const InferContext& context) const { return infer_signed_unary(context); }
};

struct Sign : Function<Sign, 1> {
  static constexpr std::string_view kName = "sign";
  static constexpr OpFacts kFacts{
      .kind = OpClass::order, .law = RingLaw::opaque, .elementwise = true, .tells_ties = true};
  static constexpr std::string_view kDoc = "Elementwise -1, 0 or 1 by the sign of x (StableHLO sign); of nan, nan.";
  Inferred infer(const InferContext& context) const { return infer_signed_unary(context); }
};

struct Power : Function<Power, 2> {
  static constexpr std::string_view kName = "power";
  static constexpr OpFacts kFacts{
      .kind = OpClass::function, .law = RingLaw::opaque, .elementwise = true, .defined = DefinedWhere::positive};
  static constexpr std::string_view kDoc = "Elementwise x ^ y (StableHLO power).";
  Inferred infer(const InferContext& context) const { return infer_float_binary(context); }
};

struct Remainder : Function<Remainder, 2> {
  static constexpr std::string_view kName = "remainder";
  static constexpr OpFacts kFacts{.kind = OpClass::rounding,
                                  .law = RingLaw::opaque,
                                  .elementwise = true,
                                  .defined = DefinedWhere::nonzero,
                                  .defined_by = 1};
  static constexpr std::string_view kDoc =
      "Elementwise x - y * trunc(x / y), with the sign of x (StableHLO remainder); integers by 0 give x.";
  Inferred infer(const InferContext& context) const { return infer_numeric_binary(context); }
};

struct Maximum : Function<Maximum, 2> {
  static constexpr std::string_view kName = "maximum";
  static constexpr OpFacts kFacts{.kind = OpClass::order, .elementwise = true};
  static constexpr std::string_view kDoc = "Elementwise larger of x and y (StableHLO maximum).";
  Inferred infer(const InferContext& context) const { return infer_numeric_binary(context); }
};

struct Minimum : Function<Minimum, 2> {
  static constexpr std::string_view kName = "minimum";
  static constexpr OpFacts kFacts{.kind = OpClass::order, .elementwise = true};
  static constexpr std::string_view kDoc = "Elementwise smaller of x and y (StableHLO minimum).";
  Inferred infer(const InferContext& context) const { return infer_numeric_binary(context); }
};

}  // namespace isoshard
