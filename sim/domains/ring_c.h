#pragma once

#include <array>
#include <atomic>
#include <initializer_list>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/constants.h"
#include "sim/domains/keyed_hash.h"
#include "sim/domains/prime_cube.h"
#include "sim/domains/ring_forms.h"
#include "sim/domains/ring_laws.h"
#include "sim/exact_ring.h"

namespace isoshard::sim {

/// Rungs C, Ch and D of the equivalence ladder: floats are elements of Z/p^3, where exp(x) = (1+p)^x; each lane has its
/// own random prime p (equivalence.md 4).
///
/// An element is c·T + a + (1/q) log u with T a formal infinity: log x is kept as u, so that log(exp x) = x and
/// exp(log u) = u hold, sums of logarithms are products, and a rational n/d times one is (n/d a, u^n, q d). What is
/// made from constants and discrete values only is an exact rational; one of magnitude at least 1e4 that is added to
/// data (or one of at most -1e4 that data is compared with or selected against) becomes a multiple of T: exp of a
/// negative multiple is 0. A true -inf is a value of its own. Any other op takes the element as a plain residue: a
/// logarithm as an opaque function of exp(q a) u. Functions other than exp and log, predicates and division are those
/// of rung A (RingLaws). What none of this decides is kept in undecided().
///
/// Planes: a per lane, u per lane (1 where there is no logarithm), then one word for the form (RingForms). to_tensor
/// gives a as i64[lanes, ...]. Thread-safe; equal seeds and lanes give equal residues.
class ExpRingDomain final : public ExactRing {
 public:
  static constexpr size_t kMaxLanes = 8;
  static constexpr int64_t kMaxPower = 1024;  ///< integer exponents up to this one are products
  /// Bound of q, and of the number of factors of u; beyond it a logarithm is opaque.
  static constexpr uint64_t kMaxFactors = uint64_t{1} << 24;

  struct Options {
    RingOrder order{};
    bool logistic_by_exp = false;  ///< rung D: logistic(x) = 1/(1 + exp(-x))
  };

  ExpRingDomain(size_t lanes, uint64_t seed, Options options);
  ExpRingDomain(size_t lanes, uint64_t seed) : ExpRingDomain(lanes, seed, Options{}) {}

  /// The most factors of a logarithm that was compared, hashed or exponentiated so far; 0 when none was.
  uint64_t most_factors() const { return most_factors_.load(); }
  /// The rationals that were read as multiples of T.
  std::vector<mpq_class> infinities() const;
  uint64_t non_units(size_t lane) const { return non_units_[lane].load(std::memory_order_relaxed); }

  size_t lanes() const override { return lanes_.size(); }
  uint64_t modulus(size_t lane) const override { return lanes_[lane].modulus(); }
  std::string undecided() const override;
  std::optional<Rational> unrepresentable() const override;
  void random(int64_t n, const RandomWord& word, std::byte* out) const override;
  uint64_t residue(const Value& x, size_t lane, int64_t i) const override;
  uint32_t non_unit_lanes(const Value& x, int64_t i) const override;
  /// Where there is a logarithm among the values, all become exp(q x) for their common q.
  void make_comparable(std::span<Value* const> values) const override;

  std::string_view name() const override { return "exponential ring"; }
  Storage storage(DType) const override { return {sizeof(uint64_t), 2 * lanes() + 1}; }
  void constant(const Rational& constant, DType dtype, std::byte* out) const override;
  void from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const override;
  void poison(DType dtype, uint64_t seed, int64_t n, std::byte* out) const override;
  void from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const override;
  void to_integers(DType dtype, int64_t n, const std::byte* x, DType to, int64_t* out) const override;
  void convert(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  Tensor to_tensor(const Value& value) const override;
  void unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  void dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
           std::byte* out) const override;
  void sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const override;
  void accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const override;
  void from_native(int64_t n, const uint8_t* x, std::byte* out) const override;
  void decide(int64_t n, const std::byte* predicate, uint8_t* out) const override;
  void to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const override;
  void compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;
  void logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const override;
  void select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  void sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;
  void top_k(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, int32_t* indices) const override;

