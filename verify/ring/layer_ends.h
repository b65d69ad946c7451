#pragma once  // internal

#include "verify/ring/ring_options.h"

namespace isoshard::verify {

/// Finds the loop results (loop_results.h) that both programs share: elements of the one, times one ratio of loop
/// counts and axis sizes (gradients of micro-batches), are among those of the other. One step on two lanes tells;
/// nothing where that fails or where there are too many elements to remember. A wrong guess only makes equal programs
/// look different with opaque functions there.
LayerEnds find_layer_ends(const Pair& pair, const RingOptions& options);

}  // namespace isoshard::verify
