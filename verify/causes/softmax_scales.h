#pragma once

#include <optional>

#include "verify/answers/diagnosis.h"
#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// The first op of the sharded program that adds terms which another choice of one maximum scales differently, such as
/// an accumulator that was not rescaled to the new maximum, or sums relative to the maxima of different devices.
///
/// `fixed` has 0 for all maxima that only shift arguments of exponentials (without_cancelling_maxima). One after
/// another becomes an opaque function of the maximum instead: then a sum of exponentials relative to it is multiplied
/// by one factor, if it is right.
std::optional<Diagnosis> find_mixed_scales(const Pair& fixed, const RingOptions& options, const Draw& draw);

}  // namespace isoshard::verify
