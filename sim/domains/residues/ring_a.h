#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/domains/exact_ring.h"
#include "sim/domains/residues/lane_primes.h"
#include "sim/domains/residues/ring_laws.h"
#include "sim/domains/residues/ring_notes.h"
#include "sim/domains/residues/ring_numbers.h"
#include "sim/domains/residues/ring_tuples.h"
#include "sim/domains/residues/set_table.h"
#include "sim/integers/constants.h"

namespace isoshard::sim {

/// Rungs A and B of the equivalence ladder: floats are residues, one per lane (one plane of uint32 each), each lane
/// modulo a prime of its own (draw_lane_primes).
///
/// + - x and movement are exact. Other functions are opaque (OpaqueLanes), except for laws that hold of real numbers:
/// logistic(-x) = 1 - logistic(x) (so logistic(0) = 1/2) and tanh(x) = 2 logistic(2x) - 1. Division is total: a
/// residue 0 inverts to an opaque hash of its tuple and is counted. Constants are exact unless read as others; √q of a
/// prime q is one fixed root in lanes whose field has one, otherwise an opaque element per (q, lane). sqrt, floor and
/// remainder of small rationals are exact, rsqrt is 1/sqrt, sine is odd and cosine even, x^n of an integer |n| <= 1024
/// is a product, x^(1/2) the square root. inf and nan have no meaning here: the first one met is kept in
/// unrepresentable() and the verdict must be "could not decide".
/// With `opaque_reciprocals`, 1/x is an opaque odd function of x wherever x is no number in all lanes: equal for every
/// function there means equal for the reciprocal, and the degree of a formula does not grow with its denominators.
/// to_tensor gives the residues as i32[lanes, ...]. Thread-safe; equal seeds and lanes give equal results.
///
/// Soft predicates: x > y is an opaque element m(x-y), 0 for equal tuples; not m = 1-m, and = product, select(m,a,b) =
/// b + m(a-b), max(x,y) = y + m(x-y) with m(-d) = 1-m(d), eq a symmetric hash. Hard order: tuples compare by the
/// balanced representatives of r times the residues, the first lane first; predicates are 0 or 1 in all lanes, and
/// select, max and min return an operand unchanged. With max_of_sets, a maximum of maxima is an opaque element of the
/// set of all their operands (of two, y + m(x-y)), and min(x,y) = -max(-x,-y). What needs a decision that soft
/// predicates do not give (an index, an integer made from a predicate) is kept in undecided().
class RingDomain final : public ExactRing, private InPlaceDot, private RingTuples {
 public:
  static constexpr size_t kMaxLanes = OpaqueLanes::kMaxLanes;

  /// 1 to kMaxLanes lanes whose keys come from `seed`, and their primes, too, unless they are given.
  RingDomain(size_t lanes, uint64_t seed, RingOrder order = {}, bool opaque_reciprocals = false,
             ConstantReadings constants = {}, std::vector<Mod31> primes = {});

  size_t lanes() const override { return moduli().size(); }
  uint64_t modulus(size_t lane) const override { return moduli()[lane].modulus(); }
  using RingTuples::moduli;
  uint64_t non_units(size_t lane) const { return notes_.non_units(lane); }
  std::optional<Rational> unrepresentable() const override { return notes_.unrepresentable(); }
  std::string undecided() const override { return notes_.undecided(); }
  void random(int64_t n, const RandomWord& word, std::byte* out) const override;
  std::vector<PrimeField> residue_fields() const override;
  void read_residues(int64_t n, const std::byte* x, int64_t i, std::span<uint64_t> residues) const override;
  void write_residues(int64_t n, int64_t i, std::span<const uint64_t> residues, std::byte* out) const override;
  bool is_number(int64_t n, const std::byte* x, int64_t i) const override;
  uint64_t residue(const Value& x, size_t lane, int64_t i) const override;
  uint32_t non_unit_lanes(const Value& x, int64_t i) const override;
  void make_comparable(std::span<Value* const>) const override {}
  Value opaque_identity(const Value& x) const override;

  std::string_view name() const override { return "ring"; }
  Storage storage(DType dtype) const override;
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
  const InPlaceDot* in_place_dot() const override { return this; }
  void dot_in_place(DType dtype, const DotSizes& sizes, const DotOperand& a, const DotOperand& b,
                    const DotResult& out) const override;
  void sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const override;
  void accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const override;
  void from_native(int64_t n, const uint8_t* x, std::byte* out) const override;
  void decide(int64_t n, const std::byte* predicate, uint8_t* out) const override;
  void to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const override;
  void compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;
  void finite(DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const override;
  void select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  void sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;
  void top_k(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, int32_t* indices) const override;

 private:
  friend class RingLaws<RingDomain>;
  using Element = Tuple;
  using RingTuples::sum;

  Tuple reading(const ConstantReading& constant) const;
  Tuple read(const Rational& constant, DType dtype) const;
  std::optional<mpq_class> number(const Tuple& x) const;
  void invert(int64_t n, const Residue* x, Residue* out) const;
  void invert_opaquely(int64_t n, const Residue* x, Residue* out) const;

  // ring_functions.cc
  Tuple inverted(const Tuple& x) const;
  Tuple reciprocal(const Tuple& x) const;
  Tuple sqrt(const Tuple& x) const;
  Tuple floor(const Tuple& x) const;
  Tuple power(const Tuple& x, const Tuple& y) const;
  Tuple remainder(const Tuple& x, const Tuple& y) const;
  Tuple apply(UnaryOp op, const Tuple& x) const;

  // ring_order.cc
  Tuple at(int64_t n, const std::byte* x, int64_t i) const;
  void put(const Tuple& x, int64_t n, int64_t i, std::byte* out) const;
  /// Writes make(i) for i < n; out may be what `make` reads.
  template <class Make>
  void each(int64_t n, std::byte* out, const Make& make) const {
    for (int64_t i = 0; i < n; ++i) put(make(i), n, i, out);
  }
  bool less(const Tuple& x, const Tuple& y) const;
  Tuple larger(const Tuple& x, const Tuple& y) const;
  Tuple larger_of_sets(const Tuple& x, const Tuple& y) const;
  static bool same(const Tuple& x, const Tuple& y) { return x == y; }
  static bool before(const Tuple& x, const Tuple& y) { return x < y; }
  const RingOrder& order() const { return order_; }
  RingLaws<RingDomain> laws() const { return RingLaws<RingDomain>(*this); }

  mutable RingNotes notes_;
  RingOrder order_;
  bool opaque_reciprocals_;
  ConstantReadings constants_;
  SetTable maxima_;  ///< with max_of_sets: the operands of each maximum
};

}  // namespace isoshard::sim
