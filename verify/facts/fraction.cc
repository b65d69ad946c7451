#include "verify/facts/fraction.h"

#include <cmath>
#include <optional>

#include "verify/facts/is_one_of.h"
#include "verify/facts/producers.h"

namespace isoshard::verify {
namespace {

std::optional<double> finite_constant(const LocalOp* local) {
  const Constant* constant = local == nullptr ? nullptr : std::get_if<Constant>(&local->op);
  return constant != nullptr && constant->value.finite() ? std::optional(constant->value.to_double()) : std::nullopt;
}

}  // namespace

Fractions::Fractions(const Plan& plan) : plan_(plan), definitions_(definitions(plan)) {}

const Instruction* Fractions::maker(PlanValueId id) const {
  const InstructionId made = definitions_[id.index()];
  return made.valid() ? &plan_.instruction(made) : nullptr;
}

bool Fractions::holds(PlanValueId id) const {
  const Instruction* made = maker(id);
  const LocalOp* local = made == nullptr ? nullptr : local_op(*made);
  if (is_one_of<Logistic, Tanh>(local)) return true;
  if (is_one_of<Multiply>(local)) return holds(made->operands[0]) && holds(made->operands[1]);
  if (is_one_of<Negate, BroadcastInDim, Reshape, Transpose, Slice, StopGradient>(local))
    return holds(made->operands[0]);
  const std::optional<double> number = finite_constant(local);
  return number && std::abs(*number) < 1;
}

bool Fractions::is_whole(PlanValueId id) const {
  const Instruction* made = maker(id);
  const LocalOp* local = made == nullptr ? nullptr : local_op(*made);
  if (is_one_of<BroadcastInDim, Reshape>(local)) return is_whole(made->operands[0]);
  const std::optional<double> number = finite_constant(local);
  return number && *number >= 1;
}

bool Fractions::leave_rest(const Instruction& i) const {
  const LocalOp* local = local_op(i);
  if (!is_one_of<Add, Subtract>(local)) return false;
  const PlanValueId a = i.operands[0], b = i.operands[1];
  return (is_whole(a) && holds(b)) || (is_one_of<Add>(local) && is_whole(b) && holds(a));
}

}  // namespace isoshard::verify
