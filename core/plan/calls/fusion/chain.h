#pragma once

#include <optional>
#include <vector>

#include "core/plan/calls/loops.h"
#include "core/plan/calls/view.h"

namespace isoshard::calls {

/// In what numbers ops of a dtype are computed.
Compute compute_of(DType dtype);

/// What the elements of an array are made of: a Map before its dimensions are joined, without its output.
struct Chain {
  Shape shape;
  Compute compute = Compute::f32;
  std::vector<View> inputs;  ///< seen along the dimensions of `shape`
  std::vector<Step> steps;
};

/// The dimensions of a kernel that writes the chain's elements to `output`.
Loops loops_of(const Chain& chain, const View& output);

/// That kernel. Nothing: it has more inputs, steps or dimensions than kernels take.
std::optional<Map> to_map(const Chain& chain, const View& output);

}  // namespace isoshard::calls
