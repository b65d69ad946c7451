#pragma once  // internal

#include <optional>
#include <string>
#include <vector>

#include "verify/causes/explain.h"
#include "verify/evidence/placement.h"

namespace isoshard::verify {

/// A value of the sharded program and the blocks of the reference's value `other` that devices should hold in its
/// place.
struct Mended {
  PlanValueId own, other;
  Starts starts;
  std::vector<sim::Value> values;
};

/// Says in what the op that makes a value differs from the one of the reference; `places` is in how many ops they do.
Explanation twin_in_words(const Evidence& e, const Mended& mended, size_t places);

}  // namespace isoshard::verify
