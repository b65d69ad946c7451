#pragma once

#include <gmpxx.h>

#include <optional>
#include <string>
#include <vector>

#include "verify/ring_stage.h"

namespace isoshard::verify {

/// A number of a program that a rung does not represent.
struct Unfaithful {
  std::string why;
  Location location;
};

/// The first constant, or global of exact value, that the ring of `options` has no faithful image of. Rung E has -inf,
/// and sees at run time what it does not represent.
std::optional<Unfaithful> unfaithful_number(const Pair& pair, const RingOptions& options);

/// What the constants are made of, numerators and denominators: no prime of a ring may divide them.
std::vector<mpz_class> units_of(const Pair& pair, const RingOptions& options);

}  // namespace isoshard::verify
