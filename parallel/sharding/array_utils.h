#pragma once

#include <string>

#include "parallel/module/model_builder.h"

namespace isoshard {

/// The block of `x` along dimension `split_dim` (negative: counted from the last) that belongs to the device's index d
/// over `axis`, N devices: elements d·c to (d+1)·c with c = floor(size / N) (docs/spec/originals.md, "Array
/// utilities").
///
/// Nothing is communicated. Where N does not divide the size, the last size - N·c elements are dropped on all devices;
/// `isoshard check` shows them as a difference from the whole. One device keeps `x` as it is. A dimension that `x` does
/// not have is an error (C-split-dim).
ValueId split_array_over_mesh(ModelBuilder& m, ValueId x, const Group& axis, int64_t split_dim, std::string name = "",
                              const Location& location = Location::here());

}  // namespace isoshard
