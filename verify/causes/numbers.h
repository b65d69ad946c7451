#pragma once

#include <optional>
#include <string>
#include <vector>

#include "verify/evidence/evidence.h"

namespace isoshard::verify {

/// The number that `id` is everywhere, as a text, where a constant makes it; `makers` is of all values of `plan`.
std::optional<std::string> number_in(const Plan& plan, const std::vector<InstructionId>& makers, PlanValueId id);

/// Whether the op that makes `id` takes a number that its source writes as such: `2` and not `size(dp)`.
bool takes_written_number(const Evidence& e, PlanValueId id);

}  // namespace isoshard::verify
