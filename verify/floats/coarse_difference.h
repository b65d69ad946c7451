#pragma once  // internal

#include <functional>

#include "sim/integers/integer_domain.h"
#include "verify/compare/steps.h"

namespace isoshard::verify {

/// Draws the same inputs in any domain of floats.
using DrawsIn = std::function<DrawGlobal(const sim::Domain& domain)>;

/// Whether some output of some step, in plain f64 without bounds, differs by more than 2^-20 of its largest element and
/// 2^-40 of the largest of all outputs, and by more than the same programs do when sums and products are rounded up; or
/// is no number where the reference's is finite. True, too, where a program fails.
bool differs_coarsely(const Pair& pair, const sim::PaddingNumbers& padding, const DrawsIn& inputs,
                      const sim::Workers& workers);

}  // namespace isoshard::verify
