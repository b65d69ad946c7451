#pragma once

#include <array>
#include <atomic>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/constants.h"
#include "sim/domains/keyed_hash.h"
#include "sim/domains/prime_cube.h"
#include "sim/domains/ring_forms.h"
#include "sim/domains/ring_laws.h"
#include "sim/exact_ring.h"

namespace isoshard::sim {

struct ExpRingOptions {
  RingOrder order{};
  bool logistic_by_exp = false;  ///< rung D: logistic(x) = 1/(1 + exp(-x))
};

/// An element of rungs C and D over all lanes: c·T + a + (1/q) log u, where `form` (RingForms) says c, q and whether it
/// is an exact number. Lanes that a ring does not have are 0 in a and 1 in u.
struct ExpElement {
  static constexpr size_t kMaxLanes = 8;
  using Lanes = std::array<uint64_t, kMaxLanes>;

  Lanes a{};
  Lanes u{1, 1, 1, 1, 1, 1, 1, 1};
  uint64_t form = RingForms::kPlain;
};

/// Calculates with single elements of rungs C and D (equivalence.md 4), and notes what is beyond them. Thread-safe.
class ExpElements {
 public:
  using Element = ExpElement;
  /// Bound of q, and of the number of factors of u; beyond it a logarithm is opaque.
  static constexpr uint64_t kMaxFactors = uint64_t{1} << 24;

  ExpElements(size_t lanes, uint64_t seed, ExpRingOptions options);

  size_t lanes() const { return lanes_.size(); }
  const PrimeCube& lane(size_t l) const { return lanes_[l]; }
  RingForms& forms() const { return forms_; }
  const RingOrder& order() const { return options_.order; }
  /// Keyed, and not that of any function.
  uint64_t padding(uint64_t seed, size_t lane, uint64_t i) const;

  uint64_t most_factors() const { return most_factors_.load(); }
  /// Whether some product of two elements that are not 0 was 0, or some exp(x) was 1 for another x than 0.
  bool vanished() const { return vanished_.load(); }
  void note_vanished() const { vanished_ = true; }
  uint64_t non_units(size_t lane) const { return non_units_[lane].load(std::memory_order_relaxed); }
  std::vector<mpq_class> infinities() const;
  std::string undecided() const;
  std::optional<Rational> unrepresentable() const;
  void note_undecided(const std::string& what) const;

  // ring_c_elements.cc: what an element is, + and multiples
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
  /// The same element of all that are equal to it, where one common q is known (0: there are no logarithms).
  Element comparable(const Element& x, uint64_t q) const;
  Element plain(const Element& x, const char* user) const;
  Element opaque(Opaque function, std::initializer_list<Element> arguments) const;
  Element opaque(Opaque function, const Element& x) const { return opaque(function, {x}); }
  Element opaque_identity(const Element& x) const;
  Element fingerprint(const Element& x) const;
  Element sum(const Element& x, const Element& y) const;
  Element negated(const Element& x) const;
  Element difference(const Element& x, const Element& y) const { return sum(x, negated(y)); }
  Element complement(const Element& x) const { return difference(integer(1), x); }
  Element times(const Element& x, const mpq_class& r) const;
  Element half() const { return number(mpq_class(1, 2)); }
  bool same(const Element& x, const Element& y) const;
  bool before(const Element& x, const Element& y) const { return canonical(x).a < canonical(y).a; }
  RingLaws<ExpElements> laws() const { return RingLaws<ExpElements>(*this); }

  // ring_c_functions.cc
  Element read(const Rational& constant, DType dtype) const;
  Element reading(const ConstantReading& constant) const;
  Element product(const Element& x, const Element& y) const;
  Element inverted(const Element& x) const;
  Element quotient(const Element& x, const Element& y) const;
  Element exponential(const Element& x) const;
  Element log(const Element& x) const;
  Element sqrt(const Element& x) const;
  Element logistic(const Element& x) const;
  Element floor(const Element& x) const;
  Element power(const Element& x, const Element& y) const;
  Element remainder(const Element& x, const Element& y) const;
  Element apply(UnaryOp op, const Element& x) const;
  Element apply(BinaryOp op, const Element& x, const Element& y) const;

  // ring_c_order.cc
  bool less(const Element& x, const Element& y) const;
  Element compared(Direction direction, const Element& x, const Element& y) const;
  Element chosen(const Element& predicate, const Element& x, const Element& y) const;
  Element extreme(Extreme op, const Element& x, const Element& y) const;

 private:
  void note_unrepresentable(const Rational& constant) const;
  Element with_form(Element x, RingForm form) const;
  Element raised(const Element& x, uint64_t q) const;
  RingForm finite_form(const Element& x) const;
  int split_infinities(Element& x, Element& y, mpq_class& common) const;

  std::vector<PrimeCube> lanes_;
  KeyedHash hash_;
  std::array<uint64_t, ExpElement::kMaxLanes> lane_keys_{};
  ExpRingOptions options_;
  mutable RingForms forms_;
  mutable std::atomic<uint64_t> most_factors_{0};
  mutable std::atomic<bool> vanished_{false};
  mutable std::array<std::atomic<uint64_t>, ExpElement::kMaxLanes> non_units_{};
  mutable std::mutex mutex_;
  mutable std::optional<Rational> unrepresentable_;
  mutable std::string undecided_;
  mutable std::set<mpq_class> infinities_;
};

}  // namespace isoshard::sim
