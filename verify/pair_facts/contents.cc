// What a pair contains, in one pass over both Plans: it decides which rungs have laws to offer (ladder.cc). Too much
// here costs a rung that adds nothing; too little leaves a pair open that a rung would decide. Neither changes what
// EQUAL means: a rung is right about what it decides whatever was asked before.
#include "verify/pair_facts/contents.h"

#include <iterator>
#include <variant>

#include "verify/facts/constant_exponent.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/order_facts.h"

namespace isoshard::verify {

namespace {

/// Of how many elements an index of the largest is taken.
int64_t argmax_of(const LocalOp& local, const Plan& plan, const Instruction& i) {
  const auto size = [&](int64_t dim) { return plan.value(i.operands[0]).type().shape[static_cast<size_t>(dim)]; };
  const Reduce* reduce = std::get_if<Reduce>(&local.op);
  if (reduce != nullptr && reduce->op == Reducer::argmax) return size(reduce->dims[0]);
  const TopK* largest = std::get_if<TopK>(&local.op);
  const int64_t rank = std::ssize(plan.value(i.operands[0]).type().shape);
  return largest != nullptr && largest->k == 1 ? size(rank - 1) : 0;
}

/// Whether the largest or smallest of floats is taken.
bool takes_extreme(const Plan& plan, const Instruction& i) {
  if (i.operands.empty() || !is_float(plan.value(i.operands[0]).type().dtype)) return false;
  if (const Collective* c = std::get_if<Collective>(&i.data()))
    return c->kind == CollectiveKind::all_reduce_max || c->kind == CollectiveKind::all_reduce_min;
  const LocalOp* local = std::get_if<LocalOp>(&i.data());
  if (local == nullptr) return false;
  const Reduce* reduce = std::get_if<Reduce>(&local->op);
  return is_one_of<Maximum, Minimum>(local->op) ||
         (reduce != nullptr && (reduce->op == Reducer::max || reduce->op == Reducer::min));
}

bool is_minus_infinity(const Instruction& i) {
  const LocalOp* local = std::get_if<LocalOp>(&i.data());
  const Constant* constant = local == nullptr ? nullptr : std::get_if<Constant>(&local->op);
  return constant != nullptr && !constant->value.finite() && !constant->value.is_nan() && constant->value.negative();
}

}  // namespace

Contents contents_of(const Pair& pair) {
  Contents result;
  for (const Plan* plan : {&pair.sharded.plan, &pair.reference.plan}) {
    result.order = result.order || order_facts(*plan).present;
    std::set<int64_t>& argmax = plan == &pair.sharded.plan ? result.sharded_argmax : result.reference_argmax;
    for (const Instruction& i : plan->instructions) {
      result.maxima |= takes_extreme(*plan, i);
      result.minus_infinity |= is_minus_infinity(i);
      const LocalOp* local = std::get_if<LocalOp>(&i.data());
      if (local == nullptr) continue;
      if (i.operands.empty()) continue;
      if (const int64_t length = argmax_of(*local, *plan, i); length > 1) argmax.insert(length);
      result.case_by_case |=
          is_one_of<Maximum, Minimum, Abs>(local->op) && is_float(plan->value(i.operands[0]).type().dtype);
      result.choices |= is_one_of<TopK>(local->op) || argmax_of(*local, *plan, i) > 1;
      const bool from_float = is_float(plan->value(i.operands[0]).type().dtype);
      const bool to_float = is_float(plan->value(i.results[0]).type().dtype);
      result.rounded |= from_float && (is_one_of<Floor, RoundNearestEven, RoundNearestAfz>(local->op) ||
                                       (is_one_of<Convert>(local->op) && !to_float));
      result.powers |= is_power_of_data(*plan, i);
      result.by_exponentials |= is_one_of<Sine, Cosine>(local->op) || result.powers;
      const RingLaw law = op_facts(local->op).law;
      result.exponential |= law == RingLaw::exponential || law == RingLaw::logarithm;
    }
  }
  return result;
}

}  // namespace isoshard::verify
