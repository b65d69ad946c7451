#pragma once

#include <cstddef>
#include <cstdint>

#include "core/ir/ops/select.h"
#include "core/value/dtype.h"

namespace isoshard::sim {

/// Which of two numbers to keep.
enum class Extreme : uint8_t { maximum, minimum };

/// Functions that look at the sign of a number.
enum class SignOp : uint8_t { abs, sign };

/// Logical functions of predicates; `negation` has one operand.
enum class Logic : uint8_t { conjunction, disjunction, negation };

/// The part of a Domain that compares: predicates are values of the domain (Domain::storage(DType::pred)), because in a
/// ring the answer to x < y is itself an element (docs/spec/order.md).
///
/// `dtype` is a float dtype where not said
/// otherwise. Planes and purity as in Domain.
class OrderDomain {
 public:
  virtual ~OrderDomain() = default;

  /// Predicates from the bytes 0 and 1.
  virtual void from_native(int64_t n, const uint8_t* x, std::byte* out) const = 0;
  /// The bytes 0 and 1 of predicates. Where a predicate is not known to be either, the domain remembers that.
  virtual void decide(int64_t n, const std::byte* predicate, uint8_t* out) const = 0;
  /// 0.0 and 1.0 for predicates that do not hold and that hold.
  virtual void to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const = 0;
  virtual void compare(Direction direction, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                       std::byte* out) const = 0;
  /// Whether floats are neither nan nor infinite; in a ring an opaque function of each element.
  virtual void finite(DType dtype, int64_t n, const std::byte* x, std::byte* out) const = 0;
  /// `y` is not read by `negation`. out may be an operand.
  virtual void logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const = 0;
  /// x where the predicate holds, otherwise y; of floats or predicates.
  virtual void select(DType dtype, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
                      std::byte* out) const = 0;
  virtual void sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const = 0;
  /// The larger or smaller of two numbers; out may be an operand.
  virtual void extreme(Extreme op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                       std::byte* out) const = 0;
};

}  // namespace isoshard::sim
