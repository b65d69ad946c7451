#include "verify/watches/use_marks.h"

#include <algorithm>
#include <utility>

#include "verify/facts/is_one_of.h"
#include "verify/facts/renamings.h"

namespace isoshard::verify {

UseMarks::UseMarks(const Plan& plan, PartialUses uses)
    : uses_(std::move(uses.uses)), of_value_(plan.values.size()), shown_of_(plan.values.size()) {
  const bool any = !uses_.empty() || !uses.shown.empty();
  const std::vector<Renaming> renamed = any ? renamings(plan) : std::vector<Renaming>();
  const std::vector<ZeroSign> zeros = uses_.empty() ? std::vector<ZeroSign>() : zero_signs_of(plan);
  for (size_t u = 0; u < uses_.size(); ++u) {
    const bool of_log = is_one_of<Log>(local_op(plan.instruction(uses_[u].use)));  // -inf for both zeros
    for (const PartialArgument& argument : uses_[u].arguments) {
      const bool maximum = argument.needs == Needs::finite;
      const PlanValueId marked = maximum ? plan.instruction(uses_[u].use).results[0] : argument.value;
      for (const PlanValueId name : earlier_names(marked, renamed)) {
        of_value_[name.index()].push_back(
            {u, argument.value, argument.needs, of_log ? ZeroSign::plus : zeros[argument.value.index()]});
      }
    }
  }
  for (const PartialArgument& argument : uses.shown) {
    for (const PlanValueId name : earlier_names(argument.value, renamed)) {
      shown_of_[name.index()].push_back(argument.needs);
    }
  }
}

UseMarks UseMarks::without(const std::vector<PartialArgument>& known) const {
  if (known.empty()) return *this;
  UseMarks result = *this;
  const auto is_known = [&](const PartialArgument& a) {
    return std::find(known.begin(), known.end(), a) != known.end();
  };
  for (PartialUse& use : result.uses_) std::erase_if(use.arguments, is_known);
  for (std::vector<Mark>& marks : result.of_value_) {
    std::erase_if(marks, [&](const Mark& mark) { return is_known({mark.argument, mark.needs}); });
  }
  return result;
}

bool UseMarks::any_thin() const {
  return std::any_of(uses_.begin(), uses_.end(),
                     [](const PartialUse& use) { return !use.wide && !use.of_infinity && !use.arguments.empty(); });
}

bool UseMarks::any_wide() const {
  return std::any_of(uses_.begin(), uses_.end(),
                     [](const PartialUse& use) { return use.wide && !use.arguments.empty(); });
}

}  // namespace isoshard::verify
