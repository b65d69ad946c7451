#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// What is known of the sign of a real number, for all inputs.
enum class KnownSign : uint8_t { any, nonnegative, positive };

/// Per value of `plan` what its construction shows of all its elements, as real numbers: exponentials and logistics are
/// positive, squares are not negative, sums of either stay what they are, 1 - logistic x is positive. Integers and
/// predicates that depend on inputs, and globals may be anything.
std::vector<KnownSign> signs_of(const Plan& plan);

}  // namespace isoshard::verify
