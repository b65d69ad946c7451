// Two passes over a Plan, one that counts and one that fills, so that a Plan of a million instructions takes two arrays
// and no list of its own for each value. A walk that begins at one value then costs what it reaches, not the Plan.
#include "verify/facts/readers.h"

#include <numeric>

#include "verify/facts/renamings.h"

namespace isoshard::verify {

/// `each` calls what it is given with every value and item, in the same order whenever it is called.
template <class Item, class Each>
Readers::Lists<Item> Readers::lists(size_t values, const Each& each) {
  Lists<Item> result;
  result.begins.assign(values + 1, 0);
  each([&](PlanValueId id, Item) { ++result.begins[id.index()]; });
  std::partial_sum(result.begins.begin(), result.begins.end(), result.begins.begin());
  result.items.resize(result.begins.back());
  each([&](PlanValueId id, Item item) { result.items[--result.begins[id.index()]] = item; });
  return result;
}

Readers::Readers(const Plan& plan) : plan_(plan) {
  instructions_ = lists<InstructionId>(plan.values.size(), [&](const auto& take) {
    for (size_t i = 0; i < plan.instructions.size(); ++i) {
      for (const PlanValueId id : plan.instructions[i].operands) take(id, InstructionId(i));
    }
  });
  const std::vector<Renaming> renamed = renamings(plan);
  names_ = lists<PlanValueId>(plan.values.size(), [&](const auto& take) {
    for (const Renaming& r : renamed) take(r.from, r.to);
  });
}

}  // namespace isoshard::verify
