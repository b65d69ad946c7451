#pragma once

#include "sim/domains/floats/bounded.h"

namespace isoshard::sim {

/// Rung F with the masks of rung E (docs/spec/float_bounds.md, "Masks"): an element is c·T + x with T infinite and x as
/// in BoundedDomain.
///
/// What is made of constants and discrete values only is a number; one of magnitude kLeastMask that is added to data
/// (or one of at most -kLeastMask that data is compared with) becomes a multiple of T, by the rules of TowerDomain.
/// So exp of a negative multiple is exactly 0, larger multiples win, and nothing that a mask is added to is rounded
/// away, as it were by -1e30: masks cancel. Multiples closer than 2^-40 are equal. What has no limit, or one that those
/// rungs do not know (a product of T and data, exp of a positive multiple, most functions of T), has an infinite bound.
///
/// Planes: value, error, and c (0 for data, NaN for a number). The first two are those of BoundedDomain.
class MaskedBoundedDomain final : public BoundedDomain {
 public:
  using BoundedDomain::BoundedDomain;

  std::string_view name() const override { return "bounded with masks"; }
  Storage storage(DType dtype) const override;
  void constant(const Rational& constant, DType dtype, std::byte* out) const override;
  void from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const override;
  void poison(DType dtype, uint64_t seed, int64_t n, std::byte* out) const override;
  void from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const override;
  void from_unsigned(DType dtype, int64_t n, const uint64_t* x, std::byte* out) const override;
  void to_integers(DType dtype, int64_t n, const std::byte* x, DType to, int64_t* out) const override;
  void convert(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const override;
  void unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  void dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
           std::byte* out) const override;
  void sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const override;
  void accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const override;
  void to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const override;
  void compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;
  void finite(DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  void sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;
  void top_k(DType dtype, int64_t rows, int64_t length, int64_t k, const std::byte* x, int32_t* indices) const override;

  /// The c of element i of a float value; 0 in BoundedDomain.
  static double multiple(const Value& x, size_t i);
  /// Whether these c are equal but for their rounding.
  static bool same_multiple(double a, double b);
};

}  // namespace isoshard::sim
