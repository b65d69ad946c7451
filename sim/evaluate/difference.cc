// Finds the first element at which two values of one domain differ. Exact domains compare bits, after they have made
// both sides comparable where bits are not unique. Numbers with error bounds differ only where they are further apart
// than both bounds, or hold different multiples of a mask, because two devices may round one number in two ways. Cost:
// one pass, and a comparison of whole arrays first.
#include "sim/evaluate/difference.h"

#include <cmath>
#include <cstring>

#include "core/support/check.h"
#include "sim/domains/exact_ring.h"
#include "sim/domains/floats/bounded_masks.h"

namespace isoshard::sim {
namespace {

bool meet(double a, double b, double a_error, double b_error) {
  constexpr double kRaise = 1 + 0x1p-50;  // outweighs the rounding of the sum and of the difference
  const double bound = a_error + b_error;
  return !std::isfinite(bound) || !(std::abs(a - b) > bound * kRaise);
}

int64_t first_apart(const Value& a, const Value& b) {
  for (size_t i = 0; i < static_cast<size_t>(a.size()); ++i) {
    const double a_error = a.plane<double>(1)[i], b_error = b.plane<double>(1)[i];
    if (!meet(a.plane<double>(0)[i], b.plane<double>(0)[i], a_error, b_error)) return static_cast<int64_t>(i);
    const bool finite = std::isfinite(a_error) && std::isfinite(b_error);
    if (finite &&
        !MaskedBoundedDomain::same_multiple(MaskedBoundedDomain::multiple(a, i), MaskedBoundedDomain::multiple(b, i)))
      return static_cast<int64_t>(i);
  }
  return -1;
}

bool same_element(const Value& a, const Value& b, size_t i) {
  const size_t width = a.storage.element_bytes;
  for (size_t p = 0; p < a.storage.planes; ++p) {
    const size_t at = p * a.plane_bytes() + i * width;
    if (std::memcmp(a.data.get() + at, b.data.get() + at, width) != 0) return false;
  }
  return true;
}

int64_t first_apart_bits(const Value& a, const Value& b) {
  if (same_bits(a, b)) return -1;
  size_t i = 0;
  while (same_element(a, b, i)) ++i;
  return static_cast<int64_t>(i);
}

}  // namespace

int64_t first_difference(const Value& a, const Value& b, const Domain& domain) {
  ISOSHARD_CHECK(a.type == b.type && a.storage == b.storage, "only values of one type are compared");
  if (same_bits(a, b)) return -1;
  const auto* ring = dynamic_cast<const ExactRing*>(&domain);
  if (ring != nullptr && !ring->compares_bits(a.type.dtype)) {
    Value x = a, y = b;
    Value* const both[] = {&x, &y};
    ring->make_comparable(both);
    return first_apart_bits(x, y);
  }
  // Two devices may compute one number in two ways: only this domain knows how far apart they may be.
  if (is_float(a.type.dtype) && dynamic_cast<const BoundedDomain*>(&domain) != nullptr) return first_apart(a, b);
  return first_apart_bits(a, b);
}

}  // namespace isoshard::sim
