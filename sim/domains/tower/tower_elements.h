#pragma once

#include <array>
#include <initializer_list>
#include <vector>

#include "sim/domains/keyed_hash.h"
#include "sim/domains/residues/ring_laws.h"
#include "sim/domains/tower/log_table.h"
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

/// Calculates with single elements of rung E (docs/spec/verdict.md, "Rings"), and notes what is beyond it. Thread-safe.
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
  /// The largest integer that is known as such when it comes out of sinusoids.
  static constexpr int64_t kMostSeen = 1000;

  /// 1 to kMaxLanes lanes.
  TowerElements(size_t lanes, uint64_t seed, const TowerOptions& options);

  size_t lanes() const { return towers_->size(); }
  size_t height() const { return towers_->front().height(); }
  size_t residues() const { return fields_.size(); }
  const PrimeTower& tower(size_t lane) const { return (*towers_)[lane]; }
  const PrimeField& field(size_t residue) const { return fields_[residue]; }
  RingForms& forms() const { return forms_; }
  const RingOrder& order() const { return order_; }
  /// Keyed, and not that of any function.
  uint64_t padding(uint64_t seed, size_t lane, uint64_t i) const;

  TowerNotes& notes() const { return notes_; }

  // tower_elements.cc: what an element is
  Element integer(int64_t x) const;
  Element number(const mpq_class& x) const;
  Element infinity(const mpq_class& c) const;
  Element minus_infinity() const;
  bool is_number(const Element& x) const { return forms_.is_number(x.form); }
  mpq_class value(const Element& number) const { return forms_.number_of(number.form); }
  bool is_plain(const Element& x) const { return RingForms::is_plain(x.form); }
  bool is_zero(const Element& x) const;
  Element met(const Element& x, bool also_positive) const;
  Element canonical(const Element& x) const;
  /// The same element of all that are equal to it, where one common q is known (0: there are no logarithms); components
  /// but the first are 0.
  Element comparable(const Element& x, uint64_t q) const;
  Element plain(const Element& x, const char* user) const;
  Element opaque(Opaque function, std::initializer_list<Element> arguments) const;
  Element opaque(Opaque function, const Element& x) const { return opaque(function, {x}); }
  Element opaque_identity(const Element& x) const;
  Element fingerprint(const Element& x) const;
  bool same(const Element& x, const Element& y) const;
  bool before(const Element& x, const Element& y) const;
  RingLaws<TowerElements> laws() const { return RingLaws<TowerElements>(*this); }
  /// The small integer that a residue is in all lanes, where sinusoids may cancel; otherwise x.
  Element seen(const Element& x) const;

  // tower_sums.cc: + and multiples
  Element sum(const Element& x, const Element& y) const;
  Element negated(const Element& x) const;
  Element difference(const Element& x, const Element& y) const { return sum(x, negated(y)); }
  Element complement(const Element& x) const { return difference(integer(1), x); }
  Element times(const Element& x, const mpq_class& r) const;
  Element half() const { return number(mpq_class(1, 2)); }

  // tower_functions.cc
  Element read(const Rational& constant, DType dtype) const;
  Element reading(const ConstantReading& constant) const;
  Element product(const Element& x, const Element& y) const;
  Element inverted(const Element& x) const;
  Element quotient(const Element& x, const Element& y) const;
  Element exponential(const Element& x) const;
  Element log(const Element& x) const;
  Element sqrt(const Element& x) const;
  Element logistic(const Element& x) const;
  Element tanh(const Element& x) const;
  Element floor(const Element& x) const;
  Element power(const Element& x, const Element& y) const;
  Element remainder(const Element& x, const Element& y) const;
  Element apply(UnaryOp op, const Element& x) const;
  Element apply(BinaryOp op, const Element& x, const Element& y) const;

  // tower_sinusoids.cc
  Element sine(const Element& x) const;
  Element cosine(const Element& x) const;

  // tower_order.cc
  bool less(const Element& x, const Element& y) const;
  Element compared(Direction direction, const Element& x, const Element& y) const;
  Element chosen(const Element& predicate, const Element& x, const Element& y) const;
  Element masked(const Element& x, const Element& predicate, const Element& otherwise) const;
  bool is_low(const Element& x) const;
  Element chosen_above(const Element& x, const Element& predicate, const mpq_class& c) const;
  bool is_masked(const Element& x) const { return !is_plain(x) && forms_.form(x.form).mask != 0; }
  Element extreme(Extreme op, const Element& x, const Element& y) const;

 private:
  static std::vector<uint64_t> imaginary_units(const std::vector<PrimeField>& fields);
  std::array<Element, 2> on_circle(const Element& x) const;
  Element times_i(const Element& x) const;
  bool is_one(const TowerResidues& u) const;
  Element with_form(Element x, RingForm form, const TowerResidues& u) const;
  Element without_log(Element x, RingForm form) const;
  TowerResidues log_of(const Element& x) const;
  TowerResidues raised_to(const TowerResidues& u, int64_t exponent) const;
  Element raised(const Element& x, uint64_t q) const;
  int split_infinities(Element& x, Element& y, mpq_class& common) const;
  bool same_residues(const Element& x, const Element& y) const;
  void exponentials_of(const TowerResidues& x, TowerResidues& result) const;
  void absorb_component(const TowerResidues& x, size_t component, KeyedHash& hash) const;
  void fresh_units(KeyedHash& hash, size_t first, size_t last, TowerResidues& result) const;

  Towers towers_;
  std::vector<PrimeField> fields_;  ///< per residue
  std::vector<uint64_t> i_;         ///< per residue, a root of -1; empty: sinusoids are opaque
  KeyedHash hash_;
  std::array<uint64_t, std::tuple_size_v<TowerResidues>> residue_keys_{};
  RingOrder order_;
  ConstantReadings constants_;
  size_t hashed_components_;
  mutable RingForms forms_;
  mutable LogTable logs_;
  mutable TowerNotes notes_;
};

}  // namespace isoshard::sim
