#pragma once  // internal

#include <optional>
#include <vector>

#include "sim/domains/exact_ring.h"
#include "verify/compare/pair.h"
#include "verify/compare/random.h"

namespace isoshard::verify {

/// The constants that reach comparisons of floats in both programs, and 0: a key of rung B must leave them in their
/// real order (unkeyed or with a wrong order, clamp(x, 0, 6) can be a constant).
class OrderConstants {
 public:
  explicit OrderConstants(const Pair& pair);

  /// How many different numbers they are, as far as f64 tells.
  size_t count(const Pair& pair) const;
  /// A random residue r other than 0 such that bal(r x) puts the constants, as `ring` reads them, in their real order;
  /// nothing when no such key is found.
  std::optional<uint64_t> key(const Pair& pair, const sim::ExactRing& ring, const RandomStream& stream) const;

 private:
  std::vector<PlanValueId> sharded_, reference_;
};

}  // namespace isoshard::verify
