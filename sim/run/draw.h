#pragma once

#include <cstdint>
#include <string_view>

#include "core/ir/types/global.h"
#include "core/value/tensor.h"

namespace isoshard::sim {

/// A stream of random numbers fixed by (seed, name), the same on every machine; splitmix64.
class Draws {
 public:
  Draws(uint64_t seed, std::string_view name);

  uint64_t bits();
  /// In [0, 1), a multiple of 2^-53.
  double uniform();
  /// In [0, bound), bound > 0.
  uint64_t below(uint64_t bound);
  /// Standard normal (Marsaglia's polar method).
  double normal();

 private:
  uint64_t state_;
};

/// A value for a global that was not given, as its `init` says.
///
/// normal: N(0, 1); uniform: [0, 1); lecun_normal: N(0, 1/fan_in) cut at two standard deviations, fan_in = all sizes
/// but the last (jax.nn.initializers.lecun_normal, not its random bits). With a random init integers are drawn from
/// their range or 0..7, predicates from 0..1, and keys are 64 random bits.
Tensor draw_global(const Global& global, uint64_t seed);

}  // namespace isoshard::sim
