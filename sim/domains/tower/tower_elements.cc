// The elements of rung E: exact numbers, infinities, logarithms as pairs; their sums and products; what is seen of them
// by what compares and hashes (docs/spec/verdict.md, "Rings"). An element is what its component 0 is in all lanes. A
// logarithm is kept as u, with a rational a + (1/q) log u, and is compared and hashed by exp(q a) u at the q that both
// have, never by (a, u): two pairs may be one number. A number that is made of constants stays a rational until it
// meets data, where a large one becomes a multiple of T. Fresh results of opaque functions have random residues in
// every component, so that they can be exponentiated again.
// A sum of two numbers is a number, else residues are added. Coefficients of infinities add up, and logarithms multiply
// what they are logarithms of, raised to a common denominator of their exponents; where that or the number of factors
// would grow too large the logarithm is given up for an opaque value. -inf as written stays so whatever is added, since
// multiples of T are numbers of the program, however large. Cost: a few products per residue; a hash, or a power by
// tables, for functions.
#include "sim/domains/tower/tower_elements.h"

#include <algorithm>
#include <numeric>

#include "core/support/check.h"
#include "core/support/mix.h"
#include "core/support/rational_gmp.h"
#include "sim/domains/masks.h"

namespace isoshard::sim {
namespace {

const mpq_class kMask(static_cast<long>(kLeastMask));

Towers choose_towers(size_t lanes, uint64_t seed, const TowerOptions& options) {
  ISOSHARD_CHECK(lanes >= 1 && lanes <= TowerElements::kMaxLanes, "a ring has 1 to 8 lanes");
  if (options.towers == nullptr) {
    return draw_towers(lanes, options.height, options.by_exponentials ? PrimeSize::split : options.primes, seed);
  }
  ISOSHARD_CHECK(options.towers->size() == lanes, "a tower for each lane");
  return options.towers;
}

std::vector<PrimeField> fields_of(const std::vector<PrimeTower>& towers) {
  std::vector<PrimeField> result;
  for (size_t component = 0; component < towers[0].height(); ++component) {
    for (const PrimeTower& tower : towers) result.push_back(tower.field(component));
  }
  return result;
}

}  // namespace

TowerElements::TowerElements(size_t lanes, uint64_t seed, const TowerOptions& options)
    : towers_(choose_towers(lanes, seed, options)),
      fields_(fields_of(*towers_)),
      functions_(fields_, lanes, seed),
      order_(options.order),
      hashed_components_(options.hashed_components),
      logs_(fields_.size()) {}

TowerElements::Element TowerElements::integer(int64_t x) const {
  Element result;
  for (size_t r = 0; r < residues(); ++r) result.a[r] = fields_[r].residue(x);
  result.form = RingForms::integer(x);
  return result;
}

/// A number whose residue is 0 though it is not, or that has none, is beyond the drawn primes.
TowerElements::Element TowerElements::number(const mpq_class& x) const {
  Element result;
  for (size_t r = 0; r < residues(); ++r) {
    const std::optional<uint64_t> residue = fields_[r].residue(x);
    if (!residue || (*residue == 0 && x != 0)) notes_.note_unrepresentable(from_mpq(x));
    result.a[r] = residue.value_or(0);
  }
  result.form = forms_.number(x);
  return result;
}

TowerElements::Element TowerElements::infinity(const mpq_class& c) const {
  RingForm form;
  form.c = c;
  return without_log(Element{}, form);
}

TowerElements::Element TowerElements::minus_infinity() const {
  RingForm form;
  form.kind = RingForm::Kind::minus_infinity;
  return without_log(Element{}, form);
}

bool TowerElements::is_one(const TowerResidues& u) const {
  return std::all_of(u.begin(), u.begin() + static_cast<std::ptrdiff_t>(residues()), [](uint64_t x) { return x == 1; });
}

/// A value of this form; where u is 1 there is no logarithm.
TowerElements::Element TowerElements::with_form(Element x, RingForm form, const TowerResidues& u) const {
  if (form.q == 0 || is_one(u)) return without_log(x, form);
  x.form = RingForms::with_log(forms_.word(form), logs_.number(u));
  return x;
}

TowerElements::Element TowerElements::plus_log(const Element& x, const TowerResidues& u, uint64_t mask) const {
  RingForm form;
  form.q = form.factors = 1;
  form.mask = mask;
  return with_form(x, form, u);
}

TowerElements::Element TowerElements::without_infinity(const Element& x) const {
  RingForm form = forms_.form(x.form);
  form.c = 0;
  return with_form(x, form, log_of(x));
}

TowerElements::Element TowerElements::without_log(Element x, RingForm form) const {
  form.q = form.factors = form.mask = 0;
  x.form = forms_.word(form);
  return x;
}

/// u, 1 where there is no logarithm.
TowerResidues TowerElements::log_of(const Element& x) const {
  const uint32_t number = RingForms::log_of(x.form);
  if (number != 0) return logs_.at(number);
  TowerResidues one{};
  std::fill_n(one.begin(), residues(), uint64_t{1});
  return one;
}

TowerResidues TowerElements::raised_to(const TowerResidues& u, int64_t exponent) const {
  TowerResidues result{};
  for (size_t r = 0; r < residues(); ++r) result[r] = fields_[r].signed_power(u[r], exponent);
  return result;
}

bool TowerElements::is_zero(const Element& x) const {
  if (is_number(x)) return value(x) == 0;
  const auto end = x.a.begin() + static_cast<std::ptrdiff_t>(lanes());
  return is_plain(x) && std::all_of(x.a.begin(), end, [](uint64_t a) { return a == 0; });
}

TowerElements::Element TowerElements::met(const Element& x, bool also_positive) const {
  if (!is_number(x)) return x;
  if (RingForms::is_integer(x.form)) {
    const int64_t i = RingForms::integer_of(x.form);
    if (i > -kLeastMask && (i < kLeastMask || !also_positive)) return Element{x.a, RingForms::kPlain};
  }
  const mpq_class c = value(x);
  if (c > -kMask && (c < kMask || !also_positive)) return Element{x.a, RingForms::kPlain};
  notes_.note_infinity(c);
  return infinity(c);
}

/// The last component of an exponential has no component to be exact in: it is an opaque function there.
void TowerElements::exponentials_of(const TowerResidues& x, TowerResidues& result) const {
  const size_t last = residues() - lanes();
  for (size_t r = 0; r < last; ++r) result[r] = tower(r % lanes()).exponential(r / lanes(), x[r + lanes()]);
  KeyedHash hash = functions_.begin(Opaque::exponential);
  functions_.absorb_component(x, height() - 1, hash);
  functions_.close(hash, last, residues(), result);
}

TowerElements::Element TowerElements::raised(const Element& x, uint64_t q) const {
  const RingForm form = forms_.form(x.form);
  const bool has_log = form.kind == RingForm::Kind::value && form.q != 0;
  const uint64_t times = has_log ? q / form.q : 0;
  const uint64_t factors = has_log ? form.factors * times : 0;
  if (has_log && q % 2 == 0) notes_.note_even_root();
  notes_.note_factors(factors);
  TowerResidues argument = x.a;
  for (size_t r = 0; r < residues() && q != 1; ++r) {
    argument[r] = fields_[r].multiply(fields_[r].residue(static_cast<int64_t>(q)), x.a[r]);
  }
  Element result;
  exponentials_of(argument, result.a);
  if (!has_log) return result;
  const TowerResidues u = raised_to(log_of(x), static_cast<int64_t>(times));
  for (size_t r = 0; r < residues(); ++r) result.a[r] = fields_[r].multiply(result.a[r], u[r]);
  return result;
}

TowerElements::Element TowerElements::canonical(const Element& x) const {
  if (is_plain(x)) return x;
  RingForm form = forms_.form(x.form);
  if (form.kind == RingForm::Kind::number) return Element{x.a, RingForms::kPlain};
  if (form.kind == RingForm::Kind::minus_infinity) return x;
  Element result = form.q == 0 ? x : raised(x, form.q);
  form.factors = 0;
  result.form = forms_.word(form);
  return result;
}

TowerElements::Element TowerElements::comparable(const Element& x, uint64_t q) const {
  RingForm form = forms_.form(x.form);
  Element result;
  if (q == 0 || form.kind == RingForm::Kind::minus_infinity || (form.q != 0 && q % form.q != 0)) {
    result = canonical(x);
  } else {
    result = raised(x, q);
    form.c = form.kind == RingForm::Kind::number ? mpq_class(0) : form.c;
    form.kind = RingForm::Kind::value;
    form.q = q;
    form.factors = 0;
    result.form = forms_.word(form);
  }
  std::fill(result.a.begin() + static_cast<std::ptrdiff_t>(lanes()), result.a.end(), 0);
  return result;
}

TowerElements::Element TowerElements::plain(const Element& x, const char* user) const {
  if (is_plain(x)) return x;
  const RingForm form = forms_.form(x.form);
  if (form.kind == RingForm::Kind::number) return Element{x.a, RingForms::kPlain};
  if (form.kind == RingForm::Kind::minus_infinity || form.c != 0) {
    notes_.note_undecided(std::string("an infinity (-inf, or a constant of magnitude 1e4 or more added to data) in ") +
                          user);
    return opaque(Opaque::not_a_number, Element{});
  }
  if (form.mask != 0) notes_.note_undecided(std::string("what a predicate makes -inf in ") + user);
  return opaque(Opaque::log, x);
}

TowerElements::Element TowerElements::named(const Element& x) const {
  const bool masked = !is_plain(x) && forms_.form(x.form).mask != 0;
  return masked ? opaque(Opaque::log, x) : plain(x, "an order");
}

/// A function of component 0 over all lanes.
TowerElements::Element TowerElements::opaque(Opaque function, std::initializer_list<Element> arguments) const {
  KeyedHash hash = functions_.begin(function);
  for (const Element& argument : arguments) {
    const Element c = canonical(argument);
    const RingForm form = is_plain(c) ? RingForm{} : forms_.form(c.form);
    ISOSHARD_CHECK(form.kind == RingForm::Kind::value && form.c == 0, "a function of an infinity");
    hash.absorb(form.q);
    hash.absorb(form.mask);
    for (size_t i = 0; i < hashed_components_; ++i) functions_.absorb_component(c.a, i, hash);
  }
  Element result;
  functions_.close(hash, 0, residues(), result.a);
  return result;
}

TowerElements::Element TowerElements::opaque_identity(const Element& x) const {
  const RingForm form = forms_.form(x.form);
  const bool finite = form.kind == RingForm::Kind::number || (form.kind == RingForm::Kind::value && form.c == 0);
  return finite ? opaque(Opaque::identity, x) : x;
}

TowerElements::Element TowerElements::fingerprint(const Element& x) const {
  const Element c = canonical(x);
  if (is_plain(c)) return c;
  KeyedHash hash = functions_.begin(Opaque::fingerprint);
  hash.absorb(c.form);
  functions_.absorb_component(c.a, 0, hash);
  Element result;
  functions_.close(hash, 0, lanes(), result.a);
  return result;
}

bool TowerElements::same_residues(const Element& x, const Element& y) const {
  return std::equal(x.a.begin(), x.a.begin() + static_cast<std::ptrdiff_t>(lanes()), y.a.begin());
}

/// Equal at the common q.
bool TowerElements::same(const Element& x, const Element& y) const {
  if (is_plain(x) && is_plain(y)) return same_residues(x, y);
  const RingForm f = forms_.form(x.form), g = forms_.form(y.form);
  const auto infinite = RingForm::Kind::minus_infinity;
  if (f.kind == infinite || g.kind == infinite) return f.kind == g.kind;
  const auto c = [](const RingForm& form) { return form.kind == RingForm::Kind::value ? form.c : mpq_class(0); };
  if (c(f) != c(g) || f.mask != g.mask) return false;
  if (f.q == 0 && g.q == 0) return same_residues(x, y);
  const uint64_t q = std::lcm(std::max<uint64_t>(f.q, 1), std::max<uint64_t>(g.q, 1));
  return q <= kMaxFactors && same_residues(raised(x, q), raised(y, q));
}

bool TowerElements::before(const Element& x, const Element& y) const {
  const Element a = canonical(x), b = canonical(y);
  const auto end = static_cast<std::ptrdiff_t>(lanes());
  return std::lexicographical_compare(a.a.begin(), a.a.begin() + end, b.a.begin(), b.a.begin() + end);
}

/// First lane first, by the representatives of least magnitude.
bool TowerElements::less(const Element& x, const Element& y) const {
  const Element a = named(x), b = named(y);
  for (size_t l = 0; l < lanes(); ++l) {
    const PrimeField& field = fields_[l];
    const auto place = [&](uint64_t a_residue) {
      const auto p = static_cast<int64_t>(field.modulus());
      const auto residue = static_cast<int64_t>(field.multiply(order().key % field.modulus(), a_residue));
      return residue > p / 2 ? residue - p : residue;
    };
    const int64_t left = place(a.a[l]), right = place(b.a[l]);
    if (left != right) return left < right;
  }
  return false;
}

TowerElements::Element TowerElements::sum(const Element& x, const Element& y) const {
  if (is_number(x) && is_number(y)) return number(value(x) + value(y));
  const Element left = met(x, true), right = met(y, true);
  Element result;
  for (size_t r = 0; r < residues(); ++r) result.a[r] = fields_[r].add(left.a[r], right.a[r]);
  if (is_plain(left) && is_plain(right)) return result;
  const RingForm f = forms_.form(left.form), g = forms_.form(right.form);
  const auto infinite = RingForm::Kind::minus_infinity;
  if (f.kind == infinite || g.kind == infinite) return minus_infinity();
  RingForm form;
  form.c = f.c + g.c;
  if (f.q == 0 && g.q == 0) return without_log(result, form);
  const uint64_t p = std::max<uint64_t>(f.q, 1), q = std::max<uint64_t>(g.q, 1);
  form.q = std::lcm(p, q);
  form.factors = f.factors * (form.q / p) + g.factors * (form.q / q);
  form.mask = f.mask + g.mask;
  if (form.q > kMaxFactors || form.factors > kMaxFactors) {
    const auto finite = [&](const Element& e) { return plain(without_infinity(e), "a sum"); };
    const Element rest = sum(finite(left), finite(right));
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
    const Element rest = times(plain(without_infinity(x), "a multiple"), r);
    return form.c == 0 ? rest : sum(rest, infinity(form.c));
  }
  form.q = root.get_ui();
  form.factors *= exponent.get_ui();
  if (form.mask != 0) form.mask = mix(form.mask ^ mix(root.get_ui() ^ mix(exponent.get_ui())));
  return with_form(result, form, raised_to(log_of(x), r.get_num().get_si()));
}

TowerElements::Element TowerElements::product(const Element& x, const Element& y) const {
  const bool of_data = is_plain(x) || is_plain(y);
  if (of_data && (is_plain(x) || is_number(x)) && (is_plain(y) || is_number(y))) {
    if (is_number(x) ? value(x) == 0 : is_number(y) && value(y) == 0) return integer(0);
    Element result;  // a number has the residues of its rational
    for (size_t r = 0; r < residues(); ++r) result.a[r] = fields_[r].multiply(x.a[r], y.a[r]);
    return result;
  }
  if (is_number(x)) return times(y, value(x));
  if (is_number(y)) return times(x, value(y));
  const bool masked = forms_.form(x.form).mask != 0 || forms_.form(y.form).mask != 0;
  if (masked) notes_.note_undecided("a masked value times data");  // -inf, whose products do not cancel
  return product(plain(x, "a product"), plain(y, "a product"));
}

}  // namespace isoshard::sim
