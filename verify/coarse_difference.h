#pragma once

#include "verify/steps.h"

namespace isoshard::verify {

/// Whether some output of some step, computed in `domain`, plain f64 without bounds, differs by more than 2^-20 of its
/// largest element and 2^-40 of the largest of all outputs, or is no number where the reference's is finite. True, too,
/// where a program fails.
bool differs_coarsely(const Pair& pair, const sim::Domain& domain, const DrawGlobal& inputs, int workers);

}  // namespace isoshard::verify
