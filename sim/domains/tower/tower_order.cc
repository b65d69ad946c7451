// Comparisons on rung E: infinities first, then the soft predicates or the keyed order of rungs A and B.
// Numbers compare as rationals, since both sides know them exactly. Of values with infinite parts the larger infinity
// decides, and equal ones are taken off first. A select whose other side is a mask, a number of magnitude 1e4 or more,
// becomes x + log(p + (1 - p) exp(c - x)), so that exp of it is exact (docs/spec/verdict.md, "Masks"); one against -inf
// adds the logarithm of the predicate. All other selects are y + p (x - y). With maxima of sets, a maximum of maxima is
// an opaque element of the set of all their operands, as on rung B (ADR 109): -inf is in no such set, and what a
// predicate makes -inf is a member like others. What no formula holds is noted as undecided. Cost: a hash and a few
// products per element, of sets a hash per member.
#include "sim/domains/tower/tower_order.h"

#include <algorithm>
#include <vector>

#include "core/support/check.h"
#include "sim/domains/masks.h"

namespace isoshard::sim {

/// Takes equal infinities off both; otherwise says which is larger by them (1: x, -1: y).
int TowerOrder::split_infinities(Element& x, Element& y, mpq_class& common) const {
  x = ring_.met(x, false);
  y = ring_.met(y, false);
  common = 0;
  if (ring_.is_plain(x) && ring_.is_plain(y)) return 0;
  const RingForm f = ring_.form(x), g = ring_.form(y);
  const bool low_x = f.kind == RingForm::Kind::minus_infinity, low_y = g.kind == RingForm::Kind::minus_infinity;
  if (low_x != low_y) return low_x ? -1 : 1;
  if (low_x) {
    x = y = ring_.integer(0);
    return 0;
  }
  if (const int order = cmp(f.c, g.c); order != 0) return order;
  common = f.c;
  x = ring_.without_infinity(x);
  y = ring_.without_infinity(y);
  return 0;
}

/// In whatever order devices do both, one of them sees the other.
void TowerOrder::note_both(std::atomic<bool>& now, const std::atomic<bool>& other) const {
  now = true;
  if (other) ring_.notes().note_undecided("a comparison with -inf beside a maximum of what predicates make -inf");
}

TowerOrder::Element TowerOrder::compared(Direction direction, const Element& x, const Element& y) const {
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
  Element a = functions_.sinusoids().seen(x), b = functions_.sinusoids().seen(y);
  if (ring_.is_number(a) && ring_.is_number(b))
    return ring_.integer(decided(cmp(ring_.value(a), ring_.value(b))) ? 1 : 0);
  mpq_class common;
  const int above = split_infinities(a, b, common);
  if (above != 0 && (is_masked(a) || is_masked(b)))
    ring_.notes().note_undecided("what a predicate makes -inf beside an infinity");
  if (above != 0) note_beside_infinity(above > 0 ? a : b);
  if (above != 0) return ring_.integer(decided(above) ? 1 : 0);
  return ring_.laws().compared(direction, a, b);
}

/// Whether x is a number that masks use: exp of it is 0 in floats.
bool TowerOrder::is_low(const Element& x) const { return ring_.is_number(x) && ring_.value(x) <= -kLeastMask; }

/// x where the predicate holds, otherwise the number c: x + log(p + (1 - p) exp(c - x)), so that exp of it is
/// p exp(x) + (1 - p) exp(c).
TowerOrder::Element TowerOrder::chosen_above(const Element& x, const Element& predicate, const mpq_class& c) const {
  const Element weight = ring_.plain(predicate, "a predicate"), above = ring_.plain(x, "a select");
  const Element rest = functions_.exponential(Element{ring_.difference(Element{ring_.number(c).a}, above)});
  return ring_.plus_log(above, ring_.sum(weight, ring_.product(ring_.difference(ring_.integer(1), weight), rest)).a);
}

/// x where the predicate holds, otherwise -inf: x + log of the predicate, so that exp of it is exp(x) times the
/// predicate.
TowerOrder::Element TowerOrder::masked(const Element& x, const Element& predicate, const Element& otherwise) const {
  const RingForm low = ring_.form(otherwise), high = ring_.form(ring_.met(x, true));
  if (high.kind != RingForm::Kind::value || high.c != 0 || low.kind != RingForm::Kind::minus_infinity) {
    ring_.notes().note_undecided("a select between a finite value and an infinity by a predicate of data");
    return x;
  }
  const Element weight = ring_.plain(predicate, "a predicate");
  KeyedHash hash = ring_.functions().begin(Opaque::fingerprint);
  ring_.functions().absorb_component(weight.a, 0, hash);
  hash.absorb(ring_.word(low));
  return ring_.sum(x, ring_.plus_log(Element{}, weight.a, hash.finish() | 1));
}

/// y + predicate (x - y); an operand unchanged where the predicate is decided.
TowerOrder::Element TowerOrder::chosen(const Element& predicate, const Element& x, const Element& y) const {
  if (ring_.is_number(predicate)) return ring_.value(predicate) == 0 ? y : x;
  if (ring_.same(x, y)) return x;
  if (is_low(y) && !is_low(x)) return chosen_above(x, predicate, ring_.value(y));
  if (is_low(x) && !is_low(y)) return chosen_above(y, ring_.complement(predicate), ring_.value(x));
  if (ring_.is_plain(x) && ring_.is_plain(y)) return ring_.sum(y, ring_.product(predicate, ring_.difference(x, y)));
  Element a = x, b = y;
  mpq_class common;
  if (const int above = split_infinities(a, b, common); above != 0) {
    return above > 0 ? masked(a, predicate, b) : masked(b, ring_.complement(predicate), a);
  }
  const Element result = ring_.sum(b, ring_.product(predicate, ring_.difference(a, b)));
  return common == 0 ? result : ring_.sum(result, ring_.infinity(common));
}

TowerOrder::Element TowerOrder::sign(SignOp op, const Element& x) const {
  const Element v = functions_.sinusoids().seen(x);
  Element sign;
  if (ring_.is_number(v)) {
    sign = ring_.integer(sgn(ring_.value(v)));
  } else {
    sign = ring_.laws().sign(ring_.plain(v, "a sign"), op == SignOp::sign && ring_.order().ties_apart);
  }
  return op == SignOp::abs ? ring_.product(sign, v) : sign;
}

/// What sets know: residues, numbers, and what a predicate makes -inf; a logarithm stays one in pairs only.
bool TowerOrder::is_of_set(const Element& x) const {
  return ring_.is_plain(x) || ring_.is_number(x) || (is_masked(x) && ring_.form(x).c == 0);
}

TowerOrder::Member TowerOrder::member(const Element& x) const {
  const Element hashed = ring_.canonical(x);
  Member result;
  std::copy_n(hashed.a.begin(), ring_.lanes(), result.residues.begin());
  result.form = hashed.form;
  result.element = ring_.is_number(x) ? hashed : x;
  return result;
}

/// The maximum of two residues is a select; of more, and of what a predicate makes -inf, a function of all of them: a
/// sum of hashes does not depend on the order.
TowerOrder::Element TowerOrder::of_set(const Maxima::Set& set) const {
  const auto plain = [&](const Member& m) { return ring_.is_plain(m.element); };
  const std::vector<Member>& members = *set;
  if (members.size() == 2 && std::all_of(members.begin(), members.end(), plain)) {
    const Element &x = members[0].element, &y = members[1].element;
    return chosen(ring_.laws().greater(x, y, false), x, y);
  }
  Element result;
  for (const Member& m : members) result = ring_.sum(result, ring_.opaque(Opaque::member, m.element));
  return ring_.opaque(Opaque::maximum_of_set, result);
}

/// The maximum of the union of the sets that x and y are maxima of.
TowerOrder::Element TowerOrder::larger_of_sets(const Element& x, const Element& y) const {
  const Maxima::Set set = Maxima::unite(maxima_.of(member(x)), maxima_.of(member(y)));
  if (set->size() == 1) return x;
  const Element result = of_set(set);
  if (!maxima_.remember(member(result), set)) ring_.notes().note_undecided("maxima of so many elements");
  return result;
}

TowerOrder::Element TowerOrder::extreme(Extreme op, const Element& x, const Element& y) const {
  const bool maximum = op == Extreme::maximum;
  if (ring_.is_number(x) && ring_.is_number(y)) return (ring_.value(x) > ring_.value(y)) == maximum ? x : y;
  Element a = x, b = y;
  if (!ring_.is_plain(x) || !ring_.is_plain(y)) {
    mpq_class common;
    const int above = split_infinities(a, b, common);
    const bool beside = (is_masked(a) && ring_.form(b).c != 0) || (is_masked(b) && ring_.form(a).c != 0);
    if (above != 0 && beside) ring_.notes().note_undecided("what a predicate makes -inf beside a mask");
    if (above != 0) return (above > 0) == maximum ? x : y;
  }
  if (is_masked(a) || is_masked(b)) {  // an opaque function of both: a shift of exponents does not need more
    if (is_masked(a) && is_masked(b)) note_low_maximum();
    if (!maximum) ring_.notes().note_undecided("the minimum of a masked value");
    if (ring_.order().max_of_sets && is_of_set(a) && is_of_set(b)) return larger_of_sets(a, b);
    const bool turned = ring_.before(b, a);
    return ring_.opaque(Opaque::maximum_of_set, {turned ? b : a, turned ? a : b});
  }
  if (ring_.order().max_of_sets && is_of_set(x) && is_of_set(y)) {
    return maximum ? larger_of_sets(x, y) : ring_.negated(larger_of_sets(ring_.negated(x), ring_.negated(y)));
  }
  const Element larger = ring_.laws().greater(a, b, false);
  return maximum ? chosen(larger, x, y) : chosen(larger, y, x);
}

}  // namespace isoshard::sim
