#pragma once

#include <cstdint>

#include "sim/kernels/isa.h"

namespace isoshard::sim {

/// Writes n bell-shaped numbers of mean 0 and variance 1: number i is √3 (u(4i) + u(4i + 1) + u(4i + 2) + u(4i + 3) -
/// 2) of uniform numbers u(j) in [0, 1), the upper 53 bits of word_at(key, j) (core/support/mix.h).
void random_bells(Isa isa, std::uint64_t key, std::int64_t n, double* to);

}  // namespace isoshard::sim
