// Compares what a GPU computed with what sim computed. Equal bits need no further word. Floats whose sums were added in
// another order differ in their last bits, and only a bound tells that from a mistake: each element must be within the
// bound of its own value, which is the formula's in f64 and neither of the two runs. An element without a bound proves
// nothing, nor does one that is large beside the array, unless it has the same bits. A nan equals a nan, as no rule
// says which one an op makes. The worst answer of all elements is that of the array: differs, unbounded, within its
// bound, equal. Cost: one pass.
#include "sim/run/array_difference.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/support/check.h"
#include "sim/evaluate/conversion.h"

namespace isoshard::sim {
namespace {

using Answer = ArrayDifference::Answer;

/// A bound that is larger says nothing: zeros in place of an array, or its negative, would be within it.
constexpr double kMostOfLargest = 1.0 / 16;

std::vector<int64_t> position_of(size_t element, const Shape& shape) {
  std::vector<int64_t> index(shape.size());
  auto rest = static_cast<int64_t>(element);
  for (size_t d = shape.size(); d-- > 0; rest /= shape[d]) index[d] = rest % shape[d];
  return index;
}

/// Of two floats with other bits.
Answer answer_of(double x, const std::optional<ElementBounds>& bounds, size_t i, double limit,
                 ArrayDifference& result) {
  if (!bounds || !(bounds->error[i] < std::numeric_limits<double>::infinity())) return Answer::unbounded;
  const double value = bounds->value[i], error = bounds->error[i];
  if (!std::isfinite(x) || !std::isfinite(value)) {
    return x == value || (std::isnan(x) && std::isnan(value)) ? Answer::within_bound : Answer::differs;
  }
  const double distance = std::fabs(x - value);
  if (distance > error) return Answer::differs;
  if (error == 0 || error > limit) return Answer::unbounded;  // of an exact 0 it is the sign that differs
  result.of_bound = std::max(result.of_bound, distance / error);
  result.bound = std::max(result.bound, error);
  return Answer::within_bound;
}

/// The largest magnitude of numbers.
double largest_of(const std::vector<double>& numbers) {
  double largest = 0;
  for (const double x : numbers) {
    if (std::isfinite(x)) largest = std::max(largest, std::fabs(x));
  }
  return largest;
}

void measure(double x, double y, ArrayDifference& result) {
  const double absolute =
      std::isfinite(x) && std::isfinite(y) ? std::fabs(x - y) : std::numeric_limits<double>::infinity();
  const double size = std::max(std::fabs(x), std::fabs(y));
  result.absolute = std::max(result.absolute, absolute);
  if (absolute != 0) result.relative = std::max(result.relative, std::isfinite(size) ? absolute / size : absolute);
}

}  // namespace

ArrayDifference difference_of(const Tensor& array, const Tensor& of_sim, const std::optional<ElementBounds>& bounds) {
  ISOSHARD_CHECK(array.dtype() == of_sim.dtype() && array.shape() == of_sim.shape(), "arrays of one type");
  ArrayDifference result;
  const size_t bytes = info(array.dtype()).bytes;
  result.largest = bounds ? largest_of(bounds->value) : 0;
  for (size_t i = 0; i < static_cast<size_t>(array.size()); ++i) {
    if (std::memcmp(array.bytes().data() + i * bytes, of_sim.bytes().data() + i * bytes, bytes) == 0) continue;
    const double x = number_at(array, i), y = number_at(of_sim, i);
    if (std::isnan(x) && std::isnan(y)) continue;
    ++result.differing;
    measure(x, y, result);
    const Answer answer =
        is_float(array.dtype()) ? answer_of(x, bounds, i, result.largest * kMostOfLargest, result) : Answer::differs;
    if (answer <= result.answer) continue;
    result.answer = answer;
    result.index = position_of(i, array.shape());
  }
  return result;
}

}  // namespace isoshard::sim
