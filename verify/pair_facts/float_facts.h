#pragma once

#include <cstdint>
#include <vector>

#include "verify/compare/pair.h"

namespace isoshard::verify {

/// Per value of `plan`: made of constants, integers and predicates only.
std::vector<bool> exact_values(const Plan& plan);

/// Whether `plan` makes f32 of f64.
bool converts_f64(const Plan& plan);

/// Whether some integer is made of a float of 32 or 64 bits.
bool makes_integers(const Plan& plan);

/// Whether a value of either program has a dtype that is narrow, of at most so many bytes.
bool holds_narrow_floats(const Pair& pair, size_t bytes);

/// Whether some comparison of floats in either program has data on both sides, as x == max(x, ..) has.
bool compares_data(const Pair& pair);

/// Says which program's roots and logarithms count.
enum class Whose : uint8_t { both, reference };

/// Per global of `pair`: floats of which a square root or a logarithm is taken, directly or of a sum or quotient of
/// them with non-negative factors (Adam's second moment and what corrects its bias). Rung F draws their absolute value:
/// of half of all other numbers the result would be NaN.
std::vector<bool> nonnegative_inputs(const Pair& pair, Whose whose);

}  // namespace isoshard::verify
