#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "bench/table/measure/measured.h"

namespace isoshard::bench {

/// What a row must reach.
struct Target {
  enum class Bound { at_least, at_most };
  Bound bound;
  double value;
  std::string unit;      ///< "x" of ratios, "%" of rates, "ms", "us", "s", "Gop/s", "MB/s", "MB", "KB"
  double megabytes = 0;  ///< the most memory that it may take; 0: any
};

/// One line of the table: something that must be fast, how fast, and how that is measured.
struct Row {
  std::string subject;  ///< the row of docs/performance.md that it belongs to
  std::string name;     ///< unique
  Target target;
  std::string limit;      ///< what physics allows, where that is known
  std::string cost;       ///< what it takes, where that is more than a minute or much memory
  double deadline = 120;  ///< seconds, after which it counts as not done
  std::function<Measured()> measure;
};

/// Whether rows run at the sizes of their targets, or at small ones that only show that they work.
enum class Scale { full, quick };

using Rows = std::vector<Row>;

inline Target at_least(double value, std::string unit) {
  return Target{Target::Bound::at_least, value, std::move(unit)};
}
inline Target at_most(double value, std::string unit, double megabytes = 0) {
  return Target{Target::Bound::at_most, value, std::move(unit), megabytes};
}

}  // namespace isoshard::bench
