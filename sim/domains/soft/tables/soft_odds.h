#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <span>
#include <vector>

#include "sim/domains/soft/tables/soft_integers.h"

namespace isoshard::sim {

/// The odds of each element of a row to be its largest (docs/spec/verdict.md, "Choices"): element i at place o has v(i)
/// t^o of the sum over the row (Luce, Individual Choice Behavior, 1959), v an opaque function of the element. The
/// largest of a row has the sum as its own v, and as many places as the row, so that the largest of the largest of
/// parts is that of all, ties included. Thread-safe; but what is known of an element depends on what was chosen before,
/// so that results are the same again on one thread only.
class SoftOdds {
 public:
  /// Rows of more than `most_places` are elements like others when they are chosen from again.
  SoftOdds(const SoftIntegers& integers, size_t most_places) : integers_(integers), most_places_(most_places) {}

  /// The weights of a row's elements, adjacent per element; `largest` is known from now on as its largest.
  std::vector<uint64_t> weights(std::span<const std::vector<uint64_t>> row, const std::vector<uint64_t>& largest);

 private:
  /// Per weight residue, and how many places it stands for.
  struct Odds {
    std::vector<uint64_t> value;
    size_t places = 1;
  };

  std::vector<uint64_t> opaque(uint64_t function, std::span<const uint64_t> numbers) const;
  Odds odds_of(const std::vector<uint64_t>& element) const;

  const SoftIntegers& integers_;
  size_t most_places_;
  std::mutex mutex_;
  std::map<std::vector<uint64_t>, Odds> largest_;  ///< by residues
};

}  // namespace isoshard::sim
