#pragma once

#include <array>
#include <atomic>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "sim/domain.h"
#include "sim/domains/keyed_hash.h"

namespace isoshard::sim {

/// Rung A of the equivalence ladder: floats are elements of Z/(2^31-1), one per lane (one plane of uint32 each).
///
/// + - x and movement are exact. Other functions are opaque: a keyed hash of the argument's residues in *all* lanes
/// gives one unit per lane, modelled as a random oracle, except for laws that hold of real numbers:
/// logistic(-x) = 1 - logistic(x) (so logistic(0) = 1/2) and tanh(x) = 2 logistic(2x) - 1. Division is total: a
/// residue 0 inverts to an opaque hash of its tuple and is counted. Constants are read by read_constant(); √q of a
/// prime q is one fixed root where the field has one, otherwise an opaque element per (q, lane). inf and nan have no
/// meaning here: the first one met is kept in unrepresentable() and the verdict must be "could not decide".
/// to_tensor gives the residues as i32[lanes, ...]. Thread-safe; equal seeds and lanes give equal results.
class RingDomain final : public Domain {
 public:
  static constexpr size_t kMaxLanes = 8;

  /// 1 to kMaxLanes lanes whose keys come from `seed`.
  RingDomain(size_t lanes, uint64_t seed);

  size_t lanes() const { return lanes_; }
  /// How many denominators were 0 in `lane` so far, over all devices.
  uint64_t non_units(size_t lane) const { return non_units_[lane].load(std::memory_order_relaxed); }
  /// Whether a float that is no integer_of() was converted to an integer: the run then says nothing.
  bool without_integer() const { return without_integer_.load(std::memory_order_relaxed); }
  /// The first constant or input met that is not a number of the ring (inf, nan, a multiple of 2^31-1 as denominator).
  std::optional<Rational> unrepresentable() const;

  std::string_view name() const override { return "ring"; }
  Storage storage(DType dtype) const override;
  void constant(const Rational& constant, DType dtype, std::byte* out) const override;
  void from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const override;
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

 private:
  using Residue = uint32_t;
  using Tuple = std::array<Residue, kMaxLanes>;

  enum class Opaque : uint32_t;

  Tuple opaque(Opaque function, const Tuple& argument) const;
  Tuple logistic(const Tuple& argument) const;
  Tuple apply(UnaryOp op, Tuple x) const;
  Tuple read(const Rational& constant, DType dtype) const;
  void invert(int64_t n, const Residue* x, Residue* out) const;
  void note_unrepresentable(const Rational& constant) const;

  size_t lanes_;
  KeyedHash hash_;
  std::array<uint64_t, kMaxLanes> lane_keys_{};
  mutable std::array<std::atomic<uint64_t>, kMaxLanes> non_units_{};
  mutable std::atomic<bool> without_integer_{false};
  mutable std::mutex mutex_;
  mutable std::optional<Rational> unrepresentable_;
};

/// The integer that a ring element is: the same residue in all lanes, below 2^24 in magnitude when balanced.
std::optional<int64_t> integer_of(std::span<const uint32_t> lanes);

/// A float value of `type` whose residues are uniform and independent per element and lane, drawn from (seed, name).
Value random_ring(const TensorType& type, size_t lanes, uint64_t seed, std::string_view name);

}  // namespace isoshard::sim
