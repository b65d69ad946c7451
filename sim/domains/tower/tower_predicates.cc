// Comparisons of arrays on rung E.
#include <algorithm>
#include <vector>

#include "sim/domains/tower/tower_domain.h"
#include "sim/value/top_k.h"

namespace isoshard::sim {

void TowerDomain::from_native(int64_t n, const uint8_t* x, std::byte* out) const {
  const Element bits[] = {ring_.integer(0), ring_.integer(1)};
  each(n, out, [&](int64_t i) { return bits[x[i] != 0]; });
}

void TowerDomain::decide(int64_t n, const std::byte* predicate, uint8_t* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const Element p = at(n, predicate, i);
    if (!ring_.is_number(p)) ring_.notes().note_undecided("an integer that depends on a predicate of floats");
    out[i] = ring_.is_number(p) && ring_.value(p) != 0 ? 1 : 0;
  }
}

void TowerDomain::to_float(DType dtype, int64_t n, const std::byte* predicate, std::byte* out) const {
  convert(DType::pred, dtype, n, predicate, out);
}

void TowerDomain::compare(Direction direction, DType, int64_t n, const std::byte* x, const std::byte* y,
                          std::byte* out) const {
  each(n, out, [&](int64_t i) { return ring_.compared(direction, at(n, x, i), at(n, y, i)); });
}

void TowerDomain::finite(DType, int64_t n, const std::byte* x, std::byte* out) const {
  each(n, out, [&](int64_t i) {
    const Element e = at(n, x, i);
    if (ring_.forms().form(e.form).kind == RingForm::Kind::minus_infinity) return ring_.integer(0);
    return ring_.opaque(Opaque::finite, ring_.plain(e, "is_finite"));
  });
}

void TowerDomain::logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  each(n, out, [&](int64_t i) {
    const Element a = at(n, x, i);
    if (op == Logic::negation) return ring_.complement(a);
    const Element b = at(n, y, i);
    if (op == Logic::conjunction) return ring_.product(a, b);
    return ring_.complement(ring_.product(ring_.complement(a), ring_.complement(b)));
  });
}

void TowerDomain::select(DType, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
                         std::byte* out) const {
  each(n, out, [&](int64_t i) { return ring_.chosen(at(n, predicate, i), at(n, x, i), at(n, y, i)); });
}

void TowerDomain::sign(SignOp op, DType, int64_t n, const std::byte* x, std::byte* out) const {
  each(n, out, [&](int64_t i) {
    const Element v = ring_.seen(at(n, x, i));
    Element sign;
    if (ring_.is_number(v)) {
      sign = ring_.integer(sgn(ring_.value(v)));
    } else {
      sign = ring_.laws().sign(ring_.plain(v, "a sign"), op == SignOp::sign && ring_.order().ties_apart);
    }
    return op == SignOp::abs ? ring_.product(sign, v) : sign;
  });
}

void TowerDomain::extreme(Extreme op, DType, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  each(n, out, [&](int64_t i) { return ring_.extreme(op, at(n, x, i), at(n, y, i)); });
}

void TowerDomain::top_k(DType, int64_t rows, int64_t length, int64_t k, const std::byte* x, int32_t* indices) const {
  const int64_t n = rows * length;
  std::vector<Element> elements;
  bool decided = ring_.order().key != 0;
  for (int64_t i = 0; i < n; ++i) elements.push_back(at(n, x, i));
  if (!decided)
    decided = std::all_of(elements.begin(), elements.end(), [&](const Element& e) { return ring_.is_number(e); });
  if (!decided && length > 1 && rows > 0) ring_.notes().note_undecided("an index of argmax or top_k");
  const auto above = [&](int64_t a, int64_t b) {
    const Element &left = elements[static_cast<size_t>(a)], &right = elements[static_cast<size_t>(b)];
    return decided && ring_.value(ring_.compared(Direction::gt, left, right)) != 0;
  };
  top_k_rows(rows, length, k, above, indices);
}

}  // namespace isoshard::sim
