#pragma once  // internal

#include <vector>

#include "core/ir/module.h"

namespace isoshard::verify {

/// Sums of f32 whose error may be more than kMostOfASum of the sum of the terms' sizes (W-sum).
std::vector<Diagnostic> long_sums(const Module& module);

inline constexpr double kMostOfASum = 1e-3;

}  // namespace isoshard::verify
