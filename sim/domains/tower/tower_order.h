#pragma once

#include <gmpxx.h>

#include "sim/domains/tower/tower_functions.h"

namespace isoshard::sim {

/// Comparisons of single elements of rung E, and choices by them. Functions must outlive it.
class TowerOrder {
 public:
  using Element = TowerElement;

  explicit TowerOrder(const TowerFunctions& functions) : functions_(functions), ring_(functions.elements()) {}

  /// The predicate: a number where both sides are known or infinite by different amounts.
  Element compared(Direction direction, const Element& x, const Element& y) const;
  /// x where the predicate holds, otherwise y: an operand unchanged where the predicate is decided.
  Element chosen(const Element& predicate, const Element& x, const Element& y) const;
  Element sign(SignOp op, const Element& x) const;
  Element extreme(Extreme op, const Element& x, const Element& y) const;

 private:
  bool is_low(const Element& x) const;
  bool is_masked(const Element& x) const { return !ring_.is_plain(x) && ring_.form(x).mask != 0; }
  int split_infinities(Element& x, Element& y, mpq_class& common) const;
  Element masked(const Element& x, const Element& predicate, const Element& otherwise) const;
  Element chosen_above(const Element& x, const Element& predicate, const mpq_class& c) const;

  const TowerFunctions& functions_;
  const TowerElements& ring_;
};

}  // namespace isoshard::sim
