#include "verify/facts/producers.h"

#include <algorithm>

#include "verify/facts/is_one_of.h"

namespace isoshard::verify {

std::vector<InstructionId> definitions(const Plan& plan) {
  std::vector<InstructionId> result(plan.values.size());
  for (size_t i = 0; i < plan.instructions.size(); ++i) {
    for (const PlanValueId id : plan.instructions[i].results) result[id.index()] = InstructionId(i);
  }
  return result;
}

std::optional<Rational> number_of(const Plan& plan, const std::vector<InstructionId>& made, PlanValueId id) {
  if (!made[id.index()].valid()) return std::nullopt;
  const Instruction i = plan.instruction(made[id.index()]);
  if (is_one_of<BroadcastInDim, Reshape>(local_op(i))) return number_of(plan, made, i.operands[0]);
  const Constant* constant = op_of<Constant>(i);
  return constant == nullptr ? std::nullopt : std::optional(constant->value);
}

std::vector<char> made_without_inputs(const Plan& plan) {
  std::vector<char> result(plan.values.size(), 0);
  for (const Instruction& i : plan.instructions) {
    const bool local = std::holds_alternative<LocalOp>(i.data());
    const bool free = std::holds_alternative<ScalarIndex>(i.data()) ||
                      (local && std::all_of(i.operands.begin(), i.operands.end(),
                                            [&](PlanValueId id) { return result[id.index()] != 0; }));
    for (const PlanValueId id : i.results) result[id.index()] = free ? 1 : 0;
  }
  return result;
}

}  // namespace isoshard::verify
