#pragma once

#include <initializer_list>
#include <vector>

#include "sim/domains/residues/ring_laws.h"
#include "sim/domains/tower/log_table.h"
#include "sim/domains/tower/opaque_towers.h"
#include "sim/domains/tower/ring_forms.h"
#include "sim/domains/tower/tower_notes.h"
#include "sim/domains/tower/tower_options.h"

namespace isoshard::sim {

/// An element of rung E over all lanes: c·T + a + (1/q) log u, where `form` (RingForms) says c, q, u and whether it is
/// an exact number.
struct TowerElement {
  TowerResidues a{};
  uint64_t form = RingForms::kPlain;
};

/// The single elements of rung E, their sums and products (docs/spec/verdict.md, "Rings"); notes what is beyond them.
/// Thread-safe.
///
/// Residue r = c · lanes + l is component c in lane l, in the field of the tower's prime c. An element is what its
/// component 0 is: what compares, tells apart or hashes elements sees no other, since a true law may hold in fewer
/// components than elements have (an exponential is exact in all but the last one, where it is an opaque function).
class TowerElements {
 public:
  using Element = TowerElement;
  static constexpr size_t kMaxLanes = 8;
  /// Bound of q, and of the number of factors of u; beyond it a logarithm is opaque.
  static constexpr uint64_t kMaxFactors = uint64_t{1} << 24;

  /// 1 to kMaxLanes lanes.
  TowerElements(size_t lanes, uint64_t seed, const TowerOptions& options);

  size_t lanes() const { return towers_->size(); }
  size_t height() const { return towers_->front().height(); }
  size_t residues() const { return fields_.size(); }
  const std::vector<PrimeField>& fields() const { return fields_; }
  const PrimeField& field(size_t residue) const { return fields_[residue]; }
  const RingOrder& order() const { return order_; }
  const OpaqueTowers& functions() const { return functions_; }
  TowerNotes& notes() const { return notes_; }

  Element integer(int64_t x) const;
  Element number(const mpq_class& x) const;
  Element half() const { return number(mpq_class(1, 2)); }
  Element infinity(const mpq_class& c) const;
  Element minus_infinity() const;

  RingForm form(const Element& x) const { return forms_.form(x.form); }
  uint64_t word(const RingForm& form) const { return forms_.word(form); }
  bool is_plain(const Element& x) const { return RingForms::is_plain(x.form); }
  bool is_number(const Element& x) const { return is_number(x.form); }
  bool is_number(uint64_t form) const { return forms_.is_number(form); }
  mpq_class value(const Element& number) const { return forms_.number_of(number.form); }
  bool is_zero(const Element& x) const;

  /// A number that meets data: a large one is a multiple of T, others are residues.
  Element met(const Element& x, bool also_positive) const;
  /// Neither infinite nor a logarithm: what every op but + and multiples sees.
  Element plain(const Element& x, const char* user) const;
  /// The same for what orders and is_finite see, to which what a predicate makes -inf is a value like others.
  Element named(const Element& x) const;
  /// The residue x plus log u; `mask` is that of the form.
  Element plus_log(const Element& x, const TowerResidues& u, uint64_t mask = 0) const;
  /// x without its multiple of T.
  Element without_infinity(const Element& x) const;
  void exponentials_of(const TowerResidues& x, TowerResidues& result) const;
  /// exp(q x) of a finite element whose own q divides this one, as a plain residue.
  Element raised(const Element& x, uint64_t q) const;

  /// What is hashed and tells elements apart: the residue, or exp(q x) with c and q.
  Element canonical(const Element& x) const;
  /// The same element of all that are equal to it, where one common q is known (0: there are no logarithms); components
  /// but the first are 0.
  Element comparable(const Element& x, uint64_t q) const;
  Element opaque(Opaque function, std::initializer_list<Element> arguments) const;
  Element opaque(Opaque function, const Element& x) const { return opaque(function, {x}); }
  /// A function of the element that nothing else evaluates; infinities, which are no argument of a function, stay.
  Element opaque_identity(const Element& x) const;
  /// What is linear where elements are residues: those, and a keyed hash of others.
  Element fingerprint(const Element& x) const;
  bool same(const Element& x, const Element& y) const;
  bool before(const Element& x, const Element& y) const;
  /// The keyed order of finite elements.
  bool less(const Element& x, const Element& y) const;
  RingLaws<TowerElements> laws() const { return RingLaws<TowerElements>(*this); }

  Element sum(const Element& x, const Element& y) const;
  Element negated(const Element& x) const;
  Element difference(const Element& x, const Element& y) const { return sum(x, negated(y)); }
  Element complement(const Element& x) const { return difference(integer(1), x); }
  Element times(const Element& x, const mpq_class& r) const;
  Element product(const Element& x, const Element& y) const;

 private:
  const PrimeTower& tower(size_t lane) const { return (*towers_)[lane]; }
  bool is_one(const TowerResidues& u) const;
  Element with_form(Element x, RingForm form, const TowerResidues& u) const;
  Element without_log(Element x, RingForm form) const;
  TowerResidues log_of(const Element& x) const;
  TowerResidues raised_to(const TowerResidues& u, int64_t exponent) const;
  bool same_residues(const Element& x, const Element& y) const;

  Towers towers_;
  std::vector<PrimeField> fields_;  ///< per residue
  OpaqueTowers functions_;
  RingOrder order_;
  size_t hashed_components_;
  mutable RingForms forms_;
  mutable LogTable logs_;
  mutable TowerNotes notes_;
};

}  // namespace isoshard::sim
