// An element of a value as a number with an error bound, whatever its dtype, and when two of them are far apart. A
// difference counts only beyond a large multiple of both errors, and beyond the least one that is asked for; a number
// against a NaN counts where both are sure, and an infinite error never tells anything. So a counterexample is never
// one of rounding. Values that hold multiples of a mask are compared by these first.
#include "verify/compare/bounded_element.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/value/integers.h"
#include "sim/domains/floats/bounded_masks.h"

namespace isoshard::verify {
namespace {

constexpr double kTiny = 1e-290;

/// Bit 1 says that it may be the other one.
Bounded bounded_predicate(uint8_t p) {
  return {static_cast<double>(p & 1), (p & 2) != 0 ? std::numeric_limits<double>::infinity() : 0};
}

bool same_multiple(const Bounded& a, const Bounded& b) {
  return sim::MaskedBoundedDomain::same_multiple(a.multiple, b.multiple);
}

}  // namespace

Bounded bounded_element(const sim::Value& x, int64_t i) {
  const size_t at = static_cast<size_t>(i);
  switch (x.type.dtype) {
    case DType::pred:
      return bounded_predicate(x.plane<uint8_t>(0)[at]);
    case DType::i8:
    case DType::u8:
    case DType::i32:
    case DType::u32:
    case DType::i64:
    case DType::u64:
      return with_integer(x.type.dtype, [&](auto zero) {
        return Bounded{static_cast<double>(x.plane<decltype(zero)>(0)[at]), 0};
      });
    case DType::key:
      return {static_cast<double>(x.plane<uint64_t>(0)[at]), 0};
    case DType::f8e4m3:
    case DType::f8e5m2:
    case DType::bf16:
    case DType::f16:
    case DType::f32:
    case DType::f64:
      break;
  }
  return {x.plane<double>(0)[at], x.plane<double>(1)[at], sim::MaskedBoundedDomain::multiple(x, at)};
}

BoundedElements::BoundedElements(const sim::Value& x) : x_(x) {
  constexpr size_t kPlanes = 2;  // a third one holds multiples
  if (!is_float(x.type.dtype) || x.storage.planes != kPlanes) return;
  values_ = x.plane<double>(0);
  errors_ = x.plane<double>(1);
}

bool any_unknown(const sim::Value& x, bool may_be_0) {
  const BoundedElements elements(x);
  for (int64_t i = 0; i < x.size(); ++i) {
    const Bounded e = elements[i];
    const bool zero = e.value == 0 && e.multiple == 0;
    if ((zero && !may_be_0) || !std::isfinite(e.value) || !std::isfinite(e.error)) return true;
  }
  return false;
}

double shown(const Bounded& a, const Bounded& b) {
  if (a.multiple == 0 || same_multiple(a, b)) return a.value;
  return std::copysign(std::numeric_limits<double>::infinity(), a.multiple);
}

bool far(const Bounded& a, const Bounded& b, double least) {
  if (std::isnan(a.value)) return a.error == 0 && std::isfinite(b.value + b.error);
  if (std::isinf(a.value) && std::isinf(b.value)) return false;
  const double bound = a.error + b.error, difference = std::abs(a.value - b.value);
  if (!same_multiple(a, b)) return std::isfinite(bound);
  // Infinite where one of both is -inf that stands in the program; infinite results have no bound.
  return std::isfinite(bound) && difference > std::max(kManyBounds * bound, least) + kTiny;
}

}  // namespace isoshard::verify
