#pragma once

#include <cstdint>
#include <vector>

#include "sim/kernels/reduce.h"

namespace isoshard::sim {

/// The offsets of all index tuples of `axes`, row-major.
inline std::vector<int64_t> offsets(const std::vector<ReducePlan::Axis>& axes) {
  std::vector<int64_t> result{0};
  for (const ReducePlan::Axis& axis : axes) {
    std::vector<int64_t> longer;
    for (const int64_t base : result) {
      for (int64_t i = 0; i < axis.size; ++i) longer.push_back(base + i * axis.stride);
    }
    result = std::move(longer);
  }
  return result;
}

}  // namespace isoshard::sim
