// Products, exp and log on pairs, and the functions of rung A on rung E. exp(a + (1/q) log u) is exp(a) u at q = 1, of
// 0 exactly 1, and 0 where a negative multiple of T stands in it; the log of a unit is the unit itself, of others an
// opaque function. Products of a pair with a rational number multiply the pair; any other op that meets a pair takes an
// opaque function of it (`plain`). What has no inverse in a lane inverts to an opaque element there and is counted. All
// laws are true of real numbers (docs/spec/verdict.md, "Rings"). Cost: a few products per residue; one power by tables
// per component for exp.

#include "core/support/check.h"
#include "core/support/rational_gmp.h"
#include "sim/domains/tower/tower_elements.h"

namespace isoshard::sim {

TowerElements::Element TowerElements::reading(const ConstantReading& constant) const {
  Element result = number(to_mpq(constant.factor));
  for (const uint32_t prime : constant.roots) {
    const Element atom = opaque(Opaque::root, integer(prime));
    Element root;
    for (size_t r = 0; r < residues(); ++r) root.a[r] = fields_[r].square_root(prime).value_or(atom.a[r]);
    result = product(result, constant.divides ? inverted(root) : root);
  }
  return result;
}

TowerElements::Element TowerElements::read(const Rational& constant, DType dtype) const {
  if (constants_.is_bound(constant, dtype)) return Element{reading(constants_.of(constant, dtype)).a};
  if (constant.finite()) return reading(constants_.of(constant, dtype));
  if (!constant.is_nan() && constant.negative()) return minus_infinity();
  notes_.note_unrepresentable(constant);
  return opaque(Opaque::not_a_number, integer(constant.is_nan() ? 0 : 1));
}

TowerElements::Element TowerElements::product(const Element& x, const Element& y) const {
  if (is_plain(x) && is_plain(y)) {
    Element result;
    for (size_t r = 0; r < residues(); ++r) result.a[r] = fields_[r].multiply(x.a[r], y.a[r]);
    return result;
  }
  if (is_number(x)) return times(y, value(x));
  if (is_number(y)) return times(x, value(y));
  return product(plain(x, "a product"), plain(y, "a product"));
}

/// 1 / x; what has no inverse in a lane inverts to an opaque element there and is counted.
TowerElements::Element TowerElements::inverted(const Element& x) const {
  if (is_number(x) && value(x) != 0) return number(1 / value(x));
  const Element b = plain(x, "a denominator");
  Element result;
  for (size_t r = 0; r < residues(); ++r) {
    const bool unit = fields_[r].is_unit(b.a[r]);
    if (!unit) notes_.note_non_unit(r % lanes());
    result.a[r] = unit ? fields_[r].inverse(b.a[r]) : opaque(Opaque::inverse, b).a[r];
  }
  return result;
}

TowerElements::Element TowerElements::quotient(const Element& x, const Element& y) const {
  return product(x, inverted(y));
}

TowerElements::Element TowerElements::exponential(const Element& x) const {
  if (is_plain(x)) {
    Element result;
    exponentials_of(x.a, result.a);
    return result;
  }
  if (is_number(x) && value(x) == 0) return integer(1);
  const Element e = met(x, false);
  const RingForm form = forms_.form(e.form);
  if (form.kind == RingForm::Kind::minus_infinity || form.c < 0) return integer(0);
  if (form.c > 0) notes_.note_undecided("the exponential of a positive infinity");
  return raised(form.q > 1 ? plain(e, "exp") : e, 1);
}

/// A unit's logarithm is kept as the unit; of others it is opaque.
TowerElements::Element TowerElements::log(const Element& argument) const {
  const Element x = seen(argument);
  if (is_number(x) && value(x) == 1) return integer(0);
  const Element u = plain(x, "log");
  if (is_zero(u)) notes_.note_undecided("the logarithm of 0");
  for (size_t r = 0; r < residues(); ++r) {
    if (!fields_[r].is_unit(u.a[r])) return opaque(Opaque::log, u);
  }
  RingForm form;
  form.q = form.factors = 1;
  return with_form(Element{}, form, u.a);
}

/// A small rational has the root that a constant has.
TowerElements::Element TowerElements::sqrt(const Element& argument) const {
  constexpr int64_t kLimit = 1 << 20;
  const Element x = seen(argument);
  if (is_number(x)) {
    const mpq_class square = value(x);
    if (square == 0) return x;
    if (square > 0 && square.get_num() * square.get_den() < kLimit) return reading(square_root(from_mpq(square)));
  }
  return opaque(Opaque::sqrt, plain(x, "sqrt"));
}

/// 1/(1 + exp(-x)); of an infinity its limit.
TowerElements::Element TowerElements::logistic(const Element& x) const {
  const Element e = met(x, true);
  const RingForm form = forms_.form(e.form);
  if (form.kind == RingForm::Kind::minus_infinity || form.c < 0) return integer(0);
  if (form.c > 0) return integer(1);
  return inverted(sum(integer(1), exponential(negated(x))));
}

/// 2 logistic(2x) - 1
TowerElements::Element TowerElements::tanh(const Element& x) const {
  const Element y = logistic(sum(x, x));
  return difference(sum(y, y), integer(1));
}

TowerElements::Element TowerElements::floor(const Element& argument) const {
  const Element x = seen(argument);
  if (!is_number(x)) return opaque(Opaque::floor, plain(x, "floor"));
  mpz_class below;
  const mpq_class number_value = value(x);
  mpz_fdiv_q(below.get_mpz_t(), number_value.get_num_mpz_t(), number_value.get_den_mpz_t());
  return number(mpq_class(below));
}

TowerElements::Element TowerElements::power(const Element& x, const Element& y) const {
  if (is_number(y)) {
    const mpq_class exponent = value(y);
    if (exponent == 1) return x;
    if (exponent.get_den() == 1 && abs(exponent.get_num()) <= kMaxPower) {
      const auto times = static_cast<uint64_t>(mpz_class(abs(exponent.get_num())).get_ui());
      const Element base = plain(x, "power");
      Element result;
      for (size_t r = 0; r < residues(); ++r) result.a[r] = fields_[r].power(base.a[r], times);
      return exponent < 0 ? inverted(result) : result;
    }
    if (exponent == mpq_class(1, 2)) return sqrt(x);
    if (exponent == mpq_class(-1, 2)) return inverted(sqrt(x));
  }
  if (!i_.empty() && !is_number(y)) return exponential(product(log(x), y));
  return opaque(Opaque::power, {plain(x, "power"), plain(y, "power")});
}

/// x - y·trunc(x / y) of numbers.
TowerElements::Element TowerElements::remainder(const Element& x, const Element& y) const {
  if (!is_number(x) || !is_number(y) || value(y) == 0) {
    return opaque(Opaque::remainder, {plain(x, "remainder"), plain(y, "remainder")});
  }
  const mpq_class ratio = value(x) / value(y);
  mpz_class whole;
  mpz_tdiv_q(whole.get_mpz_t(), ratio.get_num_mpz_t(), ratio.get_den_mpz_t());
  return number(value(x) - value(y) * whole);
}

TowerElements::Element TowerElements::apply(UnaryOp op, const Element& x) const {
  switch (op) {
    case UnaryOp::negate:
      return negated(x);
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
      return inverted(sqrt(x));
    case UnaryOp::sine:
      return sine(x);
    case UnaryOp::cosine:
      return cosine(x);
    case UnaryOp::erf_inv:
      return laws().erf_inv(plain(x, "erf_inv"));
    case UnaryOp::floor:
      return floor(x);
  }
  internal_error("unary", "a function without a meaning in the ring", __FILE__, __LINE__);
}

/// A number may meet what is one, too.
TowerElements::Element TowerElements::apply(BinaryOp op, const Element& x, const Element& y) const {
  switch (op) {
    case BinaryOp::add:
      return sum(is_number(y) ? seen(x) : x, is_number(x) ? seen(y) : y);
    case BinaryOp::subtract:
      return difference(is_number(y) ? seen(x) : x, is_number(x) ? seen(y) : y);
    case BinaryOp::multiply:
      return product(x, y);
    case BinaryOp::divide:
      return quotient(x, y);
    case BinaryOp::power:
      return power(x, y);
    case BinaryOp::remainder:
      return remainder(x, y);
  }
  internal_error("binary", "a function without a meaning in the ring", __FILE__, __LINE__);
}

}  // namespace isoshard::sim
