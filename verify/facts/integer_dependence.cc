#include "verify/facts/integer_dependence.h"

#include <algorithm>

#include "verify/order_facts.h"

namespace isoshard::verify {
namespace {

bool is_source(const Plan& plan, const Instruction& i) {
  if (i.results.empty()) return false;
  const auto is_discrete = [&](PlanValueId id) { return !is_float(plan.value(id).type.dtype); };
  if (std::holds_alternative<LoadBlock>(i.data)) return is_discrete(i.results[0]);
  const bool from_floats =
      std::any_of(i.operands.begin(), i.operands.end(), [&](PlanValueId id) { return !is_discrete(id); });
  return from_floats && std::any_of(i.results.begin(), i.results.end(), is_discrete);
}

}  // namespace

std::vector<bool> depends_on_integers(const Plan& plan) {
  std::vector<bool> result(plan.values.size(), false);
  const std::vector<Renaming> renamed = renamings(plan);
  for (bool grown = true; grown;) {
    grown = false;
    const auto mark = [&](PlanValueId id) {
      grown = grown || !result[id.index()];
      result[id.index()] = true;
    };
    for (const Instruction& i : plan.instructions) {
      const bool depends = is_source(plan, i) || std::any_of(i.operands.begin(), i.operands.end(),
                                                             [&](PlanValueId id) { return result[id.index()]; });
      for (size_t r = 0; depends && r < i.results.size(); ++r) {
        if (!result[i.results[r].index()]) mark(i.results[r]);
      }
    }
    for (const Renaming& r : renamed) {
      if (result[r.from.index()] && !result[r.to.index()]) mark(r.to);
    }
  }
  return result;
}

}  // namespace isoshard::verify
