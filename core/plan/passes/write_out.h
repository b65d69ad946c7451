#pragma once

#include "core/plan/plan.h"

namespace isoshard {

/// The Plan with exponential_minus_one, log_plus_one and erfc written as e^x - 1, log(1 + x) and 1 - erf(x), which are
/// the same real numbers: for who reasons about those, and needs no laws of their own then (docs/spec/opaque.md,
/// "Functions that are written out").
Plan write_out(Plan plan);

}  // namespace isoshard
