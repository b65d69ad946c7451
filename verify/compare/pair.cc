#include "verify/compare/pair.h"

#include "verify/facts/is_one_of.h"

namespace isoshard::verify {

std::vector<InstructionId> denominators(const Plan& plan) {
  std::vector<InstructionId> result(plan.values.size());
  for (size_t i = plan.instructions.size(); i-- > 0;) {
    if (op_of<Divide>(plan.instructions[i]) == nullptr) continue;
    result[plan.instructions[i].operands[1].index()] = InstructionId(i);
  }
  return result;
}

}  // namespace isoshard::verify
