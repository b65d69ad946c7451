#pragma once

#include "core/support/rational.h"
#include "sim/domains/tower/tower_elements.h"
#include "sim/domains/tower/tower_options.h"
#include "sim/domains/tower/tower_sinusoids.h"
#include "sim/integers/constants.h"

namespace isoshard::sim {

/// The functions of single elements of rung E and what its constants are. Elements must outlive it.
class TowerFunctions {
 public:
  using Element = TowerElement;

  /// `options` are those of the elements.
  TowerFunctions(const TowerElements& elements, const TowerOptions& options);

  const TowerElements& elements() const { return ring_; }
  const TowerSinusoids& sinusoids() const { return sinusoids_; }
  /// What a constant of a program stands for; what is beyond the ring is noted.
  Element read(const Rational& constant, DType dtype) const;
  Element exponential(const Element& x) const;
  /// 1 / x; what has no inverse in a lane inverts to an opaque element there and is counted.
  Element inverted(const Element& x) const;
  Element apply(UnaryOp op, const Element& x) const;
  Element apply(BinaryOp op, const Element& x, const Element& y) const;

 private:
  Element seen(const Element& x) const { return sinusoids_.seen(x); }
  Element reading(const ConstantReading& constant) const;
  Element log(const Element& x) const;
  Element sqrt(const Element& x) const;
  Element logistic(const Element& x) const;
  Element tanh(const Element& x) const;
  Element floor(const Element& x) const;
  Element cbrt(const Element& x) const;
  Element nearest(bool even, const Element& x) const;
  Element power(const Element& x, const Element& y) const;
  void mind_zero(const Element& x, const char* user) const;
  Element remainder(const Element& x, const Element& y) const;

  const TowerElements& ring_;
  TowerSinusoids sinusoids_;
  ConstantReadings constants_;
};

}  // namespace isoshard::sim
