#pragma once

#include "core/plan/plan.h"

namespace isoshard::verify {

/// Whether `plan` is defined and continuous for all real inputs: floats are only moved, added, multiplied, divided by
/// what is positive, arguments of functions that are defined there, and maxima; no integer, predicate or key comes from
/// outside or is made of floats; floats are f32 and f64, no constant is infinite, and no block has padding.
/// (docs/adr/0117-total-functions.md)
bool is_total(const Plan& plan);

}  // namespace isoshard::verify
