// Whether a program compares floats, and whether it tells x > y from x >= y where x and y are often the same. The kinds
// of ops come from their facts (core/ir/op_facts.h); collectives that take maxima are no local ops and stand here. Two
// floats that no construction makes equal are equal with probability 0, and so ties matter only between values that
// have few values: results of roundings, choices and comparisons, and all that is made of them (docs/spec/order.md).
// Cost: one pass, and the fixpoint of reached_from.
#include "verify/facts/order_facts.h"

#include "verify/facts/is_one_of.h"
#include "verify/facts/reach.h"

namespace isoshard::verify {
namespace {

bool orders(const OpData& op) { return op_facts(op).kind == OpClass::order; }

bool orders(const Collective& c) {
  return c.kind == CollectiveKind::all_reduce_max || c.kind == CollectiveKind::all_reduce_min;
}

/// Ops whose results are the same for a whole range of operands, besides comparisons.
bool rounds(const Plan& plan, const Instruction& i) {
  const LocalOp* local = std::get_if<LocalOp>(&i.data());
  if (local == nullptr) return false;
  if (std::holds_alternative<Convert>(local->op)) {
    const DType from = plan.value(i.operands[0]).type().dtype;
    return from == DType::pred || (is_float(from) && !is_float(plan.value(i.results[0]).type().dtype));
  }
  const OpClass kind = op_facts(local->op).kind;
  return kind == OpClass::choice || kind == OpClass::rounding;
}

/// Per value: whether ties of it are not rare.
std::vector<bool> piecewise(const Plan& plan) {
  return reached_from(plan, [&](const Instruction& i) { return rounds(plan, i) || compares_floats(plan, i); });
}

}  // namespace

bool tells_ties(const Instruction& i) {
  const LocalOp* local = local_op(i);
  return local != nullptr && op_facts(local->op).tells_ties;
}

bool compares_floats(const Plan& plan, const Instruction& i) {
  if (i.operands.empty() || !is_float(plan.value(i.operands[0]).type().dtype)) return false;
  if (const Collective* c = std::get_if<Collective>(&i.data())) return orders(*c);
  const LocalOp* local = std::get_if<LocalOp>(&i.data());
  return local != nullptr && orders(local->op);
}

OrderFacts order_facts(const Plan& plan) {
  OrderFacts facts;
  const std::vector<bool> often_tied = piecewise(plan);
  for (const Instruction& i : plan.instructions) {
    if (!compares_floats(plan, i)) continue;
    facts.present = true;
    facts.tells_ties = facts.tells_ties || tells_ties(i);
    for (const PlanValueId id : i.operands) facts.ties_apart |= tells_ties(i) && often_tied[id.index()] != 0;
  }
  return facts;
}

}  // namespace isoshard::verify
