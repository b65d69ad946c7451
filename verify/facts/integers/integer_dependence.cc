// What depends on integers, keys, predicates or comparisons of floats: sources, and all that is reached from them
// (reach.h, through loops, messages and updates). Draws cover such values, they do not prove them, unless tables do.
// Cost: the fixpoint of reached_from.
#include "verify/facts/integers/integer_dependence.h"

#include <algorithm>

#include "verify/facts/reach.h"

namespace isoshard::verify {
namespace {

bool is_source(const Plan& plan, const Instruction& i) {
  if (i.results.empty()) return false;
  const auto is_discrete = [&](PlanValueId id) { return !is_float(plan.value(id).type().dtype); };
  if (std::holds_alternative<LoadBlock>(i.data())) return is_discrete(i.results[0]);
  const bool from_floats =
      std::any_of(i.operands.begin(), i.operands.end(), [&](PlanValueId id) { return !is_discrete(id); });
  return from_floats && std::any_of(i.results.begin(), i.results.end(), is_discrete);
}

}  // namespace

std::vector<bool> depends_on_integers(const Plan& plan, int64_t steps) {
  return reached_from(
      plan, [&](const Instruction& i) { return is_source(plan, i); }, {}, {}, steps);
}

InstructionId asserted_integers(const Plan& plan) {
  const std::vector<bool> depends = depends_on_integers(plan);
  for (size_t i = 0; i < plan.instructions.size(); ++i) {
    const Collective* collective = std::get_if<Collective>(&plan.instructions[i].data());
    if (collective == nullptr || collective->kind != CollectiveKind::assert_equal) continue;
    if (depends[plan.instructions[i].operands[0].index()]) return InstructionId(i);
  }
  return {};
}

}  // namespace isoshard::verify
