// Comparisons on rung E: infinities first, then the soft predicates or the keyed order of rungs A and B.
// Numbers compare as rationals, since both sides know them exactly. Of values with infinite parts the larger infinity
// decides, and equal ones are taken off first. A select whose other side is a mask, a number of magnitude 1e4 or more,
// becomes x + log(p + (1 - p) exp(c - x)), so that exp of it is exact (docs/spec/verdict.md, "Masks"); one against -inf
// adds the logarithm of the predicate. All other selects are y + p (x - y). What no formula holds is noted as
// undecided. Cost: a hash and a few products per element.

#include "core/support/check.h"
#include "sim/domains/masks.h"
#include "sim/domains/tower/tower_elements.h"

namespace isoshard::sim {

/// Takes equal infinities off both; otherwise says which is larger by them (1: x, -1: y).
int TowerElements::split_infinities(Element& x, Element& y, mpq_class& common) const {
  x = met(x, false);
  y = met(y, false);
  common = 0;
  if (is_plain(x) && is_plain(y)) return 0;
  RingForm f = forms_.form(x.form), g = forms_.form(y.form);
  const bool low_x = f.kind == RingForm::Kind::minus_infinity, low_y = g.kind == RingForm::Kind::minus_infinity;
  if (low_x != low_y) return low_x ? -1 : 1;
  if (low_x) {
    x = y = integer(0);
    return 0;
  }
  if (const int order = cmp(f.c, g.c); order != 0) return order;
  common = f.c;
  f.c = g.c = 0;
  x = with_form(x, f, log_of(x));
  y = with_form(y, g, log_of(y));
  return 0;
}

/// The keyed order of finite elements, first lane first, by the representatives of least magnitude.
bool TowerElements::less(const Element& x, const Element& y) const {
  const Element a = plain(x, "an order"), b = plain(y, "an order");
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

TowerElements::Element TowerElements::compared(Direction direction, const Element& x, const Element& y) const {
  const auto decided = [&](int above) {
    switch (direction) {
      case Direction::eq:
        return above == 0;
      case Direction::ne:
        return above != 0;
      case Direction::lt:
        return above < 0;
      case Direction::le:
        return above <= 0;
      case Direction::gt:
        return above > 0;
      case Direction::ge:
        return above >= 0;
      case Direction::none:
        break;
    }
    internal_error("compare", "inference rejects a compare without direction", __FILE__, __LINE__);
  };
  Element a = seen(x), b = seen(y);
  if (is_number(a) && is_number(b)) return integer(decided(cmp(value(a), value(b))) ? 1 : 0);
  mpq_class common;
  if (const int above = split_infinities(a, b, common); above != 0) return integer(decided(above) ? 1 : 0);
  return laws().compared(direction, a, b);
}

/// Whether x is a number that masks use: exp of it is 0 in floats.
bool TowerElements::is_low(const Element& x) const { return is_number(x) && value(x) <= -kLeastMask; }

/// x where the predicate holds, otherwise the number c: x + log(p + (1 - p) exp(c - x)), so that exp of it is
/// p exp(x) + (1 - p) exp(c).
TowerElements::Element TowerElements::chosen_above(const Element& x, const Element& predicate,
                                                   const mpq_class& c) const {
  const Element weight = plain(predicate, "a predicate"), above = plain(x, "a select");
  const Element rest = exponential(Element{difference(Element{number(c).a}, above)});
  RingForm form;
  form.q = form.factors = 1;
  return with_form(above, form, sum(weight, product(difference(integer(1), weight), rest)).a);
}

/// x where the predicate holds, otherwise -inf: x + log of the predicate, so that exp of it is exp(x) times the
/// predicate.
TowerElements::Element TowerElements::masked(const Element& x, const Element& predicate,
                                             const Element& otherwise) const {
  const RingForm low = forms_.form(otherwise.form), high = forms_.form(met(x, true).form);
  if (high.kind != RingForm::Kind::value || high.c != 0 || low.kind != RingForm::Kind::minus_infinity) {
    notes_.note_undecided("a select between a finite value and an infinity by a predicate of data");
    return x;
  }
  const Element weight = plain(predicate, "a predicate");
  KeyedHash hash = hash_;
  hash.absorb(static_cast<uint64_t>(Opaque::fingerprint));
  for (size_t l = 0; l < lanes(); ++l) hash.absorb(weight.a[l]);
  hash.absorb(forms_.word(low));
  RingForm form;
  form.q = form.factors = 1;
  form.mask = hash.finish() | 1;
  return sum(x, with_form(Element{}, form, weight.a));
}

/// y + predicate (x - y); an operand unchanged where the predicate is decided.
TowerElements::Element TowerElements::chosen(const Element& predicate, const Element& x, const Element& y) const {
  if (is_number(predicate)) return value(predicate) == 0 ? y : x;
  if (same(x, y)) return x;
  if (is_low(y) && !is_low(x)) return chosen_above(x, predicate, value(y));
  if (is_low(x) && !is_low(y)) return chosen_above(y, complement(predicate), value(x));
  if (is_plain(x) && is_plain(y)) return sum(y, product(predicate, difference(x, y)));
  Element a = x, b = y;
  mpq_class common;
  if (const int above = split_infinities(a, b, common); above != 0) {
    return above > 0 ? masked(a, predicate, b) : masked(b, complement(predicate), a);
  }
  const Element result = sum(b, product(predicate, difference(a, b)));
  return common == 0 ? result : sum(result, infinity(common));
}

TowerElements::Element TowerElements::extreme(Extreme op, const Element& x, const Element& y) const {
  const bool maximum = op == Extreme::maximum;
  if (is_number(x) && is_number(y)) return (value(x) > value(y)) == maximum ? x : y;
  Element a = x, b = y;
  if (!is_plain(x) || !is_plain(y)) {
    mpq_class common;
    if (const int above = split_infinities(a, b, common); above != 0) return (above > 0) == maximum ? x : y;
  }
  if (is_masked(a) || is_masked(b)) {  // an opaque function of both: a shift of exponents does not need more
    if (!maximum) notes_.note_undecided("the minimum of a masked value");
    const bool turned = before(b, a);
    return opaque(Opaque::maximum_of_set, {turned ? b : a, turned ? a : b});
  }
  const Element larger = laws().greater(a, b, false);
  return maximum ? chosen(larger, x, y) : chosen(larger, y, x);
}

}  // namespace isoshard::sim
