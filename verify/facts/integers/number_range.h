#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace isoshard::verify {

/// From `low` to before `high`.
struct NumberRange {
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();

  bool is_all() const { return *this == NumberRange{}; }
  NumberRange operator&(const NumberRange& o) const { return {std::max(low, o.low), std::min(high, o.high)}; }
  /// The smallest one that holds both.
  NumberRange operator|(const NumberRange& o) const { return {std::min(low, o.low), std::max(high, o.high)}; }
  bool operator==(const NumberRange&) const = default;
};

}  // namespace isoshard::verify
