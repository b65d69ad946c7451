#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "core/support/rational.h"
#include "sim/integers/integer_domain.h"
#include "sim/kernels/elementwise.h"
#include "sim/kernels/reduce.h"
#include "sim/value/dot_operand.h"
#include "sim/value/value.h"

namespace isoshard::sim {

/// What float values mean: ordinary floats, elements of an exact ring, values with an error bound, ...
///
/// Implementations are pure functions on contiguous planes (plane stride = element count), thread-safe and
/// deterministic.
class Domain : public IntegerDomain {
 public:
  virtual std::string_view name() const = 0;
  /// Writes one element (all planes, adjacent) with the value of `constant`.
  virtual void constant(const Rational& constant, DType dtype, std::byte* out) const = 0;
  /// Writes n elements with the exact values of `x`; what that means for inf and nan is the domain's to say.
  virtual void from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const = 0;
  /// Writes n elements of padding, which no result may depend on, so that one that does shows it: NaN in float domains,
  /// elsewhere random elements, independent per lane and drawn from `seed` and the domain's own key.
  virtual void poison(DType dtype, uint64_t seed, int64_t n, std::byte* out) const = 0;
  /// Right where the domain does not round: by sums of what fits from_integers.
  void from_unsigned(DType dtype, int64_t n, const uint64_t* x, std::byte* out) const override;
  /// The n floats x of dtype `from` as elements of the float dtype `to`.
  virtual void convert(DType from, DType to, int64_t n, const std::byte* x, std::byte* out) const = 0;
  /// The elements of a float or pred value as numbers to look at, in the domain's own dtype and shape (see the domain).
  virtual Tensor to_tensor(const Value& value) const = 0;
  virtual void unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const = 0;
  virtual void binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                      std::byte* out) const = 0;
  /// to_float, of a factor that chooses: where it is 0 the other factor does not count.
  virtual void weigh(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const {
    to_float(dtype, n, predicate, out);
  }
  /// out[m, n] = a[m, k] . b[k, n], row-major.
  virtual void dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                   std::byte* out) const = 0;
  /// `dot` without copies of its operands; null where there is none.
  virtual const InPlaceDot* in_place_dot() const { return nullptr; }
  /// Sums over dimensions as `plan` says.
  virtual void sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const = 0;
  /// acc += x over all planes; used by reductions over a group, in member order. finish_sum must follow the last one.
  virtual void accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const = 0;
  /// out = the sum of `terms`, at least one, in their order, as accumulate adds them to a copy of the first one, which
  /// may be `out` itself. finish_sum must follow.
  virtual void add_up(DType dtype, int64_t n, std::span<const std::byte* const> terms, std::byte* out) const;
  /// Rounds sums made by accumulate to `dtype`; nothing where sums are made in the dtype itself.
  virtual void finish_sum(DType /*dtype*/, int64_t /*n*/, std::byte* /*sum*/) const {}
};

}  // namespace isoshard::sim
