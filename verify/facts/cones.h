#pragma once

#include <cstdint>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// Per instruction of `plan`: whether output `output` depends on it in one step.
std::vector<bool> cone_of(const Plan& plan, uint32_t output);

/// Per instruction of `plan`: whether some output of those `wanted` depends on it, over `steps` steps also through
/// updated globals.
std::vector<bool> cone_over_steps(const Plan& plan, std::vector<bool> wanted, int64_t steps);
std::vector<bool> cone_over_steps(const Plan& plan, uint32_t output, int64_t steps);

}  // namespace isoshard::verify
