#pragma once

#include <cstdint>

namespace isoshard::sim {

/// A number made of constants and discrete values only that has at least this magnitude counts as infinite where it
/// meets data: a mask (equivalence.md 4).
inline constexpr int64_t kLeastMask = 10000;

}  // namespace isoshard::sim
