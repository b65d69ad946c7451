#pragma once

#include <cstdint>
#include <vector>

#include "core/support/rational.h"
#include "core/value/dtype.h"

namespace isoshard::sim {

/// The real number that a constant of a program stands for: factor · √(roots[0]) · √(roots[1]) · …
struct ConstantReading {
  Rational factor;              ///< inf and nan as written, then without roots
  std::vector<uint32_t> roots;  ///< different primes, ascending
  bool operator==(const ConstantReading&) const = default;

  /// The value rounded to a double; the error is at most 2^-52 relative, and 0 where `factor` alone is a double.
  double to_double() const;
  /// True when to_double() is the value itself.
  bool is_double() const;
};

/// Reads a constant of a float dtype (spec: docs/soundness.md, "Constants").
///
/// Integers, inf and nan are themselves. Another number becomes the simplest rational in its dtype's rounding interval
/// (0.333333343 is 1/3); where that has a denominator above 1000 and the simplest rational s in the squared interval
/// has numerator · denominator < 1000, it becomes ±√s (0.353553385 is 1/√8).
ConstantReading read_constant(const Rational& constant, DType dtype);

/// √square of a positive rational whose numerator · denominator is below 2^32, as factor · √primes.
ConstantReading square_root(const Rational& square);

}  // namespace isoshard::sim
