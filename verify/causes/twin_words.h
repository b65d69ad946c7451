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

/// The number that `id` is everywhere, as a text, where a constant makes it; `makers` is of all values of `plan`.
std::optional<std::string> number_in(const Plan& plan, const std::vector<InstructionId>& makers, PlanValueId id);

/// Says in what the op that makes a value differs from the one of the reference; `places` is in how many ops they do.
Explanation twin_in_words(const Evidence& e, const Mended& mended, size_t places);

}  // namespace isoshard::verify
