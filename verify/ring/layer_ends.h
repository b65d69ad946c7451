#pragma once  // internal

#include "verify/ring/ring_options.h"

namespace isoshard::verify {

/// The float values of `plan` that an innermost loop hands from iteration to iteration and uses for more than one
/// thing: a residual stream or its gradient at the end of each layer, but no sum that only grows.
std::vector<PlanValueId> handed_on(const Plan& plan);

/// Finds those values that both programs share: elements of the one, times one ratio of loop counts and axis sizes
/// (gradients of micro-batches), are among those of the other. One step on two lanes tells; nothing where that fails or
/// where there are too many elements to remember. A wrong guess only makes equal programs look different with opaque
/// functions there.
LayerEnds find_layer_ends(const Pair& pair, const RingOptions& options);

}  // namespace isoshard::verify
