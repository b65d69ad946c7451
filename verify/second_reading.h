#pragma once

#include <string>
#include <vector>

#include "sim/constants.h"
#include "verify/pair.h"

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

/// Nothing but: constants of magnitude sim::kLeastMask or more with which data is compared, or that bound it (maximum,
/// minimum). They are no infinities: max(x, -20000) is not x.
sim::ConstantReadings bounds_of_data(const Pair& pair);

}  // namespace isoshard::verify
