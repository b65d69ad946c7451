// How the rings of rungs A and B compare (docs/spec/order.md, "Soft predicates", "Maxima of sets", "Hard order").
// Residues have no order, so a comparison is a hash of what is compared, equal for equal formulas, and select, logic
// and signs are polynomials in such predicates. A maximum is a select by such a predicate or, where maxima of sets are
// asked for, a hash of the set of its operands, which a table remembers, so that it does not depend on how they are
// grouped; with a key the elements are in a random total order, in which comparisons are decided. An integer that would
// depend on a soft predicate is noted as undecided. Cost: a hash per lane and element, for sets one per member.
#include <algorithm>

#include "sim/domains/residues/ring_a.h"
#include "sim/integers/native_predicates.h"
#include "sim/kernels/mod31.h"
#include "sim/value/top_k.h"

// Comparisons in the ring: soft predicates on rung A, a keyed order of tuples on rung B. Predicates are one residue per
// lane.
namespace isoshard::sim {
RingDomain::Tuple RingDomain::at(int64_t n, const std::byte* x, int64_t i) const {
  return in_lanes([&](const Mod31&, size_t l) { return residues(x)[static_cast<int64_t>(l) * n + i]; });
}

void RingDomain::put(const Tuple& x, int64_t n, int64_t i, std::byte* out) const {
  for (size_t l = 0; l < lanes(); ++l) residues(out)[static_cast<int64_t>(l) * n + i] = x[l];
}

RingDomain::Tuple RingDomain::larger(const Tuple& x, const Tuple& y) const {
  return chosen(laws().greater(x, y, false), x, y);
}

/// The maximum of the union of the sets that x and y are maxima of. The members are hashed one by one, and the sum of
/// these hashes again: a sum does not depend on the order.
RingDomain::Tuple RingDomain::larger_of_sets(const Tuple& x, const Tuple& y) const {
  const SetTable::Set set = SetTable::unite(maxima_.of(x), maxima_.of(y));
  const std::vector<Tuple>& members = *set;
  if (members.size() == 1) return members[0];
  Tuple result{};
  if (members.size() == 2) {
    result = larger(members[0], members[1]);
  } else {
    for (const Tuple& member : members) result = sum(result, opaque(Opaque::member, member));
    result = opaque(Opaque::maximum_of_set, result);
  }
  if (!maxima_.remember(result, set)) notes_.note_undecided("maxima of so many elements");
  return result;
}

bool RingDomain::less(const Tuple& x, const Tuple& y) const {
  for (size_t l = 0; l < lanes(); ++l) {
    const Mod31& p = moduli()[l];
    const Residue key = p.reduce(order_.key);
    const int64_t a = p.balanced(p.multiply(key, x[l])), b = p.balanced(p.multiply(key, y[l]));
    if (a != b) return a < b;
  }
  return false;
}

void RingDomain::from_native(int64_t n, const uint8_t* x, std::byte* out) const {
  for (size_t l = 0; l < lanes(); ++l) std::copy_n(x, n, residues(out) + static_cast<int64_t>(l) * n);
}

void RingDomain::decide(int64_t n, const std::byte* predicate, uint8_t* out) const {
  bool soft = false;
  const Tuple no = integer(0), yes = integer(1);
  for (int64_t i = 0; i < n; ++i) {
    const Tuple p = at(n, predicate, i);
    soft |= p != no && p != yes;
    out[i] = p == yes ? 1 : 0;
  }
  if (soft) notes_.note_undecided("an integer that depends on a predicate of floats");
}

void RingDomain::to_float(DType, int64_t n, const std::byte* predicate, std::byte* out) const {
  std::copy_n(residues(predicate), static_cast<int64_t>(lanes()) * n, residues(out));
}

void RingDomain::compare(Direction direction, DType, int64_t n, const std::byte* x, const std::byte* y,
                         std::byte* out) const {
  each(n, out, [&](int64_t i) { return laws().compared(direction, at(n, x, i), at(n, y, i)); });
}

void RingDomain::finite(DType, int64_t n, const std::byte* x, std::byte* out) const {
  each(n, out, [&](int64_t i) { return opaque(Opaque::finite, at(n, x, i)); });
}

void RingDomain::logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  each(n, out, [&](int64_t i) {
    const Tuple a = at(n, x, i);
    if (op == Logic::negation) return complement(a);
    const Tuple b = at(n, y, i);
    return op == Logic::conjunction ? product(a, b) : complement(product(complement(a), complement(b)));
  });
}

void RingDomain::select(DType, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
                        std::byte* out) const {
  each(n, out, [&](int64_t i) { return chosen(at(n, predicate, i), at(n, x, i), at(n, y, i)); });
}

void RingDomain::sign(SignOp op, DType, int64_t n, const std::byte* x, std::byte* out) const {
  each(n, out, [&](int64_t i) {
    const Tuple value = at(n, x, i);
    const Tuple sign = laws().sign(value, op == SignOp::sign && order_.ties_apart);
    return op == SignOp::abs ? product(sign, value) : sign;
  });
}

void RingDomain::extreme(Extreme op, DType, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  const bool sets = order_.key == 0 && order_.max_of_sets;
  each(n, out, [&](int64_t i) {
    const Tuple a = at(n, x, i), b = at(n, y, i);
    if (op == Extreme::maximum) return sets ? larger_of_sets(a, b) : larger(a, b);
    return sets ? negated(larger_of_sets(negated(a), negated(b))) : chosen(laws().greater(a, b, false), b, a);
  });
}

void RingDomain::top_k(DType, int64_t rows, int64_t length, int64_t k, const std::byte* x, int32_t* indices) const {
  const bool hard = order_.key != 0;
  if (!hard && length > 1 && rows > 0) notes_.note_undecided("an index of argmax or top_k");
  const int64_t n = rows * length;
  top_k_rows(
      rows, length, k, [&](int64_t a, int64_t b) { return hard && less(at(n, x, b), at(n, x, a)); }, indices);
}

}  // namespace isoshard::sim
