#pragma once

#include <optional>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// The integer that a value is in all elements, where it is made from one constant and rings make products of such a
/// power.
std::optional<double> constant_exponent(const Plan& plan, PlanValueId id);

/// Whether `i` is a power whose exponent is no such integer.
bool is_power_of_data(const Plan& plan, const Instruction& i);

}  // namespace isoshard::verify
