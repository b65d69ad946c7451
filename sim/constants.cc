#include "sim/constants.h"

#include <cmath>
#include <limits>
#include <optional>

#include "core/support/rational_gmp.h"
#include "sim/domains/narrow.h"

namespace isoshard::sim {
namespace {

struct RationalInterval {
  mpq_class low;
  mpq_class high;
};

/// The numbers that round to `nearest` >= 0 (its ends included); nothing for infinity.
template <class T>
std::optional<RationalInterval> rounding_interval(T nearest) {
  if (std::isinf(nearest)) return std::nullopt;
  const mpq_class middle(static_cast<double>(nearest));
  const T below = nearest == T(0) ? T(0) : std::nextafter(nearest, T(0));
  const T above = std::nextafter(nearest, std::numeric_limits<T>::infinity());
  const mpq_class low = (mpq_class(static_cast<double>(below)) + middle) / 2;
  if (std::isinf(above)) return RationalInterval{low, middle + (middle - low)};
  return RationalInterval{low, (middle + mpq_class(static_cast<double>(above))) / 2};
}

/// The same for bf16 and f16, whose bits count their values.
std::optional<RationalInterval> narrow_interval(float nearest, DType dtype) {
  if (std::isinf(nearest)) return std::nullopt;
  uint16_t bits = 0;
  pack(dtype, 1, &nearest, &bits);
  const uint16_t neighbours[] = {static_cast<uint16_t>(bits == 0 ? 0 : bits - 1), static_cast<uint16_t>(bits + 1)};
  float around[2];
  unpack(dtype, 2, neighbours, around);
  const mpq_class middle(static_cast<double>(nearest));
  const mpq_class low = (mpq_class(static_cast<double>(around[0])) + middle) / 2;
  if (std::isinf(around[1])) return RationalInterval{low, middle + (middle - low)};
  return RationalInterval{low, (middle + mpq_class(static_cast<double>(around[1]))) / 2};
}

std::optional<RationalInterval> interval_around(const Rational& magnitude, DType dtype) {
  if (is_narrow(dtype)) return narrow_interval(narrow(dtype, magnitude), dtype);
  return dtype == DType::f64 ? rounding_interval(magnitude.to_double()) : rounding_interval(magnitude.to_float());
}

/// The reading of the positive numbers in `interval`.
ConstantReading read_interval(const RationalInterval& interval) {
  const mpq_class simplest = simplest_in(interval.low, interval.high);
  if (simplest.get_den() > 1000) {
    const mpq_class square = simplest_in(interval.low * interval.low, interval.high * interval.high);
    if (square.get_num() * square.get_den() < 1000) return square_root(from_mpq(square));
  }
  return {from_mpq(simplest), {}};
}

}  // namespace

ConstantReading square_root(const Rational& positive) {
  const mpq_class& square = to_mpq(positive);
  unsigned long rest = mpz_class(square.get_num() * square.get_den()).get_ui();
  mpq_class factor(1, square.get_den());
  ConstantReading reading;
  for (unsigned long d = 2; rest > 1;) {
    if (d * d > rest) d = rest;  // a prime
    if (rest % (d * d) == 0) {
      rest /= d * d;
      factor *= mpq_class(d);
    } else if (rest % d == 0) {
      rest /= d;
      reading.roots.push_back(static_cast<uint32_t>(d));
    } else {
      ++d;
    }
  }
  reading.factor = from_mpq(factor);
  return reading;
}

double ConstantReading::to_double() const {
  if (roots.empty()) return factor.to_double();
  unsigned long product = 1;
  for (const uint32_t prime : roots) product *= prime;
  const mpf_class root = sqrt(mpf_class(static_cast<double>(product), 256));
  return from_mpq(mpq_class(root) * to_mpq(factor)).to_double();
}

bool ConstantReading::is_double() const {
  return roots.empty() && (!factor.finite() || Rational::from_double(to_double()) == factor);
}

ConstantReading read_constant(const Rational& constant, DType dtype) {
  if (!constant.finite() || constant.is_integer()) return {constant, {}};
  const Rational magnitude = from_mpq(abs(to_mpq(constant)));
  const std::optional<RationalInterval> interval = interval_around(magnitude, dtype);
  if (!interval) return {constant, {}};
  ConstantReading reading = read_interval(*interval);
  if (constant.negative()) reading.factor = from_mpq(-to_mpq(reading.factor));
  return reading;
}

}  // namespace isoshard::sim
