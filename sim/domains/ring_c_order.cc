// Comparisons on rungs C and D: infinities first, then the soft predicates or the keyed order of rungs A and B.
#include <algorithm>

#include "core/support/check.h"
#include "sim/domains/ring_c.h"
#include "sim/top_k.h"

namespace isoshard::sim {

/// Takes equal infinities off both; otherwise says which is larger by them (1: x, -1: y).
int ExpRingDomain::split_infinities(Element& x, Element& y, mpq_class& common) const {
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
  x = with_form(x, f);
  y = with_form(y, g);
  return 0;
}

/// The keyed order of finite elements, first lane first.
bool ExpRingDomain::less(const Element& x, const Element& y) const {
  const Element a = plain(x, "an order"), b = plain(y, "an order");
  for (size_t l = 0; l < lanes(); ++l) {
    const PrimeCube& ring = lanes_[l];
    const int64_t left = ring.balanced(ring.multiply(order().key, a.a[l]));
    const int64_t right = ring.balanced(ring.multiply(order().key, b.a[l]));
    if (left != right) return left < right;
  }
  return false;
}

ExpRingDomain::Element ExpRingDomain::compared(Direction direction, const Element& x, const Element& y) const {
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
  if (is_number(x) && is_number(y)) return integer(decided(cmp(value(x), value(y))) ? 1 : 0);
  Element a = x, b = y;
  mpq_class common;
  if (const int above = split_infinities(a, b, common); above != 0) return integer(decided(above) ? 1 : 0);
  return laws().compared(direction, a, b);
}

/// y + predicate (x - y); an operand unchanged where the predicate is decided.
ExpRingDomain::Element ExpRingDomain::chosen(const Element& predicate, const Element& x, const Element& y) const {
  if (is_number(predicate)) return value(predicate) == 0 ? y : x;
  if (same(x, y)) return x;
  Element a = x, b = y;
  mpq_class common;
  if (split_infinities(a, b, common) != 0) {
    note_undecided("a select between a finite value and an infinity by a predicate of data");
    return b;
  }
  const Element result = sum(b, product(predicate, difference(a, b)));
  return common == 0 ? result : sum(result, infinity(common));
}

ExpRingDomain::Element ExpRingDomain::extreme(Extreme op, const Element& x, const Element& y) const {
  const bool maximum = op == Extreme::maximum;
  if (is_number(x) && is_number(y)) return (value(x) > value(y)) == maximum ? x : y;
  Element a = x, b = y;
  mpq_class common;
  if (const int above = split_infinities(a, b, common); above != 0) return (above > 0) == maximum ? x : y;
  const Element larger = laws().greater(a, b, false);
  return maximum ? chosen(larger, x, y) : chosen(larger, y, x);
}

void ExpRingDomain::from_native(int64_t n, const uint8_t* x, std::byte* out) const {
  const Element bits[] = {integer(0), integer(1)};
  each(n, out, [&](int64_t i) { return bits[x[i] != 0]; });
}

void ExpRingDomain::decide(int64_t n, const std::byte* predicate, uint8_t* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const Element p = at(n, predicate, i);
    if (!is_number(p)) note_undecided("an integer that depends on a predicate of floats");
    out[i] = is_number(p) && value(p) != 0 ? 1 : 0;
  }
}

void ExpRingDomain::to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const {
  convert(DType::pred, dtype, n, predicate, out);
}

void ExpRingDomain::compare(Direction direction, DType, int64_t n, const std::byte* x, const std::byte* y,
                            std::byte* out) const {
  each(n, out, [&](int64_t i) { return compared(direction, at(n, x, i), at(n, y, i)); });
}

void ExpRingDomain::logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  each(n, out, [&](int64_t i) {
    const Element a = at(n, x, i);
    if (op == Logic::negation) return complement(a);
    const Element b = at(n, y, i);
    if (op == Logic::conjunction) return product(a, b);
    return complement(product(complement(a), complement(b)));
  });
}

void ExpRingDomain::select(DType, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
                           std::byte* out) const {
  each(n, out, [&](int64_t i) { return chosen(at(n, predicate, i), at(n, x, i), at(n, y, i)); });
}

void ExpRingDomain::sign(SignOp op, DType, int64_t n, const std::byte* x, std::byte* out) const {
  each(n, out, [&](int64_t i) {
    const Element v = at(n, x, i);
    Element sign;
    if (is_number(v)) {
      sign = integer(sgn(value(v)));
    } else {
      sign = laws().sign(plain(v, "a sign"), op == SignOp::sign && order().ties_apart);
    }
    return op == SignOp::abs ? product(sign, v) : sign;
  });
}

void ExpRingDomain::extreme(Extreme op, DType, int64_t n, const std::byte* x, const std::byte* y,
                            std::byte* out) const {
  each(n, out, [&](int64_t i) { return extreme(op, at(n, x, i), at(n, y, i)); });
}

void ExpRingDomain::top_k(DType, int64_t rows, int64_t length, int64_t k, const std::byte* x, int32_t* indices) const {
  const int64_t n = rows * length;
  std::vector<Element> elements;
  bool decided = order().key != 0;
  for (int64_t i = 0; i < n; ++i) elements.push_back(at(n, x, i));
  if (!decided) decided = std::all_of(elements.begin(), elements.end(), [&](const Element& e) { return is_number(e); });
  if (!decided && length > 1 && rows > 0) note_undecided("an index of argmax or top_k");
  const auto above = [&](int64_t a, int64_t b) {
    const Element &left = elements[static_cast<size_t>(a)], &right = elements[static_cast<size_t>(b)];
    return decided && value(compared(Direction::gt, left, right)) != 0;
  };
  top_k_rows(rows, length, k, above, indices);
}

}  // namespace isoshard::sim
