#pragma once

#include <cstdint>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// The first dimension of the global along which the blocks of `load` have padding, or -1.
inline int64_t padded_dim(const LoadBlock& load, const Shape& whole) {
  for (size_t d = 0; d < whole.size(); ++d) {
    if (whole[d] % load.count[d] != 0) return static_cast<int64_t>(d);
  }
  return -1;
}

}  // namespace isoshard::verify
