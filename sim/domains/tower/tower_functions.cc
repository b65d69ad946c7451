// Constants, exp and log on pairs, and the functions of rung A on rung E. exp(a + (1/q) log u) is exp(a) u at q = 1, of
// 0 exactly 1, and 0 where a negative multiple of T stands in it; the log of a unit is the unit itself, of others an
// opaque function. Any op but +, multiples and exp that meets a pair takes an opaque function of it (`plain`). What has
// no inverse in a lane inverts to an opaque element there and is counted. All laws are true of real numbers
// (docs/spec/verdict.md, "Rings"). Cost: a few products per residue; one power by tables per component for exp.
#include "sim/domains/tower/tower_functions.h"

#include "core/support/check.h"
#include "core/support/rational_gmp.h"

namespace isoshard::sim {

TowerFunctions::TowerFunctions(const TowerElements& elements, const TowerOptions& options)
    : ring_(elements), sinusoids_(elements, options.by_exponentials), constants_(options.constants) {}

TowerFunctions::Element TowerFunctions::reading(const ConstantReading& constant) const {
  Element result = ring_.number(to_mpq(constant.factor));
  for (const uint32_t prime : constant.roots) {
    const Element atom = ring_.opaque(Opaque::root, ring_.integer(prime));
    Element root;
    for (size_t r = 0; r < ring_.residues(); ++r) root.a[r] = ring_.field(r).square_root(prime).value_or(atom.a[r]);
    result = ring_.product(result, constant.divides ? inverted(root) : root);
  }
  return result;
}

TowerFunctions::Element TowerFunctions::read(const Rational& constant, DType dtype) const {
  if (constants_.is_bound(constant, dtype)) return Element{reading(constants_.of(constant, dtype)).a};
  if (constant.finite()) return reading(constants_.of(constant, dtype));
  if (!constant.is_nan() && constant.negative()) return ring_.minus_infinity();
  ring_.notes().note_unrepresentable(constant);
  return ring_.opaque(Opaque::not_a_number, ring_.integer(constant.is_nan() ? 0 : 1));
}

TowerFunctions::Element TowerFunctions::inverted(const Element& x) const {
  if (ring_.is_number(x) && ring_.value(x) != 0) return ring_.number(1 / ring_.value(x));
  const Element b = ring_.plain(x, "a denominator");
  Element result;
  for (size_t r = 0; r < ring_.residues(); ++r) {
    const bool unit = ring_.field(r).is_unit(b.a[r]);
    if (!unit) ring_.notes().note_non_unit(r % ring_.lanes());
    result.a[r] = unit ? ring_.field(r).inverse(b.a[r]) : ring_.opaque(Opaque::inverse, b).a[r];
  }
  return result;
}

TowerFunctions::Element TowerFunctions::exponential(const Element& x) const {
  if (ring_.is_plain(x)) {
    Element result;
    ring_.exponentials_of(x.a, result.a);
    return result;
  }
  if (ring_.is_number(x) && ring_.value(x) == 0) return ring_.integer(1);
  const Element e = ring_.met(x, false);
  const RingForm form = ring_.form(e);
  if (form.kind == RingForm::Kind::minus_infinity || form.c < 0) return ring_.integer(0);
  if (form.c > 0) ring_.notes().note_undecided("the exponential of a positive infinity");
  return ring_.raised(form.q > 1 ? ring_.plain(e, "exp") : e, 1);
}

/// A unit's logarithm is kept as the unit; of others it is opaque.
TowerFunctions::Element TowerFunctions::log(const Element& argument) const {
  const Element x = seen(argument);
  if (ring_.is_number(x) && ring_.value(x) == 1) return ring_.integer(0);
  const Element u = ring_.plain(x, "log");
  if (ring_.is_zero(u)) ring_.notes().note_undecided("the logarithm of 0");
  for (size_t r = 0; r < ring_.residues(); ++r) {
    if (!ring_.field(r).is_unit(u.a[r])) return ring_.opaque(Opaque::log, u);
  }
  return ring_.plus_log(Element{}, u.a);
}

/// A small rational has the root that a constant has.
TowerFunctions::Element TowerFunctions::sqrt(const Element& argument) const {
  constexpr int64_t kLimit = 1 << 20;
  const Element x = seen(argument);
  if (ring_.is_number(x)) {
    const mpq_class square = ring_.value(x);
    if (square == 0) return x;
    if (square > 0 && square.get_num() * square.get_den() < kLimit) return reading(square_root(from_mpq(square)));
  }
  return ring_.opaque(Opaque::sqrt, ring_.plain(x, "sqrt"));
}

/// 1/(1 + exp(-x)); of an infinity its limit.
TowerFunctions::Element TowerFunctions::logistic(const Element& x) const {
  const Element e = ring_.met(x, true);
  const RingForm form = ring_.form(e);
  if (form.kind == RingForm::Kind::minus_infinity || form.c < 0) return ring_.integer(0);
  if (form.c > 0) return ring_.integer(1);
  return inverted(ring_.sum(ring_.integer(1), exponential(ring_.negated(x))));
}

/// 2 logistic(2x) - 1
TowerFunctions::Element TowerFunctions::tanh(const Element& x) const {
  const Element y = logistic(ring_.sum(x, x));
  return ring_.difference(ring_.sum(y, y), ring_.integer(1));
}

TowerFunctions::Element TowerFunctions::floor(const Element& argument) const {
  const Element x = seen(argument);
  if (!ring_.is_number(x)) return ring_.opaque(Opaque::floor, ring_.plain(x, "floor"));
  mpz_class below;
  const mpq_class number_value = ring_.value(x);
  mpz_fdiv_q(below.get_mpz_t(), number_value.get_num_mpz_t(), number_value.get_den_mpz_t());
  return ring_.number(mpq_class(below));
}

TowerFunctions::Element TowerFunctions::cbrt(const Element& argument) const {
  const Element x = seen(argument);
  const std::optional<mpq_class> root = ring_.is_number(x) ? cube_root(ring_.value(x)) : std::nullopt;
  return root ? ring_.number(*root) : ring_.laws().cbrt(ring_.plain(x, "cbrt"));
}

TowerFunctions::Element TowerFunctions::nearest(bool even, const Element& argument) const {
  const Element x = seen(argument);
  if (ring_.is_number(x)) return ring_.number(mpq_class(nearest_whole(ring_.value(x), even)));
  return ring_.laws().nearest(even, ring_.plain(x, "a rounding"));
}

/// Where masks make 0 of exponentials, what is positive as a real number may be 0 here.
void TowerFunctions::mind_zero(const Element& x, const char* user) const {
  if (!ring_.is_zero(x) || ring_.notes().infinities().empty()) return;
  ring_.notes().note_undecided(std::string("0, beside constants that count as infinite, in ") + user);
}

TowerFunctions::Element TowerFunctions::power(const Element& x, const Element& y) const {
  const bool defined = ring_.is_number(y) && ring_.value(y) >= 0;
  if (!defined) mind_zero(x, "power");
  if (ring_.is_number(y)) {
    const mpq_class exponent = ring_.value(y);
    if (exponent == 1) return x;
    if (exponent.get_den() == 1 && abs(exponent.get_num()) <= kMaxPower) {
      const auto times = static_cast<uint64_t>(mpz_class(abs(exponent.get_num())).get_ui());
      const Element base = ring_.plain(x, "power");
      Element result;
      for (size_t r = 0; r < ring_.residues(); ++r) result.a[r] = ring_.field(r).power(base.a[r], times);
      return exponent < 0 ? inverted(result) : result;
    }
    if (exponent == mpq_class(1, 2)) return sqrt(x);
    if (exponent == mpq_class(-1, 2)) return inverted(sqrt(x));
  }
  if (sinusoids_.are_exponentials() && !ring_.is_number(y)) return exponential(ring_.product(log(x), y));
  return ring_.opaque(Opaque::power, {ring_.plain(x, "power"), ring_.plain(y, "power")});
}

/// x - y·trunc(x / y) of numbers.
TowerFunctions::Element TowerFunctions::remainder(const Element& x, const Element& y) const {
  mind_zero(y, "remainder");
  if (!ring_.is_number(x) || !ring_.is_number(y) || ring_.value(y) == 0) {
    return ring_.opaque(Opaque::remainder, {ring_.plain(x, "remainder"), ring_.plain(y, "remainder")});
  }
  const mpq_class ratio = ring_.value(x) / ring_.value(y);
  mpz_class whole;
  mpz_tdiv_q(whole.get_mpz_t(), ratio.get_num_mpz_t(), ratio.get_den_mpz_t());
  return ring_.number(ring_.value(x) - ring_.value(y) * whole);
}

TowerFunctions::Element TowerFunctions::apply(UnaryOp op, const Element& x) const {
  switch (op) {
    case UnaryOp::negate:
      return ring_.negated(x);
    case UnaryOp::exponential:
      return exponential(x);
    case UnaryOp::log:
      return log(x);
    case UnaryOp::tanh:
      return tanh(x);
    case UnaryOp::logistic:
      return logistic(x);
    case UnaryOp::sqrt:
      return sqrt(x);
    case UnaryOp::rsqrt:
      mind_zero(x, "rsqrt");
      return inverted(sqrt(x));
    case UnaryOp::sine:
      return sinusoids_.sine(x);
    case UnaryOp::cosine:
      return sinusoids_.cosine(x);
    case UnaryOp::erf_inv:
      mind_zero(ring_.difference(ring_.product(x, x), ring_.integer(1)), "erf_inv");
      return ring_.laws().erf_inv(ring_.plain(x, "erf_inv"));
    case UnaryOp::floor:
      return floor(x);
    case UnaryOp::exponential_minus_one:
      return ring_.difference(exponential(x), ring_.integer(1));
    case UnaryOp::log_plus_one:
      return log(ring_.sum(x, ring_.integer(1)));
    case UnaryOp::cbrt:
      return cbrt(x);
    case UnaryOp::erf:
      return ring_.laws().erf(ring_.plain(x, "erf"));
    case UnaryOp::erfc:
      return ring_.difference(ring_.integer(1), ring_.laws().erf(ring_.plain(x, "erfc")));
    case UnaryOp::round_nearest_even:
    case UnaryOp::round_nearest_afz:
      return nearest(op == UnaryOp::round_nearest_even, x);
  }
  internal_error("unary", "a function without a meaning in the ring", __FILE__, __LINE__);
}

/// A number may meet what is one, too.
TowerFunctions::Element TowerFunctions::apply(BinaryOp op, const Element& x, const Element& y) const {
  switch (op) {
    case BinaryOp::add:
      return ring_.sum(ring_.is_number(y) ? seen(x) : x, ring_.is_number(x) ? seen(y) : y);
    case BinaryOp::subtract:
      return ring_.difference(ring_.is_number(y) ? seen(x) : x, ring_.is_number(x) ? seen(y) : y);
    case BinaryOp::multiply:
      return ring_.product(x, y);
    case BinaryOp::divide:
      return ring_.product(x, inverted(y));
    case BinaryOp::power:
      return power(x, y);
    case BinaryOp::remainder:
      return remainder(x, y);
    case BinaryOp::atan2:
      return ring_.opaque(Opaque::atan2, {ring_.plain(x, "atan2"), ring_.plain(y, "atan2")});
  }
  internal_error("binary", "a function without a meaning in the ring", __FILE__, __LINE__);
}

}  // namespace isoshard::sim
