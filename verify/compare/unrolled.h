#pragma once

#include <optional>

#include "verify/compare/pair.h"

namespace isoshard::verify {

/// Above this many instructions loops are not looked at iteration by iteration.
inline constexpr size_t kMostUnrolled = 20000;

/// Both programs iteration by iteration; nothing when that is too much to look at.
std::optional<Pair> without_loops(const Pair& pair);

}  // namespace isoshard::verify
