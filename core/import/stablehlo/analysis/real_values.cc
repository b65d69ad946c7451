// Programs of JAX ask in many places whether a number is nan or infinite: the order of a search, jnp.median,
// jnp.logaddexp, jnp.nan_to_num. Of what is made of arguments by functions that are defined everywhere it never is,
// over real numbers; ops that move elements or choose among them give no others; and the question is decided while a
// text is read. A quotient, a logarithm, or a value that a loop carries may be anything. Cost: constant for each op.
#include "core/import/stablehlo/analysis/real_values.h"

#include <algorithm>

namespace isoshard::stablehlo {
namespace {

bool is_extreme(Reducer op) { return op == Reducer::max || op == Reducer::min; }

/// Whether all elements of the result are some of the operands, or 0.
bool takes_elements(const OpData& op) {
  if (const auto* reduce = std::get_if<Reduce>(&op)) return is_extreme(reduce->op);
  if (const auto* reduce = std::get_if<AllReduce>(&op)) return is_extreme(reduce->op);
  const OpClass kind = op_facts(op).kind;
  return kind == OpClass::movement || kind == OpClass::choice || std::holds_alternative<Maximum>(op) ||
         std::holds_alternative<Minimum>(op) || std::holds_alternative<AllGather>(op) ||
         std::holds_alternative<Gather>(op) || std::holds_alternative<DynamicSlice>(op) ||
         std::holds_alternative<DynamicUpdateSlice>(op) || std::holds_alternative<CollectivePermute>(op);
}

/// Whether numbers are positive that an op makes of numbers.
bool makes_positive(const OpData& op, const std::vector<Beyond>& operands) {
  const bool all = std::all_of(operands.begin(), operands.end(), [](const Beyond& x) { return x.positive; });
  if (std::holds_alternative<Exponential>(op) || std::holds_alternative<Logistic>(op)) return true;
  const auto* reduce = std::get_if<Reduce>(&op);
  const bool keeps = std::holds_alternative<Add>(op) || std::holds_alternative<Multiply>(op) ||
                     std::holds_alternative<Divide>(op) || std::holds_alternative<Sqrt>(op) ||
                     std::holds_alternative<Rsqrt>(op) || std::holds_alternative<Abs>(op) ||
                     std::holds_alternative<AllReduce>(op) ||
                     (reduce != nullptr && (reduce->op == Reducer::add || reduce->op == Reducer::mul));
  return keeps && all;
}

/// Whether an op gives numbers for numbers.
bool is_total(const OpData& op, const std::vector<Beyond>& operands) {
  const OpFacts facts = op_facts(op);
  if (facts.kind == OpClass::structure || facts.kind == OpClass::random || facts.kind == OpClass::integer) return false;
  switch (facts.defined) {
    case DefinedWhere::everywhere:
      return facts.kind != OpClass::quotient;
    case DefinedWhere::nonzero:
    case DefinedWhere::nonnegative:
    case DefinedWhere::positive:
    case DefinedWhere::above_minus_1:
      return operands.at(facts.defined_by).positive;
    default:
      return false;
  }
}

Beyond of_constant(const Rational& value) {
  constexpr double kMask = 1e4;
  const double number = value.to_double();
  return {value.is_nan(), number >= kMask, number <= -kMask, number > 0};
}

/// What takes elements of several arrays has all that they have; of select, the sides.
Beyond either_of(const OpData& op, const std::vector<Beyond>& operands, const TensorType& result) {
  const bool adds_zeros = std::holds_alternative<CollectivePermute>(op);
  Beyond all{false, false, false, element_count(result.shape) > 0 && !adds_zeros};
  for (size_t i = std::holds_alternative<Select>(op) ? 1 : 0; i < operands.size(); ++i) {
    const Beyond& x = operands[i];
    all = {all.nan || x.nan, all.above || x.above, all.below || x.below, all.positive && x.positive};
  }
  return all;
}

}  // namespace

Beyond beyond_of(const OpData& op, const std::vector<Beyond>& operands, const TensorType& result) {
  if (!is_float(result.dtype)) return {false, false, false, false};
  if (element_count(result.shape) == 0) return Beyond{};  // whose maximum is -inf
  if (const auto* constant = std::get_if<Constant>(&op)) {
    Beyond known = of_constant(constant->value);
    known.positive = known.positive && element_count(result.shape) > 0;
    return known;
  }
  Beyond all = either_of(op, operands, result);
  if (takes_elements(op)) return all;
  if (std::holds_alternative<Negate>(op)) return {all.nan, all.below, all.above, false};
  if (!all.none() || !is_total(op, operands)) return Beyond{};
  return {false, false, false, makes_positive(op, operands) && element_count(result.shape) > 0};
}

}  // namespace isoshard::stablehlo
