#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "core/ir/types/value_range.h"
#include "core/plan/plan.h"

namespace isoshard::verify {

struct PaddingValues;

/// Which numbers are worth trying in a program: all indices below `size`, the ends of its blocks, and the numbers that
/// stand in it (a clamp to 0, a label -100 that is ignored, a float that others are compared with).
struct IndexRange {
  /// The size of the largest dimension that is looked up by computed indices (gather, scatter_add, dynamic slices) or
  /// counted (iota of integers, with which indices are compared); 0 where there is neither.
  int64_t size = 0;
  /// Into how many blocks dimensions are split, of 2 or more.
  std::set<int64_t> splits;
  /// Whole constants, at most kMostNumbers of them.
  std::set<int64_t> numbers{};
  /// Float constants that others are compared with, or bounded by, besides 0, 1 and -1; at most kMostNumbers of them.
  std::set<double> limits{};
  /// Where the lookups of the reference are rows, by the name of an integer global without a declared range; for a pair
  /// only.
  std::map<std::string, ValueRange> rows{};
  /// What padding of integers is asked for; for a pair only, null where nothing is padded.
  std::shared_ptr<const PaddingValues> padding{};

  static constexpr size_t kMostNumbers = 32;

  void merge(const IndexRange& other);
};

IndexRange index_range(const Plan& plan);

/// Where integers of 8 bits and u64 wrap around, or are negative as integers of the other sign: numbers that programs
/// treat apart though they do not stand in them. None of other dtypes. As integer::widen has them.
std::set<int64_t> turning_numbers(DType dtype);

}  // namespace isoshard::verify
