#include "verify/pair_facts/boolean_inputs.h"

#include <algorithm>
#include <optional>

#include "verify/compare/inputs.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/reach.h"
#include "verify/pair_facts/partial_uses.h"

namespace isoshard::verify {
namespace {

/// Whether something of which a marked value is an operand has no value for some operands.
bool partial_in_marked(const Instruction& i, const std::vector<bool>& marked) {
  const auto is_marked = [&](size_t o) { return marked[i.operands[o].index()]; };
  if (op_of<Power>(i) != nullptr && is_marked(1)) return true;
  const std::optional<size_t> argument = partial_argument(i);
  return argument && is_marked(*argument);
}

/// Whether a predicate that is an input reaches such an operand.
bool reaches_partial(const Plan& plan, const Module& module) {
  const std::vector<bool> marked = reached_from(plan, [&](const Instruction& i) {
    const LoadBlock* load = std::get_if<LoadBlock>(&i.data());
    return load != nullptr && module.global(load->global).type.dtype == DType::pred;
  });
  return std::any_of(plan.instructions.begin(), plan.instructions.end(),
                     [&](const Instruction& i) { return partial_in_marked(i, marked); });
}

bool has_predicate_inputs(const Pair& pair) {
  for (size_t g = 0; g < pair.used.size(); ++g) {
    const Global& global = pair.module->globals[g];
    if (pair.used[g] && global.type.dtype == DType::pred && !exact_value(global)) return true;
  }
  return false;
}

}  // namespace

bool may_take_boolean_inputs(const Pair& pair) {
  return has_predicate_inputs(pair) && !reaches_partial(pair.sharded.plan, *pair.module) &&
         !reaches_partial(pair.reference.plan, *pair.module);
}

}  // namespace isoshard::verify
