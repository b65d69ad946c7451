#pragma once

#include <string_view>

#include "core/ir/ops/functions.h"

/// Functions that other ops could say but for the last digits of floats, and those that none could.
namespace isoshard {

struct ExponentialMinusOne : Function<ExponentialMinusOne, 1> {
  static constexpr std::string_view kName = "exponential_minus_one";
  static constexpr OpFacts kFacts{.kind = OpClass::function, .law = RingLaw::exponential, .elementwise = true};
  static constexpr std::string_view kDoc =
      "Elementwise e^x - 1, with all digits near 0 (StableHLO exponential_minus_one).";
  Inferred infer(const InferContext& context) const { return infer_float_unary(context); }
};

struct LogPlusOne : Function<LogPlusOne, 1> {
  static constexpr std::string_view kName = "log_plus_one";
  static constexpr OpFacts kFacts{.kind = OpClass::function,
                                  .law = RingLaw::logarithm,
                                  .elementwise = true,
                                  .defined = DefinedWhere::above_minus_1};
  static constexpr std::string_view kDoc = "Elementwise log(1 + x), with all digits near 0 (StableHLO log_plus_one).";
  Inferred infer(const InferContext& context) const { return infer_float_unary(context); }
};

struct Cbrt : Function<Cbrt, 1> {
  static constexpr std::string_view kName = "cbrt";
  static constexpr OpFacts kFacts{.kind = OpClass::function, .law = RingLaw::opaque, .elementwise = true};
  static constexpr std::string_view kDoc = "Elementwise cube root, also of negative numbers (StableHLO cbrt).";
  Inferred infer(const InferContext& context) const { return infer_float_unary(context); }
};

struct Erf : Function<Erf, 1> {
  static constexpr std::string_view kName = "erf";
  static constexpr OpFacts kFacts{.kind = OpClass::function, .law = RingLaw::opaque, .elementwise = true};
  static constexpr std::string_view kDoc = "Elementwise error function (CHLO erf).";
  Inferred infer(const InferContext& context) const { return infer_float_unary(context); }
};

struct Erfc : Function<Erfc, 1> {
  static constexpr std::string_view kName = "erfc";
  static constexpr OpFacts kFacts{.kind = OpClass::function, .law = RingLaw::opaque, .elementwise = true};
  static constexpr std::string_view kDoc = "Elementwise 1 - erf(x), with all digits where that is tiny (CHLO erfc).";
  Inferred infer(const InferContext& context) const { return infer_float_unary(context); }
};

struct Atan2 : Function<Atan2, 2> {
  static constexpr std::string_view kName = "atan2";
  static constexpr OpFacts kFacts{.kind = OpClass::function, .law = RingLaw::opaque, .elementwise = true};
  static constexpr std::string_view kDoc =
      "Elementwise angle of the point (y, x), y the first operand, between -pi and pi (StableHLO atan2).";
  Inferred infer(const InferContext& context) const { return infer_float_binary(context); }
};

struct Ceil : Function<Ceil, 1> {
  static constexpr std::string_view kName = "ceil";
  static constexpr OpFacts kFacts{.kind = OpClass::rounding, .law = RingLaw::opaque, .elementwise = true};
  static constexpr std::string_view kDoc = "Elementwise least integer >= x (StableHLO ceil): -floor(-x), bit by bit.";
  Inferred infer(const InferContext& context) const { return infer_float_unary(context); }
};

struct RoundNearestEven : Function<RoundNearestEven, 1> {
  static constexpr std::string_view kName = "round_nearest_even";
  static constexpr OpFacts kFacts{.kind = OpClass::rounding, .law = RingLaw::opaque, .elementwise = true};
  static constexpr std::string_view kDoc =
      "Elementwise nearest integer, of two the even one (StableHLO round_nearest_even).";
  Inferred infer(const InferContext& context) const { return infer_float_unary(context); }
};

struct RoundNearestAfz : Function<RoundNearestAfz, 1> {
  static constexpr std::string_view kName = "round_nearest_afz";
  static constexpr OpFacts kFacts{.kind = OpClass::rounding, .law = RingLaw::opaque, .elementwise = true};
  static constexpr std::string_view kDoc =
      "Elementwise nearest integer, of two the one away from zero (StableHLO round_nearest_afz).";
  Inferred infer(const InferContext& context) const { return infer_float_unary(context); }
};

}  // namespace isoshard
