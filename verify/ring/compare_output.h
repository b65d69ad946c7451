#pragma once

#include <vector>

#include "sim/engine/engine.h"
#include "verify/answers/ring_output.h"

namespace isoshard::verify {

/// Compares what the devices of `mesh` stored of one output of `type` with what the reference stored, element by
/// element in the ring of `domain`: where it differs, on which devices, and whether copies agree.
RingOutput compare_output(std::vector<sim::StoredBlock> blocks, std::vector<sim::StoredBlock> reference,
                          const TensorType& type, const Mesh& mesh, const sim::Domain& domain);

}  // namespace isoshard::verify
