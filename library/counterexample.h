#pragma once

#include <vector>

#include "core/ir/module.h"
#include "core/value/npz.h"
#include "verify/report/report.h"

namespace isoshard::library {

/// The input of the first counterexample of `report`, about `claim`, that one run of the programs shows: every array
/// that they read; what it does not depend on is drawn from `seed`. Empty where there is none, or inputs were not kept
/// (CheckOptions::keep_inputs).
std::vector<NamedTensor> counterexample_arrays(const Module& module, const Check& claim,
                                               const verify::CheckReport& report, uint64_t seed);

}  // namespace isoshard::library
