#pragma once

#include "sim/domains/floats/bounded.h"

namespace isoshard::sim {

/// BoundedDomain in which a number that is compared with itself is known to be itself, wherever it was copied to
/// (docs/spec/float_bounds.md, "Comparisons").
///
/// The low 32 bits of an error that is not 0 name the formula that made the number: a hash of the op and of its
/// operands with their names. Errors grow by 2^-19 of themselves at most. Elements of the same value and error are the
/// same formula of the same inputs, but with probability 2^-32, and compare as equal; a maximum that is sure is one of
/// its operands, with its name.
class NamedBoundedDomain final : public BoundedDomain {
 public:
  using BoundedDomain::BoundedDomain;

  std::string_view name() const override { return "bounded with names"; }
  void constant(const Rational& constant, DType dtype, std::byte* out) const override;
  void from_integers(DType dtype, int64_t n, const int64_t* x, std::byte* out) const override;
  void from_unsigned(DType dtype, int64_t n, const uint64_t* x, std::byte* out) const override;
  void unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
              std::byte* out) const override;
  void dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
           std::byte* out) const override;
  void sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const override;
  void accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const override;
  void compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;
  void sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const override;
  void extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
               std::byte* out) const override;
};

}  // namespace isoshard::sim
