#pragma once

#include <optional>

#include "verify/causes/explain.h"

namespace isoshard::verify {

/// Whether `whole` is `part` and more of the same kind: too large by both, or too small by both.
bool contains_factor(const Ratio& whole, const Ratio& part);

/// `explanation`, or nothing where the numbers of the outputs contradict its factor, or `trial` where they say nothing.
std::optional<Explanation> borne_out(const Evidence& e, const Trial& trial, std::optional<Explanation> explanation);

}  // namespace isoshard::verify
