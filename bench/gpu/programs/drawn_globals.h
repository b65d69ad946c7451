#pragma once

#include <vector>

#include "core/plan/plan.h"
#include "core/value/tensor.h"

namespace isoshard::bench {

/// The globals of a Plan with numbers of their inits, of which large ones repeat some million of drawn ones: what times
/// a GPU is not to wait for a hundred million numbers that a CPU draws.
std::vector<Tensor> drawn_globals(const Plan& plan);

}  // namespace isoshard::bench
