#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <vector>

#include "sim/domains/keyed_hash.h"
#include "sim/domains/prime_field.h"
#include "sim/domains/residues/ring_numbers.h"
#include "sim/domains/tower/log_table.h"

namespace isoshard::sim {

/// The opaque functions of rung E: a keyed hash of what is absorbed gives one unit per residue, modelled as a random
/// oracle. Equal seeds, fields and lanes give equal functions.
class OpaqueTowers {
 public:
  /// Residue r = c · lanes + l is component c in lane l, in fields[r].
  OpaqueTowers(std::vector<PrimeField> fields, size_t lanes, uint64_t seed);

  /// The hash of a function that has absorbed no argument.
  KeyedHash begin(Opaque function) const;
  void absorb_component(const TowerResidues& x, size_t component, KeyedHash& hash) const;
  /// Writes residues from `first` to before `last`: units other than 1, so that 1 minus each is a unit, too.
  void close(KeyedHash& hash, size_t first, size_t last, TowerResidues& result) const;
  /// A word, keyed, and not that of any function.
  uint64_t padding(uint64_t seed, size_t lane, uint64_t i) const;

 private:
  std::vector<PrimeField> fields_;
  size_t lanes_;
  KeyedHash hash_;
  std::array<uint64_t, std::tuple_size_v<TowerResidues>> residue_keys_{};
};

}  // namespace isoshard::sim
