#include "verify/generalise.h"

#include "verify/inputs.h"
#include "verify/is_one_of.h"
#include "verify/order_facts.h"

namespace isoshard::verify {
namespace {

/// Whether something of which a marked value is an operand has no value for some operands.
bool partial_in_marked(const Instruction& i, const std::vector<char>& marked) {
  const LocalOp* local = std::get_if<LocalOp>(&i.data);
  if (local == nullptr || i.operands.empty()) return false;
  const auto is_marked = [&](size_t o) { return marked[i.operands[o].index()] != 0; };
  const OpData& op = local->op;
  if (std::holds_alternative<Divide>(op) || std::holds_alternative<Remainder>(op)) return is_marked(1);
  if (std::holds_alternative<Power>(op)) return is_marked(0) || is_marked(1);
  const bool partial = is_one_of<Rsqrt, Sqrt, Log>(op);
  return (partial || std::holds_alternative<ErfInv>(op)) && is_marked(0);
}

/// Whether a predicate that is an input reaches such an operand.
bool reaches_partial(const Plan& plan, const Module& module) {
  std::vector<char> marked(plan.values.size(), 0);
  const std::vector<Renaming> renamed = renamings(plan);
  for (size_t round = 0; round < 2 + renamed.size(); ++round) {
    const std::vector<char> before = marked;
    for (const Instruction& i : plan.instructions) {
      const LoadBlock* load = std::get_if<LoadBlock>(&i.data);
      bool is = load != nullptr && module.global(load->global).type.dtype == DType::pred;
      for (const PlanValueId id : i.operands) is = is || marked[id.index()] != 0;
      for (const PlanValueId id : i.results) marked[id.index()] |= is ? 1 : 0;
    }
    for (const Renaming& r : renamed) marked[r.to.index()] |= marked[r.from.index()];
    if (marked == before) break;
  }
  for (const Instruction& i : plan.instructions) {
    if (partial_in_marked(i, marked)) return true;
  }
  return false;
}

bool has_predicate_inputs(const Pair& pair) {
  for (size_t g = 0; g < pair.used.size(); ++g) {
    const Global& global = pair.module->globals[g];
    if (pair.used[g] && global.type.dtype == DType::pred && !exact_value(global)) return true;
  }
  return false;
}

}  // namespace

bool predicates_generalise(const Pair& pair) {
  return has_predicate_inputs(pair) && !reaches_partial(pair.sharded.plan, *pair.module) &&
         !reaches_partial(pair.reference.plan, *pair.module);
}

}  // namespace isoshard::verify
