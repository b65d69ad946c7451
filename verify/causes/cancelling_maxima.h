#pragma once

#include <optional>

#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// The values that are maxima and only shift arguments of exponentials (or logarithms of sums of those): in a right
/// softmax they cancel, whatever they are. Per value of a Plan without loops.
std::vector<bool> find_cancelling_maxima(const Plan& plan);

/// `pair` (without loops) with 0 for all such maxima on both sides, where the reference returns the same with it on
/// `draw`; nothing where there are none or it does not.
std::optional<Pair> without_cancelling_maxima(const Pair& pair, const RingOptions& options, const Draw& draw);

}  // namespace isoshard::verify
