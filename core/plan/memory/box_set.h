#pragma once

#include <vector>

#include "core/ir/builder/cover.h"

namespace isoshard {

/// A set of elements of an array as ranges that do not overlap, of which each is a box.
class BoxSet {
 public:
  void add(const IndexRange& range);
  /// What of `range` is not in the set, as ranges that do not overlap.
  std::vector<IndexRange> missing(const IndexRange& range) const;
  /// How many elements it has; a double, because sizes in a file are only claims.
  double size() const;

 private:
  std::vector<IndexRange> boxes_;
};

}  // namespace isoshard
