#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// What is known of the sign of a real number, for all inputs. `masked`: positive, but for elements that are 0 for all
/// inputs because an infinite constant is their exponent.
enum class KnownSign : uint8_t { any, nonnegative, masked, positive };

/// Per value of `plan` what its construction shows of all its elements, as real numbers: exponentials and logistics are
/// positive, squares are not negative, sums of either stay what they are, 1 - logistic x is positive. Integers and
/// predicates that depend on inputs, and globals may be anything. Exponentials of what is `infinite`, per value, for
/// constants that are part of it, are masked; an empty list knows of none. Where it is known which values may hold NaN,
/// counts of the maxima of others are positive.
std::vector<KnownSign> signs_of(const Plan& plan, const std::vector<bool>& infinite = {},
                                const std::optional<std::vector<bool>>& nan = std::nullopt);

}  // namespace isoshard::verify
