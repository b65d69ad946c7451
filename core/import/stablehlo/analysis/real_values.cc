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

/// Whether an op gives numbers for numbers.
bool is_total(const OpData& op) {
  const OpFacts facts = op_facts(op);
  const bool makes = facts.kind == OpClass::structure || facts.kind == OpClass::quotient ||
                     facts.kind == OpClass::random || facts.kind == OpClass::integer;
  return !makes && facts.defined == DefinedWhere::everywhere;
}

}  // namespace

Beyond beyond_of(const OpData& op, const std::vector<Beyond>& operands, const TensorType& result) {
  constexpr Beyond kNone{false, false, false};
  if (!is_float(result.dtype)) return kNone;
  if (const auto* constant = std::get_if<Constant>(&op)) {
    const Rational& value = constant->value;
    if (value.finite()) return kNone;
    return {value.is_nan(), !value.is_nan() && !value.negative(), !value.is_nan() && value.negative()};
  }
  Beyond all = kNone;
  for (const Beyond& operand : operands) {
    all = {all.nan || operand.nan, all.above || operand.above, all.below || operand.below};
  }
  if (takes_elements(op)) return all;
  if (std::holds_alternative<Negate>(op)) return {all.nan, all.below, all.above};
  return all.none() && is_total(op) ? kNone : Beyond{};
}

}  // namespace isoshard::stablehlo
