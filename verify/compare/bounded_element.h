#pragma once

#include <cstdint>
#include <span>

#include "sim/value/value.h"

namespace isoshard::verify {

/// How many times the bounds of both a difference has to be that no rounding explains.
inline constexpr double kManyBounds = 1000;

/// An element with its rounding bound, as rung F compares it: a plane of values and one of bounds, or exact integers;
/// to it comes a multiple of the infinity that masks are.
struct Bounded {
  double value = 0, error = 0;
  double multiple = 0;
};

/// Element i of a value in sim::BoundedDomain or sim::MaskedBoundedDomain.
Bounded bounded_element(const sim::Value& x, int64_t i);

/// The elements of a value in one of these domains: bounded_element of each, looked up once.
class BoundedElements {
 public:
  explicit BoundedElements(const sim::Value& x);

  Bounded operator[](int64_t i) const {
    const auto at = static_cast<size_t>(i);
    return values_.empty() ? bounded_element(x_, i) : Bounded{values_[at], errors_[at], 0};
  }

 private:
  const sim::Value& x_;
  std::span<const double> values_, errors_;  ///< of floats without multiples; empty: of others
};

/// Whether some element is infinite or NaN, or has no bound, as what overflows and what is chosen by it; or is 0,
/// unless that counts as any other number.
bool any_unknown(const sim::Value& x, bool may_be_0);

/// `a` as a number: infinite, unless `a` and `b` are infinite alike.
double shown(const Bounded& a, const Bounded& b);

/// Whether `a`, the sharded program's, is no rounding of `b`, and by more than `least`. Where the reference's has no
/// value, nothing is asked of it.
bool far(const Bounded& a, const Bounded& b, double least = 0);

}  // namespace isoshard::verify
