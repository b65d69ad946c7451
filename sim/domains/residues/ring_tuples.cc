#include "sim/domains/residues/ring_tuples.h"

#include "sim/domains/residues/ring_numbers.h"

namespace isoshard::sim {

RingTuples::Tuple RingTuples::integer(int64_t x) const {
  return in_lanes([&](const Mod31& p, size_t) { return residue_of(p, x); });
}

RingTuples::Tuple RingTuples::half() const {
  return in_lanes([](const Mod31& p, size_t) { return (p.modulus() + 1) / 2; });
}

RingTuples::Tuple RingTuples::complement(const Tuple& x) const {
  return in_lanes([&](const Mod31& p, size_t l) { return p.subtract(1, x[l]); });
}

RingTuples::Tuple RingTuples::product(const Tuple& x, const Tuple& y) const {
  return in_lanes([&](const Mod31& p, size_t l) { return p.multiply(x[l], y[l]); });
}

/// y + predicate (x - y)
RingTuples::Tuple RingTuples::chosen(const Tuple& predicate, const Tuple& x, const Tuple& y) const {
  return in_lanes(
      [&](const Mod31& p, size_t l) { return p.add(y[l], p.multiply(predicate[l], p.subtract(x[l], y[l]))); });
}

RingTuples::Tuple RingTuples::sum(const Tuple& x, const Tuple& y) const {
  return in_lanes([&](const Mod31& p, size_t l) { return p.add(x[l], y[l]); });
}

RingTuples::Tuple RingTuples::difference(const Tuple& x, const Tuple& y) const {
  return in_lanes([&](const Mod31& p, size_t l) { return p.subtract(x[l], y[l]); });
}

RingTuples::Tuple RingTuples::negated(const Tuple& x) const {
  return in_lanes([&](const Mod31& p, size_t l) { return p.negate(x[l]); });
}

}  // namespace isoshard::sim
