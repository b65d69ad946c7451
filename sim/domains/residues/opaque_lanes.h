#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "sim/domains/keyed_hash.h"
#include "sim/domains/residues/ring_numbers.h"

namespace isoshard::sim {

/// The opaque functions of rungs A and B: a keyed hash of the residues in all lanes gives one unit per lane, modelled
/// as a random oracle. Equal seeds and lanes give equal functions.
class OpaqueLanes {
 public:
  static constexpr size_t kMaxLanes = 8;
  using Tuple = std::array<uint32_t, kMaxLanes>;

  /// Residues of lane l are modulo moduli[l].
  OpaqueLanes(const std::vector<Mod31>& moduli, uint64_t seed);

  /// One unit other than 1 per lane, so that 1 minus it is a unit, too.
  Tuple of(Opaque function, std::initializer_list<Tuple> arguments) const;
  /// Element `i` of the padding drawn from `seed`: any residues.
  Tuple padding(uint64_t seed, uint64_t i) const;

 private:
  size_t lanes_;
  std::array<Residue, kMaxLanes> moduli_{};
  std::vector<KeyedHash> functions_;  ///< per Opaque
  std::array<uint64_t, kMaxLanes> lane_keys_{};
};

}  // namespace isoshard::sim
