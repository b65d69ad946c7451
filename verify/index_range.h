#pragma once

#include <cstdint>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// The size of the largest dimension that `plan` looks up by computed indices (gather, scatter_add, dynamic slices) or
/// counts (iota of integers, with which indices are compared); 0 where it does neither.
int64_t index_range(const Plan& plan);

}  // namespace isoshard::verify
