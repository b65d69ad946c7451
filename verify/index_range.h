#pragma once

#include <cstdint>
#include <set>

#include "core/plan/plan.h"

namespace isoshard::verify {

/// What the indices of a program are worth trying: all below `size`, and the ends of its blocks.
struct IndexRange {
  /// Of the largest dimension that is looked up by computed indices (gather, scatter_add, dynamic slices) or counted
  /// (iota of integers, with which indices are compared); 0 where there is neither.
  int64_t size = 0;
  /// Into how many blocks dimensions are split, of 2 or more.
  std::set<int64_t> splits;

  void merge(const IndexRange& other);
};

IndexRange index_range(const Plan& plan);

}  // namespace isoshard::verify
