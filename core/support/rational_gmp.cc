#include "core/support/rational_gmp.h"

#include <utility>

#include "core/support/check.h"
#include "core/support/gmp_number.h"

namespace isoshard {

const mpq_class& to_mpq(const Rational& x) { return value_of(x.number()); }

Rational from_mpq(mpq_class value) { return Rational(gmp_number(std::move(value))); }

mpq_class simplest_in(const mpq_class& low, const mpq_class& high) {
  ISOSHARD_CHECK(low <= high, "an interval needs low <= high");
  if (low <= 0 && high >= 0) return 0;
  if (high < 0) return -simplest_in(-high, -low);
  mpz_class floor;
  mpz_fdiv_q(floor.get_mpz_t(), low.get_num_mpz_t(), low.get_den_mpz_t());
  if (low == floor) return floor;
  if (mpq_class(floor + 1) <= high) return floor + 1;
  const mpq_class rest = simplest_in(1 / (high - floor), 1 / (low - floor));
  return floor + 1 / rest;
}

}  // namespace isoshard
