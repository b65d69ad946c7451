#pragma once

#include <gmpxx.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sim/domains/residues/set_table.h"
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
  /// An element that a maximum is taken of, known by component 0 of what is hashed, and by what it is besides.
  struct Member {
    std::array<uint64_t, TowerElements::kMaxLanes> residues{};
    uint64_t form = 0;
    Element element{};
    bool operator==(const Member& o) const { return form == o.form && residues == o.residues; }
    bool operator<(const Member& o) const { return form != o.form ? form < o.form : residues < o.residues; }
  };
  struct Hash {
    size_t operator()(const Member& x) const { return x.residues[0] * 0x9e3779b97f4a7c15U ^ x.form; }
  };
  using Maxima = SetTable<Member, Hash>;

  bool is_low(const Element& x) const;
  bool is_masked(const Element& x) const { return !ring_.is_plain(x) && ring_.form(x).mask != 0; }
  int split_infinities(Element& x, Element& y, mpq_class& common) const;
  Element masked(const Element& x, const Element& predicate, const Element& otherwise) const;
  Element chosen_above(const Element& x, const Element& predicate, const mpq_class& c) const;

  /// A maximum of what predicates make -inf is an element like others, and -inf where all of it is: then nothing that
  /// is compared with -inf is known to be above it.
  void note_low_maximum() const { note_both(low_maximum_, beside_infinity_); }
  void note_beside_infinity(const Element& x) const {
    if (!ring_.is_number(x)) note_both(beside_infinity_, low_maximum_);
  }
  void note_both(std::atomic<bool>& now, const std::atomic<bool>& other) const;

  bool is_of_set(const Element& x) const;
  Member member(const Element& x) const;
  Element larger_of_sets(const Element& x, const Element& y) const;
  Element of_set(const Maxima::Set& set) const;

  const TowerFunctions& functions_;
  const TowerElements& ring_;
  Maxima maxima_{};  ///< with max_of_sets: the operands of each maximum
  mutable std::atomic<bool> low_maximum_{false}, beside_infinity_{false};
};

}  // namespace isoshard::sim
