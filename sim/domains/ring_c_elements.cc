// The elements of rungs C and D: exact numbers, infinities, logarithms as pairs; their sums and rational multiples.
#include <algorithm>
#include <numeric>

#include "core/support/check.h"
#include "core/support/rational_gmp.h"
#include "sim/domains/masks.h"
#include "sim/domains/ring_c_elements.h"

namespace isoshard::sim {
namespace {

const mpq_class kMask(static_cast<long>(kLeastMask));

/// Different primes, fixed by the hash.
std::vector<PrimeCube> draw_lanes(size_t lanes, const KeyedHash& keys) {
  std::vector<uint32_t> primes(cube_primes().begin(), cube_primes().end());
  std::vector<PrimeCube> result;
  for (size_t l = 0; l < lanes; ++l) {
    const size_t chosen = l + scaled(keys.with(l), static_cast<uint32_t>(primes.size() - l));
    std::swap(primes[l], primes[chosen]);
    result.emplace_back(primes[l]);
  }
  return result;
}

}  // namespace

ExpElements::ExpElements(size_t lanes, uint64_t seed, ExpRingOptions options)
    : hash_(seed, 0x6578706f6e656e74u), options_(options) {
  ISOSHARD_CHECK(lanes >= 1 && lanes <= ExpElement::kMaxLanes, "a ring has 1 to 8 lanes");
  const KeyedHash keys = hash_;
  lanes_ = draw_lanes(lanes, KeyedHash(keys.with(0), keys.with(1)));
  hash_ = KeyedHash(keys.with(2), keys.with(3));
  for (size_t l = 0; l < ExpElement::kMaxLanes; ++l) lane_keys_[l] = keys.with(4 + l);
}

std::vector<mpq_class> ExpElements::infinities() const {
  const std::lock_guard lock(mutex_);
  return {infinities_.begin(), infinities_.end()};
}

std::string ExpElements::undecided() const {
  const std::lock_guard lock(mutex_);
  return undecided_;
}

void ExpElements::note_undecided(const std::string& what) const {
  const std::lock_guard lock(mutex_);
  if (undecided_.empty()) undecided_ = what;
}

std::optional<Rational> ExpElements::unrepresentable() const {
  const std::lock_guard lock(mutex_);
  return unrepresentable_;
}

void ExpElements::note_unrepresentable(const Rational& constant) const {
  const std::lock_guard lock(mutex_);
  if (!unrepresentable_) unrepresentable_ = constant;
}

uint64_t ExpElements::padding(uint64_t seed, size_t lane, uint64_t i) const {
  KeyedHash hash = hash_;
  for (const uint64_t word : {static_cast<uint64_t>(Opaque::padding), seed, i}) hash.absorb(word);
  return hash.with(lane_keys_[lane]);
}

ExpElements::Element ExpElements::integer(int64_t x) const {
  Element result;
  for (size_t l = 0; l < lanes(); ++l) result.a[l] = lanes_[l].residue(x);
  result.form = RingForms::integer(x);
  return result;
}

ExpElements::Element ExpElements::number(const mpq_class& x) const {
  Element result;
  for (size_t l = 0; l < lanes(); ++l) {
    const std::optional<uint64_t> residue = lanes_[l].residue(x);
    if (!residue) note_unrepresentable(from_mpq(x));
    result.a[l] = residue.value_or(0);
  }
  result.form = forms_.number(x);
  return result;
}

ExpElements::Element ExpElements::infinity(const mpq_class& c) const {
  RingForm form;
  form.c = c;
  return with_form(Element{}, form);
}

ExpElements::Element ExpElements::minus_infinity() const {
  RingForm form;
  form.kind = RingForm::Kind::minus_infinity;
  return with_form(Element{}, form);
}

/// A value of this form; where u is 1 in all lanes there is no logarithm.
ExpElements::Element ExpElements::with_form(Element x, RingForm form) const {
  const auto end = x.u.begin() + static_cast<std::ptrdiff_t>(lanes());
  if (std::all_of(x.u.begin(), end, [](uint64_t u) { return u == 1; })) form.q = form.factors = 0;
  x.form = forms_.word(form);
  return x;
}

bool ExpElements::is_zero(const Element& x) const {
  if (is_number(x)) return value(x) == 0;
  const auto end = x.a.begin() + static_cast<std::ptrdiff_t>(lanes());
  return is_plain(x) && std::all_of(x.a.begin(), end, [](uint64_t a) { return a == 0; });
}

/// A number that meets data: a large one is a multiple of T, others are residues.
ExpElements::Element ExpElements::met(const Element& x, bool also_positive) const {
  if (!is_number(x)) return x;
  if (RingForms::is_integer(x.form)) {
    const int64_t i = RingForms::integer_of(x.form);
    if (i > -kLeastMask && (i < kLeastMask || !also_positive)) return Element{x.a, x.u, RingForms::kPlain};
  }
  const mpq_class c = value(x);
  if (c > -kMask && (c < kMask || !also_positive)) return Element{x.a, x.u, RingForms::kPlain};
  {
    const std::lock_guard lock(mutex_);
    infinities_.insert(c);
  }
  return infinity(c);
}

/// exp(q x) of a finite element whose own q divides this one, as a plain residue.
ExpElements::Element ExpElements::raised(const Element& x, uint64_t q) const {
  const RingForm form = forms_.form(x.form);
  const bool has_log = form.kind == RingForm::Kind::value && form.q != 0;
  const uint64_t times = has_log ? q / form.q : 0;
  const uint64_t factors = has_log ? form.factors * times : 0;
  uint64_t known = most_factors_.load();
  while (known < factors && !most_factors_.compare_exchange_weak(known, factors)) {
  }
  Element result;
  for (size_t l = 0; l < lanes(); ++l) {
    const PrimeCube& ring = lanes_[l];
    const uint64_t part = ring.exponential(ring.multiply(ring.residue(static_cast<int64_t>(q)), x.a[l]));
    result.a[l] = has_log ? ring.multiply(part, ring.power(x.u[l], times)) : part;
  }
  return result;
}

/// What is hashed and tells elements apart: the residue, or exp(q x) with c and q.
ExpElements::Element ExpElements::canonical(const Element& x) const {
  if (is_plain(x)) return x;
  RingForm form = forms_.form(x.form);
  if (form.kind == RingForm::Kind::number) return Element{x.a, x.u, RingForms::kPlain};
  if (form.kind == RingForm::Kind::minus_infinity) return x;
  Element result = form.q == 0 ? x : raised(x, form.q);
  form.factors = 0;
  result.u = Element{}.u;
  result.form = forms_.word(form);
  return result;
}

/// The same element of all that are equal to it, where one common q is known (0: there are no logarithms).
ExpElements::Element ExpElements::comparable(const Element& x, uint64_t q) const {
  RingForm form = forms_.form(x.form);
  if (q == 0 || form.kind == RingForm::Kind::minus_infinity) return canonical(x);
  if (form.q != 0 && q % form.q != 0) return canonical(x);
  Element result = raised(x, q);
  form.c = form.kind == RingForm::Kind::number ? mpq_class(0) : form.c;
  form.kind = RingForm::Kind::value;
  form.q = q;
  form.factors = 0;
  result.form = forms_.word(form);
  return result;
}

/// Neither infinite nor a logarithm: what every op but + and multiples sees.
ExpElements::Element ExpElements::plain(const Element& x, const char* user) const {
  if (is_plain(x)) return x;
  const RingForm form = forms_.form(x.form);
  if (form.kind == RingForm::Kind::number) return Element{x.a, x.u, RingForms::kPlain};
  if (form.kind == RingForm::Kind::minus_infinity || form.c != 0) {
    note_undecided(std::string("an infinity (-inf, or a constant of magnitude 1e4 or more added to data) in ") + user);
    return opaque(Opaque::not_a_number, Element{});
  }
  return opaque(Opaque::log, x);
}

/// Of an argument of a function.
RingForm ExpElements::finite_form(const Element& x) const {
  RingForm form = forms_.form(x.form);
  ISOSHARD_CHECK(form.kind == RingForm::Kind::value && form.c == 0, "a function of an infinity");
  return form;
}

/// One unit per lane such that 1 minus it is a unit too.
ExpElements::Element ExpElements::opaque(Opaque function, std::initializer_list<Element> arguments) const {
  KeyedHash hash = hash_;
  hash.absorb(static_cast<uint64_t>(function));
  for (const Element& argument : arguments) {
    const Element c = canonical(argument);
    hash.absorb(is_plain(c) ? 0 : finite_form(c).q);
    for (size_t l = 0; l < lanes(); ++l) hash.absorb(c.a[l]);
  }
  Element result;
  for (size_t l = 0; l < lanes(); ++l) {
    KeyedHash lane = hash;
    lane.absorb(lane_keys_[l]);
    for (uint64_t attempt = 0;; ++attempt) {
      result.a[l] = lanes_[l].residue(lane.with(2 * attempt), lane.with(2 * attempt + 1));
      if (result.a[l] % lanes_[l].prime() > 1) break;
    }
  }
  return result;
}

/// A function of the element that nothing else evaluates; infinities, which are no argument of a function, stay.
ExpElements::Element ExpElements::opaque_identity(const Element& x) const {
  const RingForm form = forms_.form(x.form);
  const bool finite = form.kind == RingForm::Kind::number || (form.kind == RingForm::Kind::value && form.c == 0);
  return finite ? opaque(Opaque::identity, x) : x;
}

/// What is linear where elements are residues: those, and a keyed hash of others.
ExpElements::Element ExpElements::fingerprint(const Element& x) const {
  const Element c = canonical(x);
  if (is_plain(c)) return c;
  KeyedHash hash = hash_;
  hash.absorb(static_cast<uint64_t>(Opaque::fingerprint));
  hash.absorb(c.form);
  for (size_t l = 0; l < lanes(); ++l) hash.absorb(c.a[l]);
  Element result;
  for (size_t l = 0; l < lanes(); ++l) {
    KeyedHash lane = hash;
    lane.absorb(lane_keys_[l]);
    result.a[l] = lanes_[l].residue(lane.with(0), lane.with(1));
  }
  return result;
}

ExpElements::Element ExpElements::sum(const Element& x, const Element& y) const {
  if (is_number(x) && is_number(y)) return number(value(x) + value(y));
  const Element left = met(x, true), right = met(y, true);
  Element result;
  for (size_t l = 0; l < lanes(); ++l) result.a[l] = lanes_[l].add(left.a[l], right.a[l]);
  if (is_plain(left) && is_plain(right)) return result;
  const RingForm f = forms_.form(left.form), g = forms_.form(right.form);
  const auto infinite = RingForm::Kind::minus_infinity;
  if (f.kind == infinite || g.kind == infinite) {
    if (f.c > 0 || g.c > 0) note_undecided("-inf plus a positive infinity");
    return minus_infinity();
  }
  RingForm form;
  form.c = f.c + g.c;
  if (f.q == 0 && g.q == 0) return with_form(result, form);
  const uint64_t p = std::max<uint64_t>(f.q, 1), q = std::max<uint64_t>(g.q, 1);
  form.q = std::lcm(p, q);
  form.factors = f.factors * (form.q / p) + g.factors * (form.q / q);
  if (form.q > kMaxFactors || form.factors > kMaxFactors) {
    const auto finite = [&](Element e, RingForm of) {
      of.c = 0;
      return plain(with_form(e, of), "a sum");
    };
    const Element rest = sum(finite(left, f), finite(right, g));
    return form.c == 0 ? rest : sum(rest, infinity(form.c));
  }
  for (size_t l = 0; l < lanes(); ++l) {
    const PrimeCube& ring = lanes_[l];
    result.u[l] = ring.multiply(ring.power(left.u[l], form.q / p), ring.power(right.u[l], form.q / q));
  }
  return with_form(result, form);
}

ExpElements::Element ExpElements::negated(const Element& x) const {
  if (!is_plain(x)) return times(x, mpq_class(-1));
  Element result;
  for (size_t l = 0; l < lanes(); ++l) result.a[l] = lanes_[l].negate(x.a[l]);
  return result;
}

/// A rational multiple.
ExpElements::Element ExpElements::times(const Element& x, const mpq_class& r) const {
  if (is_number(x)) return number(value(x) * r);
  RingForm form = forms_.form(x.form);
  if (form.kind == RingForm::Kind::minus_infinity) {
    if (r <= 0) note_undecided("-inf times a number that is not positive");
    return x;
  }
  if (r == 0) return integer(0);
  const Element factor = number(r);
  Element result = x;
  for (size_t l = 0; l < lanes(); ++l) result.a[l] = lanes_[l].multiply(x.a[l], factor.a[l]);
  if (is_plain(x)) return result;
  form.c *= r;
  if (form.q == 0) return with_form(result, form);
  const mpz_class exponent = abs(r.get_num()), root = r.get_den() * mpz_class(static_cast<unsigned long>(form.q));
  const mpz_class limit(static_cast<unsigned long>(kMaxFactors));
  if (root > limit || exponent * mpz_class(static_cast<unsigned long>(form.factors)) > limit) {
    RingForm finite = forms_.form(x.form);
    finite.c = 0;
    const Element rest = times(plain(with_form(x, finite), "a multiple"), r);
    return form.c == 0 ? rest : sum(rest, infinity(form.c));
  }
  form.q = root.get_ui();
  form.factors *= exponent.get_ui();
  for (size_t l = 0; l < lanes(); ++l) result.u[l] = lanes_[l].signed_power(x.u[l], r.get_num().get_si());
  return with_form(result, form);
}

/// Equal at the common q.
bool ExpElements::same(const Element& x, const Element& y) const {
  const auto agree = [&](const Element& a, const Element& b) {
    return std::equal(a.a.begin(), a.a.begin() + static_cast<std::ptrdiff_t>(lanes()), b.a.begin());
  };
  if (is_plain(x) && is_plain(y)) return agree(x, y);
  const RingForm f = forms_.form(x.form), g = forms_.form(y.form);
  const auto infinite = RingForm::Kind::minus_infinity;
  if (f.kind == infinite || g.kind == infinite) return f.kind == g.kind;
  const auto c = [](const RingForm& form) { return form.kind == RingForm::Kind::value ? form.c : mpq_class(0); };
  if (c(f) != c(g)) return false;
  if (f.q == 0 && g.q == 0) return agree(x, y);
  const uint64_t q = std::lcm(std::max<uint64_t>(f.q, 1), std::max<uint64_t>(g.q, 1));
  return q <= kMaxFactors && agree(raised(x, q), raised(y, q));
}

}  // namespace isoshard::sim
