// The elements of rung E: exact numbers, infinities, logarithms as pairs; what is seen of them by what compares and
// hashes (docs/spec/verdict.md, "Rings"). An element is what its component 0 is in all lanes. A logarithm is kept as u,
// with a rational a + (1/q) log u, and is compared and hashed by exp(q a) u at the q that both have, never by (a, u):
// two pairs may be one number. A number that is made of constants stays a rational until it meets data, where a large
// one becomes a multiple of T. Fresh results of opaque functions have random residues in every component, so that they
// can be exponentiated again. Cost: a few products per residue; a hash, or a power by tables, for functions.
#include "sim/domains/tower/tower_elements.h"

#include <algorithm>
#include <numeric>

#include "core/support/check.h"
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

KeyedHash part(uint64_t seed, uint64_t which) {
  const KeyedHash keys(seed, 0x6578706f6e656e74u);
  return {keys.with(2 * which), keys.with(2 * which + 1)};
}

}  // namespace

TowerElements::TowerElements(size_t lanes, uint64_t seed, const TowerOptions& options)
    : towers_(choose_towers(lanes, seed, options)),
      fields_(fields_of(*towers_)),
      i_(options.by_exponentials ? imaginary_units(fields_) : std::vector<uint64_t>{}),
      hash_(part(seed, 0)),
      order_(options.order),
      constants_(options.constants),
      hashed_components_(options.hashed_components),
      logs_(fields_.size()) {
  const KeyedHash keys = part(seed, 1);
  for (size_t r = 0; r < residue_keys_.size(); ++r) residue_keys_[r] = keys.with(r);
}

uint64_t TowerElements::padding(uint64_t seed, size_t lane, uint64_t i) const {
  KeyedHash hash = hash_;
  for (const uint64_t word : {static_cast<uint64_t>(Opaque::padding), seed, i}) hash.absorb(word);
  return hash.with(residue_keys_[lane]);
}

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

/// A number that meets data: a large one is a multiple of T, others are residues.
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
  KeyedHash hash = hash_;
  hash.absorb(static_cast<uint64_t>(Opaque::exponential));
  absorb_component(x, height() - 1, hash);
  fresh_units(hash, last, residues(), result);
}

/// exp(q x) of a finite element whose own q divides this one, as a plain residue.
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

/// What is hashed and tells elements apart: the residue, or exp(q x) with c and q.
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

/// The same element of all that are equal to it, where one common q is known (0: there are no logarithms).
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

/// Neither infinite nor a logarithm: what every op but + and multiples sees.
TowerElements::Element TowerElements::plain(const Element& x, const char* user) const {
  if (is_plain(x)) return x;
  const RingForm form = forms_.form(x.form);
  if (form.kind == RingForm::Kind::number) return Element{x.a, RingForms::kPlain};
  if (form.kind == RingForm::Kind::minus_infinity || form.c != 0) {
    notes_.note_undecided(std::string("an infinity (-inf, or a constant of magnitude 1e4 or more added to data) in ") +
                          user);
    return opaque(Opaque::not_a_number, Element{});
  }
  return opaque(Opaque::log, x);
}

void TowerElements::absorb_component(const TowerResidues& x, size_t component, KeyedHash& hash) const {
  for (size_t l = 0; l < lanes(); ++l) hash.absorb(x[component * lanes() + l]);
}

/// Residues from `first` to before `last`: units other than 1, so that 1 minus each is a unit, too.
void TowerElements::fresh_units(KeyedHash& hash, size_t first, size_t last, TowerResidues& result) const {
  hash.close();
  for (size_t r = first; r < last; ++r) {
    do {
      const uint64_t high = hash.squeeze(residue_keys_[r]);
      result[r] = fields_[r].residue(high, fields_[r].is_small() ? 0 : hash.squeeze(residue_keys_[r]));
    } while (result[r] < 2);
  }
}

/// A function of component 0 over all lanes.
TowerElements::Element TowerElements::opaque(Opaque function, std::initializer_list<Element> arguments) const {
  KeyedHash hash = hash_;
  hash.absorb(static_cast<uint64_t>(function));
  for (const Element& argument : arguments) {
    const Element c = canonical(argument);
    const RingForm form = is_plain(c) ? RingForm{} : forms_.form(c.form);
    ISOSHARD_CHECK(form.kind == RingForm::Kind::value && form.c == 0, "a function of an infinity");
    hash.absorb(form.q);
    hash.absorb(form.mask);
    for (size_t i = 0; i < hashed_components_; ++i) absorb_component(c.a, i, hash);
  }
  Element result;
  fresh_units(hash, 0, residues(), result.a);
  return result;
}

/// A function of the element that nothing else evaluates; infinities, which are no argument of a function, stay.
TowerElements::Element TowerElements::opaque_identity(const Element& x) const {
  const RingForm form = forms_.form(x.form);
  const bool finite = form.kind == RingForm::Kind::number || (form.kind == RingForm::Kind::value && form.c == 0);
  return finite ? opaque(Opaque::identity, x) : x;
}

/// What is linear where elements are residues: those, and a keyed hash of others.
TowerElements::Element TowerElements::fingerprint(const Element& x) const {
  const Element c = canonical(x);
  if (is_plain(c)) return c;
  KeyedHash hash = hash_;
  hash.absorb(static_cast<uint64_t>(Opaque::fingerprint));
  hash.absorb(c.form);
  absorb_component(c.a, 0, hash);
  Element result;
  fresh_units(hash, 0, lanes(), result.a);
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

}  // namespace isoshard::sim
