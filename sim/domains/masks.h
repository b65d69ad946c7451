#pragma once

#include <cstdint>

namespace isoshard::sim {

/// A number made of constants and discrete values only that has at least this magnitude counts as infinite where it
/// meets data: a mask (docs/spec/verdict.md, "Constants"), unless it is said to be a bound (ConstantReadings).
inline constexpr int64_t kLeastMask = 10000;

}  // namespace isoshard::sim
