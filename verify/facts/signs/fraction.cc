// Which values lie between -1 and 1, bottom up: a logistic, tanh or erf does, a constant may, products of two that do
// do, and movement changes nothing; so does what is made of bits (intervals.h). So 1 - x y is no denominator that
// vanishes (docs/spec/verdict.md, "Where a formula has no value"). One pass in the order of definitions; what that does
// not show counts as unknown.
#include "verify/facts/signs/fraction.h"

#include <cmath>
#include <optional>

#include "verify/facts/is_one_of.h"
#include "verify/facts/producers.h"
#include "verify/facts/signs/intervals.h"

namespace isoshard::verify {
namespace {

std::optional<double> finite_constant(const LocalOp* local) {
  const Constant* constant = local == nullptr ? nullptr : std::get_if<Constant>(&local->op);
  return constant != nullptr && constant->value.finite() ? std::optional(constant->value.to_double()) : std::nullopt;
}

}  // namespace

Fractions::Fractions(const Plan& plan) : fractions_(plan.values.size()), wholes_(plan.values.size()) {
  const Intervals intervals(plan);
  for (const Instruction& i : plan.instructions) {
    for (const PlanValueId id : i.results) {
      const std::optional<Interval>& bounds = intervals.at(id);
      fractions_[id.index()] = holds(i) || (bounds && bounds->low > -1 && bounds->high < 1);
      wholes_[id.index()] = is_whole(i);
    }
  }
}

bool Fractions::holds(const Instruction& i) const {
  const LocalOp* local = local_op(i);
  if (is_one_of<Logistic, Tanh, Erf>(local)) return true;
  if (is_one_of<Multiply>(local)) return holds(i.operands[0]) && holds(i.operands[1]);
  if (is_one_of<Negate, BroadcastInDim, Reshape, Transpose, Slice, StopGradient>(local)) return holds(i.operands[0]);
  const std::optional<double> number = finite_constant(local);
  return number && std::abs(*number) < 1;
}

bool Fractions::is_whole(const Instruction& i) const {
  const LocalOp* local = local_op(i);
  if (is_one_of<BroadcastInDim, Reshape>(local)) return wholes_[i.operands[0].index()];
  const std::optional<double> number = finite_constant(local);
  return number && *number >= 1;
}

bool Fractions::leave_rest(const Instruction& i) const {
  const LocalOp* local = local_op(i);
  if (!is_one_of<Add, Subtract>(local)) return false;
  const PlanValueId a = i.operands[0], b = i.operands[1];
  return (wholes_[a.index()] && holds(b)) || (is_one_of<Add>(local) && wholes_[b.index()] && holds(a));
}

}  // namespace isoshard::verify
