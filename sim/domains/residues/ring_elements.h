#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "core/support/rational.h"
#include "sim/domains/exact_ring.h"
#include "sim/domains/residues/ring_laws.h"
#include "sim/domains/residues/ring_notes.h"
#include "sim/domains/residues/ring_tuples.h"
#include "sim/domains/residues/set_table.h"
#include "sim/integers/constants.h"

namespace isoshard::sim {

/// Calculates with single elements of rungs A and B, and notes what is beyond them. Thread-safe.
///
/// Functions are opaque (OpaqueLanes), except for laws that hold of real numbers: logistic(-x) = 1 - logistic(x) (so
/// logistic(0) = 1/2) and tanh(x) = 2 logistic(2x) - 1. Division is total: a residue 0 inverts to an opaque hash of its
/// tuple and is counted. Constants are exact unless read as others; √q of a prime q is one fixed root in lanes whose
/// field has one, otherwise an opaque element per (q, lane). sqrt, floor and remainder of small rationals are exact,
/// rsqrt is 1/sqrt, sine is odd and cosine even, x^n of an integer |n| <= 1024 is a product, x^(1/2) the square root.
/// inf and nan have no meaning here.
/// With `opaque_reciprocals`, 1/x is an opaque odd function of x wherever x is no number in all lanes: equal for every
/// function there means equal for the reciprocal, and the degree of a formula does not grow with its denominators.
///
/// Soft predicates: x > y is an opaque element m(x-y), 0 for equal tuples; not m = 1-m, and = product, select(m,a,b) =
/// b + m(a-b), max(x,y) = y + m(x-y) with m(-d) = 1-m(d), eq a symmetric hash. Hard order: tuples compare by the
/// balanced representatives of r times the residues, the first lane first; predicates are 0 or 1 in all lanes, and
/// select, max and min return an operand unchanged. With max_of_sets, a maximum of maxima is an opaque element of the
/// set of all their operands (of two, y + m(x-y)), and min(x,y) = -max(-x,-y).
class RingElements : public RingTuples {
 public:
  using Element = Tuple;

  /// Residues of lane l are modulo moduli[l].
  RingElements(std::vector<Mod31> moduli, uint64_t seed, RingOrder order, bool opaque_reciprocals,
               ConstantReadings constants);

  size_t lanes() const { return moduli().size(); }
  const RingOrder& order() const { return order_; }
  RingNotes& notes() const { return notes_; }

  /// The small rational that the element is in all lanes.
  std::optional<mpq_class> number(const Tuple& x) const;
  /// What a constant of a program stands for; inf, nan and what has no residue is noted.
  Tuple read(const Rational& constant, DType dtype) const;

  Tuple reciprocal(const Tuple& x) const;
  bool has_opaque_reciprocals() const { return opaque_reciprocals_; }
  Tuple power(const Tuple& x, const Tuple& y) const;
  Tuple remainder(const Tuple& x, const Tuple& y) const;
  Tuple apply(UnaryOp op, const Tuple& x) const;

  static bool same(const Tuple& x, const Tuple& y) { return x == y; }
  static bool before(const Tuple& x, const Tuple& y) { return x < y; }
  /// The hard order.
  bool less(const Tuple& x, const Tuple& y) const;
  Tuple compared(Direction direction, const Tuple& x, const Tuple& y) const { return laws().compared(direction, x, y); }
  Tuple sign(SignOp op, const Tuple& x) const {
    const Tuple sign = laws().sign(x, op == SignOp::sign && order_.ties_apart);
    return op == SignOp::abs ? product(sign, x) : sign;
  }
  Tuple extreme(Extreme op, const Tuple& x, const Tuple& y) const {
    if (order_.key == 0 && order_.max_of_sets) return extreme_of_sets(op, x, y);
    const Tuple above = laws().greater(x, y, false);
    return op == Extreme::maximum ? chosen(above, x, y) : chosen(above, y, x);
  }

 private:
  /// Residues of maxima are hashes already.
  struct Hash {
    size_t operator()(const Tuple& x) const { return (uint64_t{x[0]} << 32 | x[1]) * 0x9e3779b97f4a7c15U; }
  };
  using Maxima = SetTable<Tuple, Hash>;

  RingLaws<RingElements> laws() const { return RingLaws<RingElements>(*this); }
  Tuple reading(const ConstantReading& constant) const;
  Tuple inverted(const Tuple& x) const;
  Tuple sqrt(const Tuple& x) const;
  Tuple floor(const Tuple& x) const;
  Tuple cbrt(const Tuple& x) const;
  Tuple nearest(bool even, const Tuple& x) const;
  Tuple extreme_of_sets(Extreme op, const Tuple& x, const Tuple& y) const;
  Tuple larger_of_sets(const Tuple& x, const Tuple& y) const;

  mutable RingNotes notes_;
  RingOrder order_;
  bool opaque_reciprocals_;
  ConstantReadings constants_;
  Maxima maxima_;  ///< with max_of_sets: the operands of each maximum
};

}  // namespace isoshard::sim
