#pragma once

#include <cstdint>

#include "bench/table/measure/measured.h"

namespace isoshard::bench {

/// The rings of the exact domains.
enum class ResidueRing {
  mersenne31,  ///< Z/(2^31-1), the lanes of rungs A and B
  tower30,     ///< a prime below 2^30, of the tower
  prime61,     ///< a prime below 2^61
};

/// 10^9 additions and multiplications per second of a product of n x n matrices, one core.
Measured residue_product(ResidueRing ring, std::int64_t n);

/// The time of three loops with `%` divided by that of the kernel, for the same product.
Measured residue_product_over_loops(ResidueRing ring, std::int64_t n);

}  // namespace isoshard::bench
