#include "verify/facts/producers.h"

#include <algorithm>

namespace isoshard::verify {

std::vector<InstructionId> definitions(const Plan& plan) {
  std::vector<InstructionId> result(plan.values.size());
  for (size_t i = 0; i < plan.instructions.size(); ++i) {
    for (const PlanValueId id : plan.instructions[i].results) result[id.index()] = InstructionId(i);
  }
  return result;
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
