// Finds the maxima of a program that only shift arguments of exponentials, as in a softmax: exp(x - m) / sum exp(x - m)
// is the same for every m, so m may be 0 for a diagnosis. One walk backwards over the Plan: a value is harmless when
// all its uses are exponentials, stores, or ops that pass a shift on to harmless values, and it shifts when some use
// leads to an exponential. A guess by structure; that the reference gives the same outputs with 0 in these places is
// checked by a run on two lanes before it is used. Values that other rank groups bring are followed as well. Costs one
// walk and one run.
#include "verify/causes/cancelling_maxima.h"

#include <algorithm>

#include "core/plan/exchanges.h"
#include "core/support/result.h"
#include "verify/compare/same_outputs.h"
#include "verify/facts/block_rows.h"
#include "verify/facts/is_one_of.h"

namespace isoshard::verify {
namespace {

constexpr size_t kMaximumLanes = 2;

bool is_maximum(const Instruction& i) {
  if (const Collective* c = std::get_if<Collective>(&i.data())) return c->kind == CollectiveKind::all_reduce_max;
  const Reduce* reduce = op_of<Reduce>(i);
  return op_of<Maximum>(i) != nullptr || (reduce != nullptr && reduce->op == Reducer::max);
}

/// Whether a shift of an operand shifts the result, or moves it.
bool passes_shifts(const Instruction& i) {
  if (is_maximum(i)) return true;
  if (const Collective* c = std::get_if<Collective>(&i.data())) {
    return c->kind == CollectiveKind::all_gather || c->kind == CollectiveKind::all_to_all;
  }
  const LocalOp* local = local_op(i);
  if (local == nullptr) return !std::holds_alternative<StoreBlock>(i.data());
  const OpFacts facts = op_facts(local->op);
  return (facts.kind == OpClass::linear && facts.elementwise) || is_one_of<Convert>(local->op) ||
         (facts.kind == OpClass::movement && !is_one_of<Pad>(local->op));  // what surrounds an operand has no shift
}

/// The results of an instruction, and of those of other rank groups that it meets.
std::vector<PlanValueId> reached_by(const Plan& plan, const Exchanges& exchanges, InstructionId id) {
  const PlanValueIds& own = plan.instruction(id).results;
  std::vector<PlanValueId> result(own.begin(), own.end());
  for (const InstructionId other : exchanges.met_by(id)) {
    const PlanValueIds& results = plan.instruction(other).results;
    result.insert(result.end(), results.begin(), results.end());
  }
  return result;
}

}  // namespace

std::vector<bool> find_cancelling_maxima(const Plan& plan) {
  const Exchanges exchanges(plan);
  std::vector<bool> harmless(plan.values.size(), true), shifts(plan.values.size(), false);
  std::vector<bool> result(plan.values.size(), false);
  for (size_t k = plan.instructions.size(); k-- > 0;) {
    const Instruction& i = plan.instructions[k];
    const bool exponential = op_of<Exponential>(i) != nullptr;
    const bool store = std::holds_alternative<StoreBlock>(i.data());
    const bool passes = passes_shifts(i);
    if (is_maximum(i) && is_float(plan.value(i.results[0]).type().dtype)) {
      const size_t v = i.results[0].index();
      result[v] = harmless[v] && shifts[v];
    }
    const std::vector<PlanValueId> reached = reached_by(plan, exchanges, InstructionId(k));
    const auto any = [&](const std::vector<bool>& marks, bool mark) {
      return std::any_of(reached.begin(), reached.end(), [&](PlanValueId id) { return marks[id.index()] == mark; });
    };
    for (const PlanValueId id : i.operands) {
      const size_t v = id.index();
      if (exponential) shifts[v] = true;
      if (exponential || store) continue;
      harmless[v] = harmless[v] && passes && !any(harmless, false);
      if (passes) shifts[v] = shifts[v] || any(shifts, true);
    }
  }
  return result;
}

namespace {

std::vector<MaximumStandIn> zeros_for(const Plan& plan) {
  std::vector<MaximumStandIn> result;
  for (const bool cancels : find_cancelling_maxima(plan))
    result.push_back(cancels ? MaximumStandIn::zero : MaximumStandIn::none);
  return result;
}

/// The outputs of the first step of the reference, comparable.
bool same_reference(const Pair& plain, const Pair& fixed, const RingOptions& options, const Draw& draw) {
  const std::unique_ptr<sim::Domain> domain = make_ring(options, kMaximumLanes, draw);
  PairRun a(plain, *domain, ring_draw(options, *domain, draw), options.workers);
  PairRun b(fixed, *domain, ring_draw(options, *domain, draw), options.workers);
  if (!a.next() || !b.next()) return false;
  return same_outputs(a.result().reference, b.result().reference, *domain);
}

}  // namespace

std::optional<Pair> without_cancelling_maxima(const Pair& pair, const RingOptions& options, const Draw& draw) {
  Pair fixed = pair;
  fixed.sharded.maximum_stand_ins = zeros_for(pair.sharded.plan);
  fixed.reference.maximum_stand_ins = zeros_for(pair.reference.plan);
  const auto any = [](const Side& side) {
    return std::find(side.maximum_stand_ins.begin(), side.maximum_stand_ins.end(), MaximumStandIn::zero) !=
           side.maximum_stand_ins.end();
  };
  if (!any(fixed.sharded) && !any(fixed.reference)) return std::nullopt;
  if (!same_reference(pair, fixed, options, draw)) return std::nullopt;
  return fixed;
}

}  // namespace isoshard::verify
