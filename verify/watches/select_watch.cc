// Notes which sides the selects of a run have taken, of those whose predicate depends on a comparison of floats. A
// select that only ever took one side hides the other one: a proof says so (docs/spec/opaque.md, "One-sided selects").
// A soft predicate, neither 0 nor 1 in all lanes, counts as both. Values that are renamed by calls and loops share one
// mark, and marks are atomic, since devices run in parallel. Cost: one look at each predicate until both sides were
// seen.
#include "verify/watches/select_watch.h"

#include "verify/facts/is_one_of.h"
#include "verify/facts/order_facts.h"
#include "verify/facts/reach.h"
#include "verify/facts/renamings.h"

namespace isoshard::verify {
namespace {

constexpr uint8_t kFalse = 1, kTrue = 2, kBothTruths = kFalse | kTrue;

/// Per value: a predicate that depends on a comparison of floats.
std::vector<bool> float_predicates(const Plan& plan) {
  return reached_from(
      plan, [&](const Instruction& i) { return compares_floats(plan, i); },
      [](const TensorType& type) { return type.dtype == DType::pred; });
}

/// The sides that element i names.
uint8_t sides(const sim::ExactRing& ring, const sim::Value& predicate, int64_t i) {
  if (predicate.storage.element_bytes == 1)
    return predicate.plane<uint8_t>(0)[static_cast<size_t>(i)] != 0 ? kTrue : kFalse;
  const uint64_t first = ring.residue(predicate, 0, i);
  if (first > 1) return kBothTruths;
  for (size_t lane = 1; lane < ring.lanes(); ++lane) {
    if (ring.residue(predicate, lane, i) != first) return kBothTruths;
  }
  return first == 1 ? kTrue : kFalse;
}

}  // namespace

SelectWatch::SelectWatch(const Plan& plan) : plan_(plan), of_value_(plan.values.size()) {
  const std::vector<bool> floats = float_predicates(plan);
  for (size_t i = 0; i < plan.instructions.size(); ++i) {
    if (op_of<Select>(plan.instructions[i]) == nullptr) continue;
    const size_t predicate = plan.instructions[i].operands[0].index();
    if (!floats[predicate]) continue;
    selects_.push_back(InstructionId(i));
    if (!of_value_[predicate]) of_value_[predicate] = std::make_shared<std::atomic<uint8_t>>(uint8_t{0});
  }
  const std::vector<Renaming> renamed = renamings(plan);
  for (bool grown = true; grown;) {
    grown = false;
    for (const Renaming& r : renamed) {
      if (!of_value_[r.to.index()] || of_value_[r.from.index()]) continue;
      of_value_[r.from.index()] = of_value_[r.to.index()];
      grown = true;
    }
  }
}

void SelectWatch::on_value(int64_t, PlanValueId id, const sim::Value& value) {
  std::atomic<uint8_t>* known = of_value_[id.index()].get();
  if (known == nullptr || ring_ == nullptr) return;
  uint8_t seen = known->load();
  for (int64_t i = 0; i < value.size() && seen != kBothTruths; ++i) seen |= sides(*ring_, value, i);
  known->fetch_or(seen);
}

std::vector<std::string> SelectWatch::one_sided() const {
  std::vector<std::string> result;
  for (const InstructionId id : selects_) {
    const Instruction& select = plan_.instruction(id);
    const uint8_t seen = of_value_[select.operands[0].index()]->load();
    if (seen == kBothTruths || seen == 0) continue;
    const PlanValueId taken = select.operands[seen == kTrue ? 1 : 2];
    const std::string made = plan_.value(select.results[0]).in_words();
    result.push_back(made + (select.location().known() ? " at " + select.location().to_string() : "") +
                     " always takes " + plan_.value(taken).in_words());
  }
  return result;
}

}  // namespace isoshard::verify
