// The functions of rung A: opaque, but for laws that hold of real numbers (docs/spec/opaque.md, "Laws"). An argument
// that is a small rational in all lanes is taken for that number, and gets the exact result of sqrt, floor, remainder
// or an integer power; by chance an argument looks so with probability N (Da/p)^t, which the error bound counts
// ("recognised"). Powers with an integer exponent of at most 1024 are products by repeated squaring, with 1/2 roots.
// rsqrt is 1 over the root. Cost: a SipHash over the lanes per element; a rational reconstruction per element where
// numbers are looked for.

#include "core/support/check.h"
#include "core/support/rational_gmp.h"
#include "sim/domains/residues/ring_a.h"
#include "sim/domains/residues/ring_numbers.h"
#include "sim/kernels/mod31.h"

namespace isoshard::sim {

/// 1 / x; a residue 0 inverts to an opaque element and is counted.
RingDomain::Tuple RingDomain::inverted(const Tuple& x) const {
  return in_lanes([&](const Mod31& p, size_t l) {
    if (x[l] != 0) return inverse(p, x[l]);
    notes_.note_non_unit(l);
    return opaque(Opaque::inverse, x)[l];
  });
}

/// 1 / x; where reciprocals are opaque, of numbers only.
RingDomain::Tuple RingDomain::reciprocal(const Tuple& x) const {
  if (!opaque_reciprocals_ || number(x)) return inverted(x);
  return laws().reciprocal(x);
}

/// A small rational has the root that a constant has.
RingDomain::Tuple RingDomain::sqrt(const Tuple& x) const {
  constexpr int64_t kLimit = 1 << 20;
  const std::optional<mpq_class> value = number(x);
  if (!value || *value < 0 || value->get_num() * value->get_den() >= kLimit) return opaque(Opaque::sqrt, x);
  return *value == 0 ? Tuple{} : reading(sim::square_root(from_mpq(*value)));
}

RingDomain::Tuple RingDomain::floor(const Tuple& x) const {
  const std::optional<mpq_class> value = number(x);
  if (!value) return opaque(Opaque::floor, x);
  mpz_class below;
  mpz_fdiv_q(below.get_mpz_t(), value->get_num_mpz_t(), value->get_den_mpz_t());
  return integer(below.get_si());
}

RingDomain::Tuple RingDomain::power(const Tuple& x, const Tuple& y) const {
  const std::optional<mpq_class> exponent = number(y);
  if (exponent && exponent->get_den() == 1 && abs(exponent->get_num()) <= kMaxPower) {
    const auto times = static_cast<uint32_t>(mpz_class(abs(exponent->get_num())).get_ui());
    const Tuple result = in_lanes([&](const Mod31& p, size_t l) { return sim::power(p, x[l], times); });
    return *exponent < 0 ? reciprocal(result) : result;
  }
  if (exponent && *exponent == mpq_class(1, 2)) return sqrt(x);
  if (exponent && *exponent == mpq_class(-1, 2)) return reciprocal(sqrt(x));
  return opaque(Opaque::power, {x, y});
}

/// x - y·trunc(x / y) of small rationals, whose denominators are below 10^6.
RingDomain::Tuple RingDomain::remainder(const Tuple& x, const Tuple& y) const {
  const std::optional<mpq_class> a = number(x), b = number(y);
  if (!a || !b || *b == 0) return opaque(Opaque::remainder, {x, y});
  const mpq_class ratio = *a / *b;
  mpz_class whole;
  mpz_tdiv_q(whole.get_mpz_t(), ratio.get_num_mpz_t(), ratio.get_den_mpz_t());
  return reading(ConstantReading{from_mpq(mpq_class(*a - *b * whole))});
}

RingDomain::Tuple RingDomain::apply(UnaryOp op, const Tuple& x) const {
  switch (op) {
    case UnaryOp::negate:
      return negated(x);
    case UnaryOp::exponential:
      return opaque(Opaque::exponential, x);
    case UnaryOp::log:
      return opaque(Opaque::log, x);
    case UnaryOp::logistic:
      return laws().logistic(x);
    case UnaryOp::sqrt:
      return sqrt(x);
    case UnaryOp::rsqrt:
      return reciprocal(sqrt(x));
    case UnaryOp::sine:
      return laws().sine(x);
    case UnaryOp::cosine:
      return laws().cosine(x);
    case UnaryOp::erf_inv:
      return laws().erf_inv(x);
    case UnaryOp::floor:
      return floor(x);
    case UnaryOp::tanh:
      return laws().tanh(x);
  }
  internal_error("unary", "a function without a meaning in the ring", __FILE__, __LINE__);
}

}  // namespace isoshard::sim
