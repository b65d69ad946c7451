#pragma once

#include "core/support/check.h"
#include "sim/domains/exact_ring.h"
#include "sim/domains/residues/ring_numbers.h"

namespace isoshard::sim {

/// The laws of opaque functions and soft predicates that hold of real numbers, the same in every ring
/// (docs/spec/opaque.md, "Laws"; docs/spec/order.md, "Soft predicates").
///
/// `R` has an Element and calculates with it: negated, complement (1 - x), sum, difference, integer, half, opaque;
/// `same` and `before` tell elements apart in some order; `less` is the hard order, `order()` says which order is
/// meant.
template <class R>
class RingLaws {
 public:
  using Element = typename R::Element;

  explicit RingLaws(const R& ring) : r_(ring) {}

  /// The one of x and -x that comes first is hashed, the other is 1 minus it.
  Element logistic(const Element& x) const {
    const Element opposite = r_.negated(x);
    if (r_.same(x, opposite)) return r_.half();
    if (r_.before(x, opposite)) return r_.opaque(Opaque::logistic, x);
    return r_.complement(r_.opaque(Opaque::logistic, opposite));
  }
  /// 2 logistic(2x) - 1
  Element tanh(const Element& x) const {
    const Element y = logistic(r_.sum(x, x));
    return r_.difference(r_.sum(y, y), r_.integer(1));
  }
  Element sine(const Element& x) const { return odd(Opaque::sine, x); }
  Element erf_inv(const Element& x) const { return odd(Opaque::erf_inv, x); }
  Element erf(const Element& x) const { return odd(Opaque::erf, x); }
  Element cbrt(const Element& x) const { return odd(Opaque::cbrt, x); }
  /// The nearest whole number of what is no number: both ways to decide between two are odd.
  Element nearest(bool even, const Element& x) const {
    return odd(even ? Opaque::round_nearest_even : Opaque::round_nearest_afz, x);
  }
  Element cosine(const Element& x) const {
    const Element opposite = r_.negated(x);
    if (r_.same(x, opposite)) return r_.integer(1);
    return r_.opaque(Opaque::cosine, r_.before(x, opposite) ? x : opposite);
  }

  /// The predicate x > y.
  Element greater(const Element& x, const Element& y, bool ties_apart) const {
    if (r_.same(x, y)) return r_.integer(0);
    if (r_.order().key != 0) return r_.integer(r_.less(y, x) ? 1 : 0);
    const Element difference = r_.difference(x, y), opposite = r_.negated(difference);
    if (ties_apart) return r_.opaque(Opaque::greater_apart, difference);
    if (r_.before(difference, opposite)) return r_.opaque(Opaque::greater, difference);
    return r_.complement(r_.opaque(Opaque::greater, opposite));
  }
  Element equal(const Element& x, const Element& y) const {
    if (r_.same(x, y)) return r_.integer(1);
    if (r_.order().key != 0) return r_.integer(0);
    const Element difference = r_.difference(x, y), opposite = r_.negated(difference);
    return r_.opaque(Opaque::equal, r_.before(difference, opposite) ? difference : opposite);
  }
  Element compared(Direction direction, const Element& x, const Element& y) const {
    const bool apart = r_.order().ties_apart;
    switch (direction) {
      case Direction::eq:
        return equal(x, y);
      case Direction::ne:
        return r_.complement(equal(x, y));
      case Direction::lt:
        return greater(y, x, apart);
      case Direction::le:
        return r_.complement(greater(x, y, apart));
      case Direction::gt:
        return greater(x, y, apart);
      case Direction::ge:
        return r_.complement(greater(y, x, apart));
      case Direction::none:
        break;
    }
    internal_error("compare", "inference rejects a compare without direction", __FILE__, __LINE__);
  }
  /// 1, 0 or -1. |x| = x sign(x) is 0 at 0 whatever the sign there is: it needs no `ties_apart`.
  Element sign(const Element& x, bool ties_apart) const {
    const Element zero = r_.integer(0);
    return r_.difference(greater(x, zero, ties_apart), greater(zero, x, ties_apart));
  }
  /// 1/x as an opaque function, of which no law is kept but 1/(-x) = -1/x.
  Element reciprocal(const Element& x) const { return odd(Opaque::reciprocal, x); }

 private:
  /// An opaque function with f(-x) = -f(x): it is applied to the one of x and -x that comes first.
  Element odd(Opaque function, const Element& x) const {
    const Element opposite = r_.negated(x);
    if (r_.same(x, opposite)) return r_.integer(0);
    if (r_.before(x, opposite)) return r_.opaque(function, x);
    return r_.negated(r_.opaque(function, opposite));
  }

  const R& r_;
};

}  // namespace isoshard::sim
