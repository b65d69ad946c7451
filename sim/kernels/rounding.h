#pragma once

#include <limits>

/// What bounds of the errors of f64 are made of.
namespace isoshard::sim {

/// A rounding changes a normal number by at most this part of it.
inline constexpr double kUnit = 0x1p-53;
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace isoshard::sim
