#pragma once

#include <optional>

#include "verify/causes/explain.h"

namespace isoshard::verify {

/// Whether `whole` is `part` and more of the same kind: too large by both, or too small by both.
bool contains_factor(const Ratio& whole, const Ratio& part);

/// `explanation`, without its cause where the numbers of the outputs contradict it: only the place is left then.
std::optional<Explanation> borne_out(const Evidence& e, std::optional<Explanation> explanation);

}  // namespace isoshard::verify
