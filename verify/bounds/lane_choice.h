#pragma once

#include <cstddef>

namespace isoshard::verify {

inline constexpr size_t kMaxLanes = 8;

/// How many lanes may be taken, and for which error.
struct LaneChoice {
  size_t least = 2, most = kMaxLanes;
  double target = -40;  ///< log2 of the error that lanes are added for
  double worst = -20;   ///< log2 of the error above which nothing is decided
};

}  // namespace isoshard::verify
