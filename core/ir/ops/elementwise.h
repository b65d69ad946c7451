#pragma once

#include <string_view>
#include <tuple>

#include "core/ir/field.h"
#include "core/ir/op_traits.h"

namespace isoshard {

/// One float operand, same type out.
Inferred infer_float_unary(const InferContext& context);
/// One numeric operand (not pred), same type out.
Inferred infer_numeric_unary(const InferContext& context);
/// One float or signed integer operand, same type out.
Inferred infer_signed_unary(const InferContext& context);
/// Two numeric operands of one dtype and shape, same type out.
Inferred infer_numeric_binary(const InferContext& context);
/// Two float operands of one dtype and shape, same type out.
Inferred infer_float_binary(const InferContext& context);
/// One pred or integer operand, same type out.
Inferred infer_bits_unary(const InferContext& context);
/// Two pred or integer operands of one dtype and shape, same type out.
Inferred infer_bits_binary(const InferContext& context);

/// One integer operand, same type out.
Inferred infer_integer_unary(const InferContext& context);
/// Two integer operands of one dtype and shape, same type out.
Inferred infer_integer_binary(const InferContext& context);

/// The parts common to ops without fields.
template <class Op>
struct Elementwise {
  static constexpr auto fields() { return std::tuple{}; }
  friend bool operator==(const Op&, const Op&) { return true; }
};

struct Negate : Elementwise<Negate> {
  static constexpr std::string_view kName = "negate";
  static constexpr std::string_view kDoc = "Elementwise -x (StableHLO negate).";
  static constexpr StateRule kStates = StateRule::unary_linear;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{.kind = OpClass::linear, .elementwise = true, .zeros = ZerosStay::of_first};
  Inferred infer(const InferContext& context) const { return infer_numeric_unary(context); }
};

struct Exponential : Elementwise<Exponential> {
  static constexpr std::string_view kName = "exponential";
  static constexpr std::string_view kDoc = "Elementwise e^x (StableHLO exponential).";
  static constexpr StateRule kStates = StateRule::nonlinear;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{.kind = OpClass::function, .law = RingLaw::exponential, .elementwise = true};
  Inferred infer(const InferContext& context) const { return infer_float_unary(context); }
};

struct Tanh : Elementwise<Tanh> {
  static constexpr std::string_view kName = "tanh";
  static constexpr std::string_view kDoc = "Elementwise hyperbolic tangent (StableHLO tanh).";
  static constexpr StateRule kStates = StateRule::nonlinear;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{.kind = OpClass::function, .law = RingLaw::exponential, .elementwise = true};
  Inferred infer(const InferContext& context) const { return infer_float_unary(context); }
};

struct Logistic : Elementwise<Logistic> {
  static constexpr std::string_view kName = "logistic";
  static constexpr std::string_view kDoc = "Elementwise 1 / (1 + e^-x) (StableHLO logistic).";
  static constexpr StateRule kStates = StateRule::nonlinear;
  static constexpr int kOperands = 1;
  static constexpr OpFacts kFacts{.kind = OpClass::function, .law = RingLaw::exponential, .elementwise = true};
  Inferred infer(const InferContext& context) const { return infer_float_unary(context); }
};

struct Add : Elementwise<Add> {
  static constexpr std::string_view kName = "add";
  static constexpr std::string_view kDoc = "Elementwise x + y (StableHLO add).";
  static constexpr StateRule kStates = StateRule::jointly_linear;
  static constexpr int kOperands = 2;
  static constexpr OpFacts kFacts{.kind = OpClass::linear, .elementwise = true};
  Inferred infer(const InferContext& context) const { return infer_numeric_binary(context); }
};

struct Subtract : Elementwise<Subtract> {
  static constexpr std::string_view kName = "subtract";
  static constexpr std::string_view kDoc = "Elementwise x - y (StableHLO subtract).";
  static constexpr StateRule kStates = StateRule::jointly_linear;
  static constexpr int kOperands = 2;
  static constexpr OpFacts kFacts{.kind = OpClass::linear, .elementwise = true};
  Inferred infer(const InferContext& context) const { return infer_numeric_binary(context); }
};

struct Multiply : Elementwise<Multiply> {
  static constexpr std::string_view kName = "multiply";
  static constexpr std::string_view kDoc = "Elementwise x * y (StableHLO multiply).";
  static constexpr StateRule kStates = StateRule::bilinear;
  static constexpr int kOperands = 2;
  static constexpr OpFacts kFacts{.kind = OpClass::bilinear, .elementwise = true};
  Inferred infer(const InferContext& context) const { return infer_numeric_binary(context); }
};

struct Divide : Elementwise<Divide> {
  static constexpr std::string_view kName = "divide";
  static constexpr std::string_view kDoc = "Elementwise x / y (StableHLO divide); the denominator is never partial.";
  static constexpr StateRule kStates = StateRule::custom;
  static constexpr int kOperands = 2;
  static constexpr OpFacts kFacts{
      .kind = OpClass::quotient, .elementwise = true, .defined = DefinedWhere::nonzero, .defined_by = 1};
  Inferred infer(const InferContext& context) const;
  void infer_states(StateContext& context) const;
};

}  // namespace isoshard
