#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/value/tensor.h"

namespace isoshard::sim {

/// Numbers with bounds of how far another run may be from them, by element (sim/domains/floats/run_bound.h).
struct ElementBounds {
  std::vector<double> value;
  std::vector<double> error;
};

/// How an array that another machine computed differs from that of sim.
struct ArrayDifference {
  enum class Answer : uint8_t {
    equal_bits,
    within_bound,  ///< bits differ, and each element is within its bound
    unbounded,     ///< bits differ, and of an element that differs there is no bound that is small beside the array
    differs,       ///< an element is beyond its bound, or not exact where it has to be
  };
  Answer answer = Answer::equal_bits;
  double absolute = 0;         ///< the largest difference of two elements; infinite where only one is a number
  double relative = 0;         ///< the largest, of the larger magnitude of both
  double of_bound = 0;         ///< the largest part of its bound that an element is away
  double bound = 0;            ///< the largest bound of an element with other bits
  double largest = 0;          ///< magnitude in the array, where bounds were asked for
  int64_t differing = 0;       ///< elements with other bits
  std::vector<int64_t> index;  ///< the first element that made the answer
};

/// Compares an array of another machine with that of sim, which have one type: integers, predicates and keys exactly;
/// floats bit for bit, and where that fails against their bounds, if there are any. All nan are one.
ArrayDifference difference_of(const Tensor& array, const Tensor& of_sim, const std::optional<ElementBounds>& bounds);

}  // namespace isoshard::sim
