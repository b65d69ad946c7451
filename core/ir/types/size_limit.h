#pragma once

#include <cstdint>

#include "core/value/tensor.h"

namespace isoshard {

/// Sizes of types are limited, so that nothing that is computed of them overflows.
inline constexpr int64_t kMostElements = int64_t{1} << 40;

/// Whether sizes are at least 0 and have at most kMostElements elements together, sizes of 0 left out.
inline bool is_countable(const Shape& shape) {
  int64_t count = 1;
  for (const int64_t size : shape) {
    if (size < 0 || (size > 0 && count > kMostElements / size)) return false;
    if (size > 0) count *= size;
  }
  return true;
}

}  // namespace isoshard
