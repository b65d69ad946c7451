#pragma once

#include <algorithm>
#include <chrono>

namespace isoshard::exec {

/// What is left of so many seconds.
class TimeLeft {
 public:
  explicit TimeLeft(double seconds)
      : end_(std::chrono::steady_clock::now() +
             std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(seconds))) {}
  /// Never less than none.
  double seconds() const {
    const std::chrono::duration<double> left = end_ - std::chrono::steady_clock::now();
    return std::max(left.count(), 0.0);
  }
  bool is_over() const { return seconds() <= 0; }

 private:
  std::chrono::steady_clock::time_point end_;
};

}  // namespace isoshard::exec
