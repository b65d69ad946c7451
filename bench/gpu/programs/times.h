#pragma once

#include <cstddef>
#include <vector>

namespace isoshard::bench {

/// Seconds of one thing that was done several times.
class Times {
 public:
  /// At least one.
  explicit Times(std::vector<double> seconds);

  double median() const { return at(0.5); }
  /// What 99 of 100 do not exceed; of fewer than 100 the longest.
  double p99() const { return at(0.99); }

 private:
  /// The smallest that a share `of` of all does not exceed.
  double at(double of) const;

  std::vector<double> sorted_;
};

}  // namespace isoshard::bench
