// What a constant of a program may mean (docs/adr/0032-constants-as-written.md): a rational times the root of a product
// of primes, or one over such a root. `square_root` takes squares out by trial division, which suffices as constants
// that are tried are small. Readings are kept per constant as written and dtype; what has none means what is written.
// Cost: the root of the number.
#include "sim/integers/constants.h"

#include <cmath>

#include "core/ir/scalar/narrow_dtypes.h"
#include "core/support/rational_gmp.h"

namespace isoshard::sim {
namespace {

unsigned long product_of_primes(const std::vector<uint32_t>& primes) {
  unsigned long product = 1;
  for (const uint32_t prime : primes) product *= prime;
  return product;
}

/// Not as a decimal, which may not look like one.
std::string fraction_text(const mpq_class& x) { return x.get_str(); }

}  // namespace

ConstantReading square_root(const Rational& positive) {
  const mpq_class& square = to_mpq(positive);
  if (square < 1) {
    ConstantReading reading = square_root(from_mpq(1 / square));
    reading.factor = from_mpq(1 / to_mpq(reading.factor));
    reading.divides = !reading.roots.empty();
    return reading;
  }
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
  const mpq_class root(sqrt(mpf_class(static_cast<double>(product_of_primes(roots)), 256)));
  return from_mpq(divides ? mpq_class(to_mpq(factor) / root) : mpq_class(to_mpq(factor) * root)).to_double();
}

bool ConstantReading::is_double() const {
  return roots.empty() && (!factor.finite() || Rational::from_double(to_double()) == factor);
}

std::string ConstantReading::to_string() const {
  if (roots.empty()) return factor.to_string();
  const mpq_class product(product_of_primes(roots)), square = to_mpq(factor) * to_mpq(factor);
  const Rational inside = from_mpq(divides ? mpq_class(square / product) : mpq_class(square * product));
  return std::string(factor.negative() ? "-" : "") + "sqrt(" + fraction_text(to_mpq(inside)) + ")";
}

void ConstantReadings::set(const Rational& written, DType dtype, ConstantReading reading) {
  others_.insert_or_assign(Key{written.to_string(), dtype}, std::move(reading));
}

ConstantReading ConstantReadings::of(const Rational& written, DType dtype) const {
  if (others_.empty()) return {written};
  const auto other = others_.find(Key{written.to_string(), dtype});
  return other == others_.end() ? ConstantReading{written} : other->second;
}

void ConstantReadings::set_bound(const Rational& written, DType dtype) {
  bounds_.insert(Key{written.to_string(), dtype});
}

bool ConstantReadings::is_bound(const Rational& written, DType dtype) const {
  return !bounds_.empty() && bounds_.count(Key{written.to_string(), dtype}) != 0;
}

double rounded_to(DType dtype, const Rational& x) {
  if (dtype == DType::f64) return x.to_double();
  return is_narrow(dtype) ? static_cast<double>(scalar::nearest_narrow(dtype, x)) : static_cast<double>(x.to_float());
}

}  // namespace isoshard::sim
