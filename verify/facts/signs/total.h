#pragma once

#include "core/plan/plan.h"

namespace isoshard::verify {

/// Whether `plan` has a value for all real inputs, which its formulas say: floats are only moved, added, multiplied,
/// divided by what is positive, and arguments of functions that are defined there; no integer, predicate or key comes
/// from outside or is made of floats; floats are f32 and f64, no constant is infinite, and no block has padding.
/// (docs/adr/0117-total-functions.md)
bool is_total(const Plan& plan);

}  // namespace isoshard::verify
