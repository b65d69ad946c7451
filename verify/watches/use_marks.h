#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "verify/facts/signs/zero_sign.h"
#include "verify/pair_facts/partial_uses.h"

namespace isoshard::verify {

/// Which values the partial functions of a program are applied to, where these are made.
class UseMarks {
 public:
  struct Mark {
    size_t use;            ///< in uses()
    PlanValueId argument;  ///< of it
    Needs needs;
    ZeroSign zero = ZeroSign::plus;  ///< of what the sign of an infinity depends on
  };

  UseMarks(const Plan& plan, int64_t steps) : UseMarks(plan, partial_uses(plan, steps)) {}

  const std::vector<PartialUse>& uses() const { return uses_; }
  /// Without arguments that are known to be as needed; uses of which nothing is left need nothing.
  UseMarks without(const std::vector<PartialArgument>& known) const;
  bool any_wide() const;
  bool any_thin() const;
  /// The marks of the results of an instruction; what loops hand on has the marks of what it was before. A maximum that
  /// may be -inf is marked itself.
  const std::vector<Mark>& at(PlanValueId id) const { return of_value_[id.index()]; }
  /// What the construction of a value shows for all inputs, if a partial function is applied to it.
  const std::vector<Needs>& shown_at(PlanValueId id) const { return shown_of_[id.index()]; }

 private:
  UseMarks(const Plan& plan, PartialUses uses);

  std::vector<PartialUse> uses_;
  std::vector<std::vector<Mark>> of_value_;
  std::vector<std::vector<Needs>> shown_of_;
};

}  // namespace isoshard::verify
