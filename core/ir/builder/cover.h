#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/value/tensor.h"

namespace isoshard {

/// Indices begin[d] to end[d] (half-open) along each dimension of an array.
struct IndexRange {
  std::vector<int64_t> begin;
  std::vector<int64_t> end;
  bool operator==(const IndexRange&) const = default;
};

/// `[0:4, 8:16]`, empty brackets for a scalar.
std::string to_string(const IndexRange& range);
/// The first ranges, and how many more there are: `[0:4], [8:12] and 3 more`.
std::string to_string(const std::vector<IndexRange>& ranges);

/// Counts how often boxes cover the elements of an array, on the grid that their edges make: never by element.
class Cover {
 public:
  explicit Cover(Shape whole) : whole_(std::move(whole)) {}

  /// Adds a box; empty ones cover nothing.
  void add(std::span<const int64_t> begin, std::span<const int64_t> end);
  /// Counts what was added; false when the grid has more than 2^26 cells.
  bool count();
  /// How often each element is covered, when that is the same for all; after count().
  std::optional<int64_t> uniform() const;
  /// Boxes that hold exactly the elements covered less (`more` false) or more often than `times`, disjoint, in order of
  /// their first elements. After count().
  std::vector<IndexRange> wrong(int64_t times, bool more) const;

 private:
  void cut();
  bool is_wrong(size_t cell, int64_t times, bool more) const;
  IndexRange grow(size_t cell, int64_t times, bool more, std::vector<bool>& taken) const;

  Shape whole_;
  std::vector<int64_t> boxes_;              ///< begin and end of each, one after another
  std::vector<std::vector<int64_t>> cuts_;  ///< per dimension: where cells begin, and the end
  Shape grid_;                              ///< cells per dimension
  std::vector<int32_t> times_;              ///< per cell
};

}  // namespace isoshard
