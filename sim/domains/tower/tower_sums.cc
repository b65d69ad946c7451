// Sums and rational multiples on rung E: numbers stay numbers, infinities and logarithms add up.
// A sum of two numbers is a number, else residues are added. Coefficients of infinities add up, and logarithms multiply
// what they are logarithms of, raised to a common denominator of their exponents; where that or the number of factors
// would grow too large the logarithm is given up for an opaque value. -inf plus a positive infinity has no meaning and
// is noted as undecided. Cost: a few products per level.
#include <algorithm>
#include <numeric>

#include "core/support/mix.h"
#include "sim/domains/tower/tower_elements.h"

namespace isoshard::sim {

TowerElements::Element TowerElements::sum(const Element& x, const Element& y) const {
  if (is_number(x) && is_number(y)) return number(value(x) + value(y));
  const Element left = met(x, true), right = met(y, true);
  Element result;
  for (size_t r = 0; r < residues(); ++r) result.a[r] = fields_[r].add(left.a[r], right.a[r]);
  if (is_plain(left) && is_plain(right)) return result;
  const RingForm f = forms_.form(left.form), g = forms_.form(right.form);
  const auto infinite = RingForm::Kind::minus_infinity;
  if (f.kind == infinite || g.kind == infinite) {
    if (f.c > 0 || g.c > 0) notes_.note_undecided("-inf plus a positive infinity");
    return minus_infinity();
  }
  RingForm form;
  form.c = f.c + g.c;
  if (f.q == 0 && g.q == 0) return without_log(result, form);
  const uint64_t p = std::max<uint64_t>(f.q, 1), q = std::max<uint64_t>(g.q, 1);
  form.q = std::lcm(p, q);
  form.factors = f.factors * (form.q / p) + g.factors * (form.q / q);
  form.mask = f.mask + g.mask;
  if (form.q > kMaxFactors || form.factors > kMaxFactors) {
    const auto finite = [&](const Element& e, RingForm of) {
      of.c = 0;
      return plain(with_form(e, of, log_of(e)), "a sum");
    };
    const Element rest = sum(finite(left, f), finite(right, g));
    return form.c == 0 ? rest : sum(rest, infinity(form.c));
  }
  TowerResidues u = raised_to(log_of(left), static_cast<int64_t>(form.q / p));
  const TowerResidues v = raised_to(log_of(right), static_cast<int64_t>(form.q / q));
  for (size_t r = 0; r < residues(); ++r) u[r] = fields_[r].multiply(u[r], v[r]);
  return with_form(result, form, u);
}

TowerElements::Element TowerElements::negated(const Element& x) const {
  if (!is_plain(x)) return times(x, mpq_class(-1));
  Element result;
  for (size_t r = 0; r < residues(); ++r) result.a[r] = fields_[r].negate(x.a[r]);
  return result;
}

/// A rational multiple.
TowerElements::Element TowerElements::times(const Element& x, const mpq_class& r) const {
  if (is_number(x)) return number(value(x) * r);
  RingForm form = forms_.form(x.form);
  if (form.kind == RingForm::Kind::minus_infinity) {
    if (r <= 0) notes_.note_undecided("-inf times a number that is not positive");
    return x;
  }
  if (form.mask != 0 && r <= 0) notes_.note_undecided("a masked value times a number that is not positive");
  if (r == 0) return integer(0);
  const Element factor = number(r);
  Element result = x;
  for (size_t i = 0; i < residues(); ++i) result.a[i] = fields_[i].multiply(x.a[i], factor.a[i]);
  if (is_plain(x)) return result;
  form.c *= r;
  if (form.q == 0) return without_log(result, form);
  const mpz_class exponent = abs(r.get_num()), root = r.get_den() * mpz_class(static_cast<unsigned long>(form.q));
  const mpz_class limit(static_cast<unsigned long>(kMaxFactors));
  if (root > limit || exponent * mpz_class(static_cast<unsigned long>(form.factors)) > limit) {
    RingForm finite = forms_.form(x.form);
    finite.c = 0;
    const Element rest = times(plain(with_form(x, finite, log_of(x)), "a multiple"), r);
    return form.c == 0 ? rest : sum(rest, infinity(form.c));
  }
  form.q = root.get_ui();
  form.factors *= exponent.get_ui();
  if (form.mask != 0) form.mask = mix(form.mask ^ mix(root.get_ui() ^ mix(exponent.get_ui())));
  return with_form(result, form, raised_to(log_of(x), r.get_num().get_si()));
}

}  // namespace isoshard::sim
