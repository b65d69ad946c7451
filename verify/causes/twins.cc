// Pairs values of both programs by their place. From an output on, ops of one kind pair their operands, crosswise where
// the order of operands does not matter and fits better so; what only moves elements or talks to other devices is
// passed on the side that has it. Where programs are built differently the walk loses its way; there an op that shares
// an operand with one of the reference is taken for that one. Pairs are hypotheses, which explain_twin.cc tries. Cost:
// one walk; for the other pairs the ops of the reference.
#include "verify/causes/twins.h"

#include <algorithm>

#include "verify/evidence/stored_blocks.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/producers.h"

namespace isoshard::verify {
namespace {

constexpr size_t kMostTwins = 4;

bool passes_on(const Instruction& i) {
  if (i.operands.size() != 1) return false;
  const LocalOp* local = local_op(i);
  if (local == nullptr) return !std::holds_alternative<LoadBlock>(i.data());
  return is_one_of<Reshape, Transpose, BroadcastInDim, Convert, StopGradient>(local);
}

bool is_commutative(const Instruction& i) { return is_one_of<Add, Multiply, Maximum, Minimum>(local_op(i)); }

}  // namespace

bool is_value_of(const Evidence& e, PlanValueId own, PlanValueId other) {
  const Match* match = e.match(own);
  if (match == nullptr || match->is_sum()) return false;
  const std::vector<Fingerprint>& at = e.reference.at(other);
  return !at.empty() && match->reference->fingerprint == at[0] &&
         match->reference->type == e.pair.reference.plan.value(other).type();
}

Twins::Twins(const Evidence& e, const RingOutcome& outcome)
    : e_(e), reference_(e.pair.reference.plan), makers_(definitions(e.pair.reference.plan)) {
  if (e.plan().groups.size() > 1) return;  // values of stages and micro-batches are parts
  for (const Instruction& i : e.plan().instructions) {
    const StoreBlock* store = std::get_if<StoreBlock>(&i.data());
    if (store == nullptr || !outcome.outputs[store->output].differs_first) continue;
    const PlanValueId other = stored_value(reference_, e.pair.reference_output[store->output]);
    if (other.valid()) pair(i.operands[0], other);
  }
}

void Twins::pair(PlanValueId own, PlanValueId other) {
  std::vector<PlanValueId>& known = paired_[own];
  if (known.size() == kMostTwins || std::find(known.begin(), known.end(), other) != known.end()) return;
  known.push_back(other);
  if (!e_.definition[own.index()].valid() || !makers_[other.index()].valid()) return;
  const Instruction& i = e_.plan().instruction(e_.definition[own.index()]);
  const Instruction& j = reference_.instruction(makers_[other.index()]);
  if (local_op(i) != nullptr && i.op() == j.op() && i.operands.size() == j.operands.size()) {
    pair_operands(i, j);
  } else if (passes_on(i)) {
    pair(i.operands[0], other);
  } else if (passes_on(j)) {
    pair(own, j.operands[0]);
  }
}

bool Twins::alike(PlanValueId own, PlanValueId other) const {
  const InstructionId a = e_.definition[own.index()], b = makers_[other.index()];
  return a.valid() && b.valid() && e_.plan().instruction(a).op() == reference_.instruction(b).op();
}

void Twins::pair_operands(const Instruction& own, const Instruction& other) {
  const auto fits = [&](size_t a, size_t b) {
    return (is_value_of(e_, own.operands[a], other.operands[b]) ? 4 : 0) +
           (alike(own.operands[a], other.operands[b]) ? 1 : 0);
  };
  const bool crossed = is_commutative(own) && fits(0, 1) + fits(1, 0) > fits(0, 0) + fits(1, 1);
  for (size_t k = 0; k < own.operands.size(); ++k) pair(own.operands[k], other.operands[crossed ? 1 - k : k]);
}

/// How many operands are the same.
int Twins::agreement(const Instruction& own, const Instruction& other) const {
  int same = 0;
  for (size_t k = 0; k < own.operands.size(); ++k) {
    const PlanValueId x = own.operands[k];
    same += is_value_of(e_, x, other.operands[k]) ? 1 : 0;
    if (is_commutative(own)) same += is_value_of(e_, x, other.operands[1 - k]) ? 1 : 0;
  }
  return same;
}

std::vector<PlanValueId> Twins::of(PlanValueId id) const {
  const auto found = paired_.find(id);
  std::vector<PlanValueId> result = found == paired_.end() ? std::vector<PlanValueId>{} : found->second;
  const Instruction& own = e_.plan().instruction(e_.definition[id.index()]);
  std::vector<std::pair<int, PlanValueId>> others;
  for (const Instruction& other : reference_.instructions) {
    const bool same_kind = local_op(own) != nullptr && other.op() == own.op() && !other.results.empty() &&
                           other.operands.size() == own.operands.size();
    const int same = same_kind ? agreement(own, other) : 0;
    if (same > 0) others.emplace_back(-same, other.results[0]);
  }
  std::stable_sort(others.begin(), others.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& other : others) {
    const bool known = std::find(result.begin(), result.end(), other.second) != result.end();
    if (!known && result.size() < kMostTwins) result.push_back(other.second);
  }
  return result;
}

PlanValueId Twins::at_place_of(PlanValueId id) const {
  const auto found = paired_.find(id);
  return found == paired_.end() ? PlanValueId{} : found->second.front();
}

}  // namespace isoshard::verify