 private:
  friend class RingLaws<ExpRingDomain>;
  using Lanes = std::array<uint64_t, kMaxLanes>;
  struct Element {
    Lanes a{};
    Lanes u{1, 1, 1, 1, 1, 1, 1, 1};
    uint64_t form = RingForms::kPlain;
  };

  // ring_c.cc
  Element at(int64_t n, const std::byte* x, int64_t i) const;
  void put(const Element& x, int64_t n, int64_t i, std::byte* out) const;
  /// Writes make(i) for i < n; out may be what `make` reads.
  template <class Make>
  void each(int64_t n, std::byte* out, const Make& make) const {
    for (int64_t i = 0; i < n; ++i) put(make(i), n, i, out);
  }
  bool all_plain(int64_t n, const std::byte* x) const;
  bool all_finite_residues(int64_t n, const std::byte* x) const;
  void make_plain(int64_t n, std::byte* out) const;
  Element comparable(const Element& x, uint64_t q) const;
  Element read(const Rational& constant, DType dtype) const;
  Element reading(const ConstantReading& constant) const;
  void note_undecided(const std::string& what) const;
  void note_unrepresentable(const Rational& constant) const;

  // ring_c_elements.cc: what an element is, + and multiples
  Element integer(int64_t x) const;
  Element number(const mpq_class& x) const;
  Element infinity(const mpq_class& c) const;
  Element minus_infinity() const;
  bool is_number(const Element& x) const { return forms_.is_number(x.form); }
  mpq_class value(const Element& number) const { return forms_.number_of(number.form); }
  bool is_plain(const Element& x) const { return RingForms::is_plain(x.form); }
  bool is_zero(const Element& x) const;
  Element with_form(Element x, RingForm form) const;
  Element met(const Element& x, bool also_positive) const;
  Element raised(const Element& x, uint64_t q) const;
  Element canonical(const Element& x) const;
  Element plain(const Element& x, const char* user) const;
  Element opaque(Opaque function, std::initializer_list<Element> arguments) const;
  Element opaque(Opaque function, const Element& x) const { return opaque(function, {x}); }
  Element sum(const Element& x, const Element& y) const;
  Element negated(const Element& x) const;
  Element difference(const Element& x, const Element& y) const { return sum(x, negated(y)); }
  Element complement(const Element& x) const { return difference(integer(1), x); }
  Element times(const Element& x, const mpq_class& r) const;
  Element half() const { return number(mpq_class(1, 2)); }
  bool same(const Element& x, const Element& y) const;
  bool before(const Element& x, const Element& y) const { return canonical(x).a < canonical(y).a; }
  const RingOrder& order() const { return options_.order; }
  RingLaws<ExpRingDomain> laws() const { return RingLaws<ExpRingDomain>(*this); }

  // ring_c_functions.cc
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
  int split_infinities(Element& x, Element& y, mpq_class& common) const;
  Element compared(Direction direction, const Element& x, const Element& y) const;
  Element chosen(const Element& predicate, const Element& x, const Element& y) const;
  Element extreme(Extreme op, const Element& x, const Element& y) const;

  std::vector<PrimeCube> lanes_;
  KeyedHash hash_;
  std::array<uint64_t, kMaxLanes> lane_keys_{};
  Options options_;
  mutable RingForms forms_;
  mutable std::atomic<uint64_t> most_factors_{0};
  mutable std::array<std::atomic<uint64_t>, kMaxLanes> non_units_{};
  mutable std::mutex mutex_;
  mutable std::optional<Rational> unrepresentable_;
  mutable std::string undecided_;
  mutable std::set<mpq_class> infinities_;
};

}  // namespace isoshard::sim
