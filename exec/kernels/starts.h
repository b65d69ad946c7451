#pragma once

#include "core/plan/calls/indexed.h"
#include "exec/kernels/element.h"

namespace isoshard::exec {

ISOSHARD_DEVICE int64_t limited(int64_t x, int64_t most) { return x < 0 ? 0 : x > most ? most : x; }

/// How far a block is moved, in elements.
ISOSHARD_DEVICE int64_t moved_by(const calls::Starts& starts, const std::byte* memory) {
  int64_t sum = 0;
  for (int i = 0; i < starts.count; ++i) {
    const int64_t start = read_index(starts.dtype[i], memory + starts.place[i], 0);
    sum += limited(start, starts.most[i]) * starts.stride[i];
  }
  return sum;
}

}  // namespace isoshard::exec
