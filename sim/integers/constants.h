#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/support/rational.h"
#include "core/value/dtype.h"

namespace isoshard::sim {

/// The real number that a constant of a program stands for: factor · √(roots[0]) · √(roots[1]) · …, or divided by them.
struct ConstantReading {
  Rational factor;                ///< inf and nan as written, then without roots
  std::vector<uint32_t> roots{};  ///< different primes, ascending
  bool divides = false;           ///< the roots divide the factor
  bool operator==(const ConstantReading&) const = default;

  /// The value rounded to a double; the error is at most 2^-52 relative, and 0 where `factor` alone is a double.
  double to_double() const;
  /// True when to_double() is the value itself.
  bool is_double() const;
  /// `1/3`, `sqrt(1/192)`
  std::string to_string() const;
};

/// √square of a positive rational whose numerator · denominator is below 2^32, as factor · √primes; where it is less
/// than 1, as the reciprocal of √(1/square): a ring in which a prime has no root knows 1/√3 and √3/3 apart.
ConstantReading square_root(const Rational& square);

/// What the constants of one comparison stand for: the number that is written, exactly, unless another one was set
/// (docs/spec/verdict.md, "Constants").
class ConstantReadings {
 public:
  void set(const Rational& written, DType dtype, ConstantReading reading);
  ConstantReading of(const Rational& written, DType dtype) const;
  /// The number is a finite one wherever it stands, also where it meets data (sim/domains/masks.h).
  void set_bound(const Rational& written, DType dtype);
  bool is_bound(const Rational& written, DType dtype) const;
  /// Whether each constant is the number that is written, and none was set.
  bool are_written() const { return others_.empty() && bounds_.empty(); }

 private:
  using Key = std::pair<std::string, DType>;
  std::map<Key, ConstantReading> others_;
  std::set<Key> bounds_;
};

/// A finite number rounded to nearest in a float dtype.
double rounded_to(DType dtype, const Rational& x);

}  // namespace isoshard::sim
