#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <shared_mutex>
#include <unordered_map>

namespace isoshard::sim {

/// The residues of an element of a tower: of its first component in all lanes, of the second in all lanes, ...
using TowerResidues = std::array<uint64_t, 40>;

/// What the logarithms of one domain are logarithms of: few different elements beside all that are data, since a sum of
/// exponentials stands for a whole row. An element has one number. Thread-safe.
class LogTable {
 public:
  /// Makes a table of elements with `residues` residues; what stands beyond them must be 0.
  explicit LogTable(size_t residues) : residues_(residues) {}

  /// The number of `u`, from 1.
  uint32_t number(const TowerResidues& u);
  const TowerResidues& at(uint32_t number) const;

 private:
  size_t residues_;
  mutable std::shared_mutex mutex_;
  std::deque<TowerResidues> elements_;
  std::unordered_multimap<uint64_t, uint32_t> numbers_;  ///< by hash
};

}  // namespace isoshard::sim
