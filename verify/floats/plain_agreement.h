#pragma once  // internal

#include <vector>

#include "sim/engine/workers.h"
#include "sim/integers/integer_domain.h"
#include "verify/floats/coarse_difference.h"

namespace isoshard::verify {

/// What bounds of rounding can tell apart at best, relative to an element, may be told without them if it is no less.
inline constexpr double kFinest = 0x1p-30;

/// Whether in plain f64 every element of every output of all steps is, on each device, within `resolution` (per output)
/// of the reference's, relative to its own size, and a zero of the same sign. False, too, where either has no value,
/// and where a program fails.
bool agrees_plainly(const Pair& pair, const sim::PaddingNumbers& padding, const DrawsIn& inputs,
                    const std::vector<double>& resolution, const sim::Workers& workers);

}  // namespace isoshard::verify
