// Where formulas have no value, and ties, are judged for what outputs are made of. An assert_equal that no output reads
// is made of something else: the ring says that its operand is the same everywhere as a formula, and no more. What it
// takes for granted is a condition of the verdict then. Costs one walk backwards per such assert_equal.
#include "verify/watches/unread_asserts.h"

#include <algorithm>

#include "verify/facts/cones.h"
#include "verify/facts/order_facts.h"
#include "verify/facts/reach.h"
#include "verify/pair_facts/partial_uses.h"

namespace isoshard::verify {
namespace {

bool is_assert(const Instruction& i) {
  const Collective* collective = std::get_if<Collective>(&i.data());
  return collective != nullptr && collective->kind == CollectiveKind::assert_equal;
}

/// Per instruction: whether it may have no value, or compares floats.
std::vector<bool> uncertain(const Plan& plan, int64_t steps) {
  std::vector<bool> result(plan.instructions.size(), false);
  for (const PartialUse& use : partial_uses(plan, steps).uses) result[use.use.index()] = true;
  for (size_t i = 0; i < result.size(); ++i) result[i] = result[i] || compares_floats(plan, plan.instructions[i]);
  return result;
}

bool rests_on(const Plan& plan, const Instruction& assertion, const std::vector<bool>& uncertain) {
  const std::vector<bool> reached = reaching(plan, [&](const Instruction& i) { return i.id == assertion.id; });
  for (size_t i = 0; i < uncertain.size(); ++i) {
    const PlanValueIds& made = plan.instructions[i].results;
    if (uncertain[i] && std::any_of(made.begin(), made.end(), [&](PlanValueId id) { return reached[id.index()]; })) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::vector<std::string> unread_asserts(const Pair& pair) {
  const Plan& plan = pair.sharded.plan;
  std::vector<std::string> result;
  if (std::none_of(plan.instructions.begin(), plan.instructions.end(), is_assert)) return result;
  const std::vector<bool> read = cone_over_steps(plan, std::vector<bool>(plan.outputs.size(), true), pair.steps);
  const std::vector<bool> open = uncertain(plan, pair.steps);
  for (size_t i = 0; i < read.size(); ++i) {
    const Instruction& instruction = plan.instructions[i];
    if (read[i] || !is_assert(instruction) || !rests_on(plan, instruction, open)) continue;
    result.push_back("the assert_equal of " + pair.sharded.in_words(instruction.operands[0]) + " at " +
                     instruction.location().to_string() + ", which no output reads, holds");
  }
  return result;
}

}  // namespace isoshard::verify
