#pragma once

#include <cstddef>

#include "sim/domains/exact_ring.h"
#include "sim/domains/tower/prime_tower.h"
#include "sim/integers/constants.h"

namespace isoshard::sim {

struct TowerOptions {
  RingOrder order{};
  size_t height = 3;  ///< of each lane's tower
  PrimeSize primes = PrimeSize::small;
  Towers towers{};  ///< of so many lanes; null: drawn from the seed
  /// Sine and cosine are sums of exponentials of i x, and small integers are known as such; x^z is exp(z log x) where z
  /// is no number. Primes are split.
  bool by_exponentials = false;
  ConstantReadings constants{};
  size_t hashed_components = 1;  ///< that opaque functions see; tests plant more, and true laws fail
};

}  // namespace isoshard::sim
