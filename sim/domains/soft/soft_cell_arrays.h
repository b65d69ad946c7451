#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim/domains/soft/soft_float_arrays.h"
#include "sim/domains/soft/tables/soft_cells.h"

namespace isoshard::sim {

/// Arrays of floats of which some are in known cells.
class SoftCellArrays {
 public:
  SoftCellArrays(const SoftFloatArrays& arrays, std::set<double> cuts)
      : arrays_(arrays), cells_(arrays.integers(), std::move(cuts)) {}

  bool cut() const { return cells_.cut(); }
  void put_cells(int64_t n, std::byte* inputs) const;
  void take_extremes(Extreme op, const SoftPair& pair, std::byte* out) const;
  void take_signs(SignOp op, const SoftPair& of, std::byte* out) const;
  void compare(Direction direction, const SoftPair& pair, SoftIntegers::Word* out) const;

 private:
  /// Element i of n.
  struct FloatAt {
    DType dtype;
    int64_t n, i;
    const std::byte* x;
  };
  /// A table of floats, spread over the variables of a pair, and how entries of each variable lie in those.
  struct PlacedTable {
    SoftFloat table;
    SoftTables::Variables variables;
    std::vector<std::vector<uint32_t>> entry_of;  ///< per variable and part
    DType dtype;
  };
  struct PlacedPair {
    PlacedTable x, y;
    std::vector<int> orders;  ///< per part -1, 0 or 1 as x is less than, equal to or greater than y
  };

  std::optional<SoftFloat> in_cells(const FloatAt& x) const;
  std::optional<size_t> place_of(const PlacedTable& table, int64_t entry) const;
  std::vector<int> orders(const PlacedTable& x, const PlacedTable& y) const;
  std::optional<PlacedPair> placed(const FloatAt& x, const FloatAt& y) const;

  const SoftFloatArrays& arrays_;
  mutable SoftCells cells_;
};

}  // namespace isoshard::sim
