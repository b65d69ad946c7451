#pragma once

#include <gmpxx.h>

#include <cstdint>
#include <optional>

#include "core/value/dtype.h"
#include "sim/kernels/elementwise.h"

namespace isoshard::sim {

/// A real number that is made of constants: known exactly, or to lie between two doubles. Exact numbers of more than
/// 512 bits become intervals.
class RealNumber {
 public:
  static RealNumber exactly(const mpq_class& x);
  static RealNumber whole(int64_t x) { return exactly(mpq_class(static_cast<long>(x))); }
  /// Nothing where an end is not finite.
  static std::optional<RealNumber> between(double low, double high);

  /// Nothing where the number is known to lie between low() and high() only.
  const std::optional<mpq_class>& exact() const { return exact_; }
  double low() const { return low_; }
  double high() const { return high_; }
  bool operator<(const RealNumber& o) const;

 private:
  std::optional<mpq_class> exact_;
  double low_ = 0, high_ = 0;
};

/// The function of a number; nothing where it has no value there, or none of which enough is known (sine, cosine,
/// erf_inv, and those of core/ir/ops/special_functions.h).
std::optional<RealNumber> applied_to(UnaryOp op, const RealNumber& x);
std::optional<RealNumber> applied_to(BinaryOp op, const RealNumber& x, const RealNumber& y);

/// -1, 0 or 1 as x is less than, equal to or greater than y; nothing where their intervals overlap.
std::optional<int> order(const RealNumber& x, const RealNumber& y);

/// The whole numbers that x may be rounded to, down or, held in a float of the dtype, toward zero; nothing beyond 62
/// bits.
struct WholeRange {
  int64_t low = 0, high = 0;
};
std::optional<WholeRange> floors(const RealNumber& x);
std::optional<WholeRange> truncations(const RealNumber& x, DType from);

}  // namespace isoshard::sim
