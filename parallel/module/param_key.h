#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace isoshard {

/// How Flax gives each parameter and each dropout a key of its own (docs/spec/random.md, "Keys of modules"):
/// fold_in(base, W) where the base key of a stream has seen the folds and splits of enclosing wrappers and scans, and W
/// is param_fold of where it is used.

/// The first four bytes, big-endian, of SHA-1 over the components of the module path and then the counter as big-endian
/// bytes without leading zeros. Counters start at 1 in every scope and stream.
uint32_t param_fold(const std::vector<std::string>& path, int64_t counter);

/// The counter of draw `draw` (from 1) of a scope that draws `draws` times per trace, below `scans` scans that split
/// this stream: each of them traces its body twice, (2^scans - 1)·draws + draw. At most 30 scans.
int64_t draw_counter(int64_t draws, int64_t draw, int64_t scans = 0);

}  // namespace isoshard
