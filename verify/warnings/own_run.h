#pragma once  // internal

#include <optional>
#include <vector>

#include "core/value/tensor.h"
#include "sim/engine/engine.h"

namespace isoshard::verify {

/// The outputs of a run in the dtypes that are written, of which `observer` sees all values; nothing where it does not
/// end, which the verdict has told.
std::optional<std::vector<Tensor>> run_in_own_dtypes(const Plan& plan, const std::vector<sim::Value>& globals,
                                                     sim::ValueObserver& observer, const sim::Workers& workers);

}  // namespace isoshard::verify
