#pragma once

#include <optional>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// The numbers from `low` to `high`, both of which are finite.
struct Interval {
  double low = 0, high = 0;
};

/// Between which numbers all elements of a value are for all inputs, as its construction shows: of what is made of
/// bits, as uniform random numbers are, and of constants and places.
class Intervals {
 public:
  explicit Intervals(const Plan& plan);

  /// Nothing where construction shows no bounds.
  const std::optional<Interval>& at(PlanValueId id) const { return known_[id.index()]; }

 private:
  std::vector<std::optional<Interval>> known_;  ///< per value
};

}  // namespace isoshard::verify
