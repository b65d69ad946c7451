#pragma once

#include <gmpxx.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/kernels/mod31.h"

namespace isoshard::sim {

/// The primes of rungs A and B are at least this.
inline constexpr uint32_t kLeastLanePrime = (uint32_t{1} << 31) - (uint32_t{1} << 24) + 1;

/// Different primes, one per lane, drawn from `seed`: each is kLeastLanePrime to 2^31, -1 modulo 24, so that 2 and 3
/// are squares, and divides none of `units` but 0. There are about 98,000 of them.
std::vector<Mod31> draw_lane_primes(size_t lanes, uint64_t seed, std::span<const mpz_class> units = {});

}  // namespace isoshard::sim
