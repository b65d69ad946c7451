// Percentiles by rank: an element that was measured, never one between two. Cost: a sort.
#include "bench/gpu/programs/times.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace isoshard::bench {

Times::Times(std::vector<double> seconds) : sorted_(std::move(seconds)) { std::sort(sorted_.begin(), sorted_.end()); }

double Times::at(double of) const {
  const auto rank = static_cast<size_t>(std::ceil(of * static_cast<double>(sorted_.size())));
  return sorted_[std::max<size_t>(rank, 1) - 1];
}

}  // namespace isoshard::bench
