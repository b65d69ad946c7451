#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/domains/exact_ring.h"
#include "sim/domains/residues/lane_primes.h"
#include "sim/domains/residues/ring_elements.h"

namespace isoshard::sim {

/// Rungs A and B of the equivalence ladder: floats are residues, one per lane (one plane of uint32 each), each lane
/// modulo a prime of its own (draw_lane_primes).
///
/// + - x and movement are exact; what functions, constants and comparisons are stands at RingElements. The first
/// constant that has no meaning here is kept in unrepresentable(), and the verdict must be "could not decide"; what
/// needs a decision that soft predicates do not give (an index, an integer made from a predicate) is kept in
/// undecided(). to_tensor gives the residues as i32[lanes, ...]. Thread-safe; equal seeds and lanes give equal results.
class RingDomain final : public ExactRing, private InPlaceDot {
 public:
  static constexpr size_t kMaxLanes = OpaqueLanes::kMaxLanes;

  /// 1 to kMaxLanes lanes whose keys come from `seed`, and their primes, too, unless they are given.
  RingDomain(size_t lanes, uint64_t seed, RingOrder order = {}, bool opaque_reciprocals = false,
             ConstantReadings constants = {}, std::vector<Mod31> primes = {});

  size_t lanes() const override { return ring_.lanes(); }
  uint64_t modulus(size_t lane) const override { return moduli()[lane].modulus(); }
  const std::vector<Mod31>& moduli() const { return ring_.moduli(); }
  uint64_t non_units(size_t lane) const { return ring_.notes().non_units(lane); }
  std::optional<Rational> unrepresentable() const override { return ring_.notes().unrepresentable(); }
  std::string undecided() const override { return ring_.notes().undecided(); }
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
  using Tuple = RingElements::Tuple;

  Tuple at(int64_t n, const std::byte* x, int64_t i) const {
    return ring_.in_lanes([&](const Mod31&, size_t l) { return residues(x)[static_cast<int64_t>(l) * n + i]; });
  }
  void put(const Tuple& x, int64_t n, int64_t i, std::byte* out) const {
    for (size_t l = 0; l < lanes(); ++l) residues(out)[static_cast<int64_t>(l) * n + i] = x[l];
  }
  /// Writes make(i) for i < n; out may be what `make` reads.
  template <class Make>
  void each(int64_t n, std::byte* out, const Make& make) const {
    for (int64_t i = 0; i < n; ++i) put(make(i), n, i, out);
  }
  void invert(int64_t n, const Residue* x, Residue* out) const;
  void invert_opaquely(int64_t n, const Residue* x, Residue* out) const;

  RingElements ring_;
};

}  // namespace isoshard::sim
