#pragma once

#include <atomic>
#include <utility>

#include "sim/domains/domain.h"
#include "sim/integers/constants.h"

namespace isoshard::sim {

/// Rung F of the equivalence ladder: f64 values (plane 0) with a bound of their distance from the true value of the
/// formula on the same inputs (plane 1), elementwise.
///
/// Inputs have bound 0. Sums add bounds; a product adds |a|db + |b|da + da·db; a dot of K terms adds gamma_K·|A||B|; a
/// monotone function is evaluated at both ends of its argument's interval and adds 4u|f|; every rounded result adds
/// u·|result|, u = 2^-53. An exact 0 (bound 0) adds nothing in a sum and makes a product with what has a bound an exact
/// 0; the constant -inf is exact, in sums and maxima too, and exp of it an exact 0. Dividing by an interval that may
/// contain 0, and results that are not finite, have an infinite bound: no counterexample. What is not monotone has its
/// own bound (bound.h). Constants are exact unless read as others. Padding is exact and far from all inputs, so that a
/// leak makes a counterexample. to_tensor gives the values. All float dtypes are alike.
///
/// A comparison of values closer than their errors is unsure: what it selects has an infinite bound; an integer that
/// depends on it (an index, a count), or that a float becomes while its interval reaches the next one, has no bound to
/// say so, and counts as a tie of the whole run.
class BoundedDomain : public Domain {
 public:
  explicit BoundedDomain(ConstantReadings constants = {}) : constants_(std::move(constants)) {}

  /// How many integers so far depended on an unsure comparison.
  uint64_t ties() const { return ties_.load(std::memory_order_relaxed); }

  std::string_view name() const override { return "bounded"; }
  Storage storage(DType dtype) const override;
  void constant(const Rational& constant, DType dtype, std::byte* out) const override;
  void from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const override;
  void poison(DType dtype, uint64_t seed, int64_t n, std::byte* out) const override;
  void from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const override;
  void from_unsigned(DType dtype, int64_t n, const uint64_t* x, std::byte* out) const override;
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

 protected:
  const ConstantReadings& constants() const { return constants_; }

 private:
  void note_tie() const { ties_.fetch_add(1, std::memory_order_relaxed); }

  ConstantReadings constants_;
  mutable std::atomic<uint64_t> ties_{0};
};

/// The one bounded domain; it lives as long as the process.
const Domain& bounded_domain();

}  // namespace isoshard::sim
