#pragma once

#include <string>
#include <vector>

#include "core/support/result_fwd.h"
#include "sim/engine/engine.h"

namespace isoshard::sim {

/// What every device stored of one output (of one run, ordered by position), along a new first dimension of size
/// `devices`: element d is the block of the device at position d, without padding; its stacked dimensions have size 1.
///
/// I-per-device where the devices do not hold one block of one shape each, as in uneven layouts and where an output is
/// stored in parts; `name` is that of the output.
Result<Value> stack_devices(const std::string& name, const std::vector<StoredBlock>& blocks, int64_t devices);

}  // namespace isoshard::sim
