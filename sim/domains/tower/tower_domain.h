#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/domains/exact_ring.h"
#include "sim/domains/tower/tower_elements.h"
#include "sim/domains/tower/tower_functions.h"
#include "sim/domains/tower/tower_order.h"
#include "sim/domains/tower/tower_planes.h"

namespace isoshard::sim {

/// Rung E: floats are elements of a tower of primes, in which exponentials are exact; each lane has its own tower
/// (PrimeTower; docs/spec/verdict.md, "Rings").
///
/// An element is c·T + a + (1/q) log u with T a formal infinity: log x is kept as u, so that log(exp x) = x and
/// exp(log u) = u hold, sums of logarithms are products, and a rational n/d times one is (n/d a, u^n, q d). What is
/// made from constants and discrete values only is an exact rational; one of magnitude at least 1e4 that is added to
/// data (or one of at most -1e4 that data is compared with or selected against) becomes a multiple of T: exp of a
/// negative multiple is 0. A true -inf is a value of its own. Any other op takes the element as a plain residue: a
/// logarithm as an opaque function of exp(q a) u. logistic and tanh are made of exp; functions other than these,
/// predicates and division are those of rung A (RingLaws). What none of this decides is kept in undecided().
///
/// Planes: those of TowerPlanes. to_tensor gives component 0 of a as
/// i64[lanes, ...]. Thread-safe; equal seeds and lanes give equal residues.
class TowerDomain final : public ExactRing {
 public:
  static constexpr size_t kMaxLanes = TowerElements::kMaxLanes;
  using Options = TowerOptions;

  /// 1 to kMaxLanes lanes whose primes and keys come from `seed`.
  TowerDomain(size_t lanes, uint64_t seed, Options options) : ring_(lanes, seed, options), functions_(ring_, options) {}
  TowerDomain(size_t lanes, uint64_t seed) : TowerDomain(lanes, seed, Options{}) {}

  /// The most factors of a logarithm that was compared, hashed or exponentiated so far; 0 when none was.
  uint64_t most_factors() const { return ring_.notes().most_factors(); }
  bool even_roots() const { return ring_.notes().even_roots(); }
  /// The rationals that were read as multiples of T.
  std::vector<mpq_class> infinities() const { return ring_.notes().infinities(); }
  uint64_t non_units(size_t lane) const { return ring_.notes().non_units(lane); }

  /// The field of component 0.
  const PrimeField& field(size_t lane) const { return ring_.field(lane); }
  /// Whether all elements are exact numbers, made from constants and discrete values only.
  bool all_numbers(const Value& x) const;
  /// The residue of element i in `lane`; of infinities and logarithms a keyed hash of what they are.
  uint64_t fingerprint(const Value& x, size_t lane, int64_t i) const;

  size_t lanes() const override { return ring_.lanes(); }
  uint64_t modulus(size_t lane) const override { return ring_.field(lane).modulus(); }
  std::string undecided() const override { return ring_.notes().undecided(); }
  std::optional<Rational> unrepresentable() const override { return ring_.notes().unrepresentable(); }
  void random(int64_t n, const RandomWord& word, std::byte* out) const override;
  /// Infinities stay.
  Value opaque_identity(const Value& x) const override;
  std::vector<PrimeField> residue_fields() const override;
  void read_residues(int64_t n, const std::byte* x, int64_t i, std::span<uint64_t> residues) const override;
  void write_residues(int64_t n, int64_t i, std::span<const uint64_t> residues, std::byte* out) const override;
  bool is_number(int64_t n, const std::byte* x, int64_t i) const override;
  bool is_finite(int64_t n, const std::byte* x, int64_t i) const override;
  uint64_t residue(const Value& x, size_t lane, int64_t i) const override;
  uint32_t non_unit_lanes(const Value& x, int64_t i) const override;
  /// Components but the first become 0. Where there is a logarithm among the values, all become exp(q x) for their
  /// common q.
  void make_comparable(std::span<Value* const> values) const override;

  std::string_view name() const override { return "exponential ring"; }
  Storage storage(DType) const override { return {sizeof(uint64_t), ring_.residues() + 1}; }
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
  void finite(DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const override;
  void select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  void sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;
  void top_k(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, int32_t* indices) const override;

 private:
  using Element = TowerElement;

  bool all_finite_residues(int64_t n, const std::byte* x) const;
  /// Quotients of many elements share their inversions. Denominators, and what is a logistic's argument, are plain.
  void invert(int64_t n, const std::byte* x, std::byte* out) const;
  void divide(int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const;
  void logistic(int64_t n, const std::byte* x, std::byte* out) const;

  TowerElements ring_;
  TowerFunctions functions_;
  TowerOrder order_{functions_};
  TowerPlanes planes_{ring_.fields()};
};

}  // namespace isoshard::sim
