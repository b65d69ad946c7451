#pragma once

#include <string>
#include <vector>

#include "sim/integers/constants.h"
#include "verify/compare/pair.h"

namespace isoshard::verify {

/// A constant that counts as another number.
struct SecondReading {
  Rational written;
  DType dtype = DType::f32;
  sim::ConstantReading reading;

  /// `0.0013020833 (f16) is 1/768`
  std::string to_string() const;
};

/// One number for each constant of both programs that may be meant as another one, in the order in which they are
/// tried: what the text was rounded from, then what its dtype makes of it (docs/spec/verdict.md, "Constants"). A
/// rational n/d that is no decimal, an integer and what the other program writes in the same way are never another.
std::vector<std::vector<SecondReading>> second_readings(const Pair& pair);

/// How far apart outputs may be, relative to their largest element, while constants are as written, for `readings` to
/// be what was rounded: a difference that grows beyond it, as 10^9 (0.3333333 x - x/3), is no rounding of constants.
double rounding_of(const std::vector<SecondReading>& readings);

}  // namespace isoshard::verify
