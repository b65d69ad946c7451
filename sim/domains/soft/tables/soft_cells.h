#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <vector>

#include "sim/domains/soft/tables/soft_integers.h"

namespace isoshard::sim {

/// The line of real numbers, cut at a few constants: before the first one, at it, between it and the next one, and so
/// on. An input is in one of these cells, which a variable with one entry per cell says; at a constant it is that.
/// Thread-safe.
class SoftCells {
 public:
  /// The most constants that cut the line; of more, 0 alone cuts.
  static constexpr size_t kMostConstants = 7;

  /// Cuts at `constants`, their opposites and 0; nowhere where there are none.
  SoftCells(SoftIntegers& integers, const std::set<double>& constants);

  bool cut() const { return !constants_.empty(); }
  size_t cells() const { return 2 * constants_.size() + 1; }
  /// The constants at which it is cut, ascending.
  const std::vector<mpq_class>& constants() const { return constants_; }

  /// The variable that says in which cell an element is, known by its residues from now on.
  uint32_t variable_of(const std::vector<uint64_t>& element);
  /// How the elements that a variable is about are placed, and their opposites: the cell of the entry `cell`.
  std::optional<size_t> place(std::span<const uint64_t> element, uint32_t variable, size_t cell) const;

 private:
  std::vector<uint64_t> opposite(std::span<const uint64_t> element) const;

  SoftIntegers& integers_;
  std::vector<mpq_class> constants_;
  mutable std::mutex mutex_;
  std::map<uint32_t, std::vector<uint64_t>> elements_;  ///< by variable
};

}  // namespace isoshard::sim
