#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/domains/soft/tables/soft_integers.h"

namespace isoshard::sim {

/// What the places of some ranks leave of 1, for each of n places: the weights of the place of the last rank of all.
///
/// In every order each place has one rank, so that the weights of real orders add up to 1 over ranks, too: what is
/// equal for all weights that do is equal for every order (docs/adr/0129-rows-that-are-put-back.md).
class SoftLeftPlaces {
 public:
  using Word = SoftIntegers::Word;

  SoftLeftPlaces(SoftIntegers& integers, size_t n);

  /// SoftIntegers::variable of this name over all places.
  void take(const SoftName& variable);
  Word last(const SoftName& name) const;

 private:
  size_t places() const { return left_.size() / residues_; }

  SoftIntegers& integers_;
  size_t residues_;
  std::vector<uint64_t> left_;  ///< per residue of a weight, adjacent per place
};

}  // namespace isoshard::sim
