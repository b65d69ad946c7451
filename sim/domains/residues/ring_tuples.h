#pragma once

#include <cstdint>
#include <initializer_list>
#include <utility>
#include <vector>

#include "sim/domains/residues/opaque_lanes.h"
#include "sim/kernels/mod31.h"

namespace isoshard::sim {

/// Calculates with tuples of residues, one per lane, each modulo a prime of its own.
class RingTuples {
 public:
  using Tuple = OpaqueLanes::Tuple;

  RingTuples(std::vector<Mod31> moduli, uint64_t seed) : moduli_(std::move(moduli)), functions_(moduli_, seed) {}

  const std::vector<Mod31>& moduli() const { return moduli_; }
  /// make(prime, lane) in each lane.
  template <class Make>
  Tuple in_lanes(const Make& make) const {
    Tuple result{};
    for (size_t l = 0; l < moduli_.size(); ++l) result[l] = make(moduli_[l], l);
    return result;
  }
  Tuple integer(int64_t x) const;
  Tuple half() const;
  Tuple complement(const Tuple& x) const;
  Tuple product(const Tuple& x, const Tuple& y) const;
  Tuple chosen(const Tuple& predicate, const Tuple& x, const Tuple& y) const;
  Tuple sum(const Tuple& x, const Tuple& y) const;
  Tuple difference(const Tuple& x, const Tuple& y) const;
  Tuple negated(const Tuple& x) const;
  Tuple opaque(Opaque function, std::initializer_list<Tuple> x) const { return functions_.of(function, x); }
  Tuple opaque(Opaque function, const Tuple& x) const { return functions_.of(function, {x}); }
  Tuple padding(uint64_t seed, uint64_t i) const { return functions_.padding(seed, i); }

 private:
  std::vector<Mod31> moduli_;
  OpaqueLanes functions_;
};

}  // namespace isoshard::sim
