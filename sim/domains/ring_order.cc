#include <algorithm>
#include <cstring>

#include "sim/domains/native_predicates.h"
#include "sim/domains/ring_a.h"
#include "sim/kernels/elementwise_mod31.h"
#include "sim/top_k.h"

// Comparisons in the ring: soft predicates on rung A, a keyed order of tuples on rung B. Predicates are one residue per
// lane.
namespace isoshard::sim {
namespace {

/// Writes element i of n over all lanes.
template <class Tuple>
void put_tuple(const Tuple& element, size_t lanes, int64_t n, int64_t i, std::byte* out) {
  for (size_t l = 0; l < lanes; ++l) residues(out)[static_cast<int64_t>(l) * n + i] = element[l];
}

}  // namespace

RingDomain::Tuple RingDomain::at(int64_t n, const std::byte* x, int64_t i) const {
  Tuple element{};
  for (size_t l = 0; l < lanes_; ++l) element[l] = residues(x)[static_cast<int64_t>(l) * n + i];
  return element;
}

RingDomain::Tuple RingDomain::integer(int64_t x) const {
  Tuple result{};
  for (size_t l = 0; l < lanes_; ++l) result[l] = residue_of(moduli_[l], x);
  return result;
}

RingDomain::Tuple RingDomain::half() const {
  Tuple result{};
  for (size_t l = 0; l < lanes_; ++l) result[l] = (moduli_[l].modulus() + 1) / 2;
  return result;
}

RingDomain::Tuple RingDomain::complement(const Tuple& x) const {
  Tuple result{};
  for (size_t l = 0; l < lanes_; ++l) result[l] = moduli_[l].subtract(1, x[l]);
  return result;
}

RingDomain::Tuple RingDomain::product(const Tuple& x, const Tuple& y) const {
  Tuple result{};
  for (size_t l = 0; l < lanes_; ++l) result[l] = moduli_[l].multiply(x[l], y[l]);
  return result;
}

/// y + predicate (x - y)
RingDomain::Tuple RingDomain::chosen(const Tuple& predicate, const Tuple& x, const Tuple& y) const {
  Tuple result{};
  for (size_t l = 0; l < lanes_; ++l) {
    const Mod31& p = moduli_[l];
    result[l] = p.add(y[l], p.multiply(predicate[l], p.subtract(x[l], y[l])));
  }
  return result;
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
  for (size_t l = 0; l < lanes_; ++l) {
    const Mod31& p = moduli_[l];
    const Residue key = p.reduce(order_.key);
    const int64_t a = p.balanced(p.multiply(key, x[l])), b = p.balanced(p.multiply(key, y[l]));
    if (a != b) return a < b;
  }
  return false;
}

RingDomain::Tuple RingDomain::sum(const Tuple& x, const Tuple& y) const {
  Tuple result{};
  for (size_t l = 0; l < lanes_; ++l) result[l] = moduli_[l].add(x[l], y[l]);
  return result;
}

RingDomain::Tuple RingDomain::difference(const Tuple& x, const Tuple& y) const {
  Tuple result{};
  for (size_t l = 0; l < lanes_; ++l) result[l] = moduli_[l].subtract(x[l], y[l]);
  return result;
}

void RingDomain::from_native(int64_t n, const uint8_t* x, std::byte* out) const {
  for (size_t l = 0; l < lanes_; ++l) std::copy_n(x, n, residues(out) + static_cast<int64_t>(l) * n);
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
  std::copy_n(residues(predicate), static_cast<int64_t>(lanes_) * n, residues(out));
}

void RingDomain::compare(Direction direction, DType, int64_t n, const std::byte* x, const std::byte* y,
                         std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) put_tuple(laws().compared(direction, at(n, x, i), at(n, y, i)), lanes_, n, i, out);
}

void RingDomain::logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const Tuple a = at(n, x, i);
    Tuple result = complement(a);
    if (op == Logic::conjunction) result = product(a, at(n, y, i));
    if (op == Logic::disjunction) result = complement(product(result, complement(at(n, y, i))));
    put_tuple(result, lanes_, n, i, out);
  }
}

void RingDomain::select(DType, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
                        std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) put_tuple(chosen(at(n, predicate, i), at(n, x, i), at(n, y, i)), lanes_, n, i, out);
}

void RingDomain::sign(SignOp op, DType, int64_t n, const std::byte* x, std::byte* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const Tuple value = at(n, x, i);
    const Tuple sign = laws().sign(value, op == SignOp::sign && order_.ties_apart);
    put_tuple(op == SignOp::abs ? product(sign, value) : sign, lanes_, n, i, out);
  }
}

void RingDomain::extreme(Extreme op, DType, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  const bool sets = order_.key == 0 && order_.max_of_sets;
  for (int64_t i = 0; i < n; ++i) {
    const Tuple a = at(n, x, i), b = at(n, y, i);
    if (op == Extreme::maximum) {
      put_tuple(sets ? larger_of_sets(a, b) : larger(a, b), lanes_, n, i, out);
    } else {
      put_tuple(sets ? negated(larger_of_sets(negated(a), negated(b))) : chosen(laws().greater(a, b, false), b, a),
                lanes_, n, i, out);
    }
  }
}

void RingDomain::top_k(DType, int64_t rows, int64_t length, int64_t k, const std::byte* x, int32_t* indices) const {
  const bool hard = order_.key != 0;
  if (!hard && length > 1 && rows > 0) notes_.note_undecided("an index of argmax or top_k");
  const int64_t n = rows * length;
  top_k_rows(
      rows, length, k, [&](int64_t a, int64_t b) { return hard && less(at(n, x, b), at(n, x, a)); }, indices);
}

}  // namespace isoshard::sim
