#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "core/ir/ops/select.h"
#include "sim/domains/undefined/condition_names.h"
#include "sim/domains/undefined/undefined_sets.h"
#include "sim/integers/order_domain.h"
#include "sim/kernels/elementwise.h"

namespace isoshard::sim {

/// The conditions of the result of an op on single elements (docs/spec/verdict.md, "Where a formula has no value").
/// Sets must outlive it.
class UndefinedRules {
 public:
  using Set = UndefinedSets::Set;
  using Element = UndefinedSets::Element;
  /// An element with all its conditions and factors, where nothing else is said.
  using Conditional = std::pair<Element, Set>;

  explicit UndefinedRules(UndefinedSets& sets) : sets_(sets) {}

  /// What follows is of the reference, or of the sharded program.
  void run_reference(bool reference) { reference_ = reference; }
  bool of_reference() const { return reference_; }

  /// `element()` is the operand: asked for where it is needed only, since it gets a name then.
  template <class ElementAt>
  Set unary(UnaryOp op, Set set, const ElementAt& element) const {
    const Set factors = sets_.factors(set), conditions = sets_.conditions(set);
    if (op == UnaryOp::negate) return sets_.unite(sets_.scaled(conditions, sets_.negative(0)), factors);
    Set result = conditions;
    if (conditions != 0 && drops_infinity(op)) result = sets_.through(named(kUnary, op), element(), conditions);
    if (conditions != 0 && !drops_infinity(op)) result = sets_.scaled(conditions, sets_.token({named(kUnary, op)}));
    if (factors == 0) return result;
    result = sets_.unite(result, failing(factors, needs_of(op), element()));
    return op == UnaryOp::sqrt ? sets_.unite(result, factors) : result;
  }
  Set binary(BinaryOp op, const Conditional& x, const Conditional& y) const;
  /// Of elements with their conditions only.
  Set product(const Conditional& x, const Conditional& y) const;
  /// A comparison, which rings know by the difference x - y up to its sign.
  Set compared(Direction direction, Element difference, Set x, Set y) const;
  /// The name of its result where an operand may have no value: equal comparisons of equal operands with equal
  /// conditions have one name; x != y that of x == y, whose negation it is for nan, too.
  Element name_of_comparison(Direction direction, Element difference, Set x, Set y) const;
  Set logic(Logic op, const Conditional& x, const Conditional& y) const;

 private:
  static uint32_t needs_of(UnaryOp op);
  static bool drops_infinity(UnaryOp op);
  Set failing(Set factors, uint32_t needs, Element operand) const;
  std::array<Conditional, 2> operands_of(Direction& direction, Element difference, Set x, Set y) const;

  UndefinedSets& sets_;
  bool reference_ = false;
};

}  // namespace isoshard::sim
