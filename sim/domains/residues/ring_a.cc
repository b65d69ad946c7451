// Arrays of the ring of rungs A and B: arithmetic modulo one prime per lane, everything else by RingElements
// (docs/spec/verdict.md, "Rings"; docs/spec/opaque.md). Elements are stored lane by lane, as 32-bit residues, so that +
// - x and matrix products are one vectorised loop per lane; opaque functions need the tuple over all lanes and go
// element by element. Inverses are made for a whole array with one inversion (P. Montgomery 1987, simultaneous
// inversion). A residue 0 inverts to a hash of its tuple and is noted; so is what has no meaning here, such as -inf,
// for the verdict must then be "could not decide". An integer that would depend on a soft predicate is noted as
// undecided. Cost: a few machine operations per element and lane for arithmetic, a SipHash of the tuple per element for
// functions and comparisons.
#include "sim/domains/residues/ring_a.h"

#include <algorithm>
#include <cmath>

#include "core/support/check.h"
#include "core/support/mix.h"
#include "core/support/rational_gmp.h"
#include "sim/domains/invert_units.h"
#include "sim/domains/residues/ring_numbers.h"
#include "sim/integers/integer_ops.h"
#include "sim/kernels/elementwise_mod31.h"
#include "sim/kernels/gemm.h"
#include "sim/kernels/gemm_turned.h"
#include "sim/value/new_value.h"
#include "sim/value/top_k.h"

namespace isoshard::sim {

RingDomain::RingDomain(size_t lanes, uint64_t seed, RingOrder order, bool opaque_reciprocals,
                       ConstantReadings constants, std::vector<Mod31> primes)
    : ring_(primes.empty() ? draw_lane_primes(lanes, seed) : std::move(primes), seed, order, opaque_reciprocals,
            std::move(constants)) {
  ISOSHARD_CHECK(moduli().size() == lanes, "a prime for each lane");
}

void RingDomain::random(int64_t n, const RandomWord& word, std::byte* out) const {
  for (size_t l = 0; l < lanes(); ++l) {
    Residue* lane = residues(out) + static_cast<int64_t>(l) * n;
    for (int64_t i = 0; i < n; ++i) {
      uint64_t w = word(l, static_cast<uint64_t>(i));
      while ((w >> 33) >= modulus(l)) w = mix(w + 1);
      lane[i] = static_cast<Residue>(w >> 33);
    }
  }
}

std::vector<PrimeField> RingDomain::residue_fields() const {
  std::vector<PrimeField> fields;
  for (const Mod31& p : moduli()) fields.emplace_back(p.modulus());
  return fields;
}

void RingDomain::read_residues(int64_t n, const std::byte* x, int64_t i, std::span<uint64_t> result) const {
  for (size_t l = 0; l < lanes(); ++l) result[l] = residues(x)[static_cast<int64_t>(l) * n + i];
}

void RingDomain::write_residues(int64_t n, int64_t i, std::span<const uint64_t> element, std::byte* out) const {
  for (size_t l = 0; l < lanes(); ++l)
    residues(out)[static_cast<int64_t>(l) * n + i] = static_cast<Residue>(element[l]);
}

bool RingDomain::is_number(int64_t n, const std::byte* x, int64_t i) const {
  return ring_.number(at(n, x, i)).has_value();
}

uint64_t RingDomain::residue(const Value& x, size_t lane, int64_t i) const {
  return x.plane<Residue>(lane)[static_cast<size_t>(i)];
}

uint32_t RingDomain::non_unit_lanes(const Value& x, int64_t i) const {
  uint32_t result = 0;
  for (size_t l = 0; l < lanes(); ++l) result |= residue(x, l, i) == 0 ? 1U << l : 0;
  return result;
}

Storage RingDomain::storage(DType) const { return {sizeof(Residue), lanes()}; }

void RingDomain::constant(const Rational& constant, DType dtype, std::byte* out) const {
  put(ring_.read(constant, dtype), 1, 0, out);
}

void RingDomain::from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const {
  each(n, out, [&](int64_t i) {
    if (!std::isfinite(x[i])) return ring_.read(Rational::from_double(x[i]), dtype);
    return ring_.in_lanes([&](const Mod31& p, size_t) { return residue_of(p, x[i]); });
  });
}

void RingDomain::poison(DType, uint64_t seed, int64_t n, std::byte* out) const {
  each(n, out, [&](int64_t i) { return ring_.padding(seed, static_cast<uint64_t>(i)); });
}

void RingDomain::from_integers(DType, int64_t n, const int64_t* x, std::byte* out) const {
  for (size_t l = 0; l < lanes(); ++l) {
    std::transform(x, x + n, residues(out) + static_cast<int64_t>(l) * n,
                   [&](int64_t value) { return residue_of(moduli()[l], value); });
  }
}

void RingDomain::to_integers(DType dtype, int64_t n, const std::byte* x, DType to, int64_t* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const std::optional<mpq_class> value = ring_.number(at(n, x, i));
    if (!value) ring_.notes().note_undecided("an integer from a float that depends on the inputs");
    out[i] = value ? integer::truncated_from(dtype, from_mpq(*value), to) : 0;
  }
}

void RingDomain::convert(DType, DType, int64_t n, const std::byte* x, std::byte* out) const {
  std::copy_n(residues(x), static_cast<int64_t>(lanes()) * n, residues(out));
}

Tensor RingDomain::to_tensor(const Value& value) const {
  Shape shape{static_cast<int64_t>(lanes())};
  shape.insert(shape.end(), value.type.shape.begin(), value.type.shape.end());
  return Tensor::from_bytes(DType::i32, std::move(shape), {value.data.get(), value.bytes()});
}

Value RingDomain::opaque_identity(const Value& x) const {
  NewValue result(x.type, x.storage);
  each(x.size(), result.data.get(), [&](int64_t i) {
    const Tuple element = at(x.size(), x.data.get(), i);
    return element == Tuple{} ? element : ring_.opaque(Opaque::identity, element);
  });
  return std::move(result).finish();
}

void RingDomain::unary(UnaryOp op, DType, int64_t n, const std::byte* x, std::byte* out) const {
  const auto planes = static_cast<int64_t>(lanes());
  if (op == UnaryOp::negate) {
    for (int64_t l = 0; l < planes; ++l) {
      negate_mod31(best_isa(), moduli()[static_cast<size_t>(l)], residues(x) + l * n, residues(out) + l * n, n);
    }
    return;
  }
  each(n, out, [&](int64_t i) { return ring_.apply(op, at(n, x, i)); });
}

/// What is divided by is often one number for all elements, or one per row.
void RingDomain::invert_opaquely(int64_t n, const Residue* x, Residue* out) const {
  Tuple last{}, inverse{};
  each(n, reinterpret_cast<std::byte*>(out), [&](int64_t i) {
    const Tuple element = at(n, reinterpret_cast<const std::byte*>(x), i);
    if (i == 0 || element != last) inverse = ring_.reciprocal(element);
    last = element;
    return inverse;
  });
}

void RingDomain::invert(int64_t n, const Residue* x, Residue* out) const {
  if (ring_.has_opaque_reciprocals()) return invert_opaquely(n, x, out);
  for (size_t lane = 0; lane < lanes(); ++lane) {
    const int64_t plane = static_cast<int64_t>(lane) * n;
    const Mod31& p = moduli()[lane];
    invert_units(p, n, x + plane, out + plane, [&](Residue unit) { return inverse(p, unit); });
    for (int64_t i = 0; i < n; ++i) {
      if (x[plane + i] != 0) continue;
      out[plane + i] = ring_.opaque(Opaque::inverse, at(n, reinterpret_cast<const std::byte*>(x), i))[lane];
      ring_.notes().note_non_unit(lane);
    }
  }
}

void RingDomain::binary(BinaryOp op, DType, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  const Residue* a = residues(x);
  const Residue* b = residues(y);
  Residue* c = residues(out);
  const auto in_planes = [&](auto* kernel, const Residue* right) {
    for (size_t l = 0; l < lanes(); ++l) {
      const int64_t lane = static_cast<int64_t>(l) * n;
      kernel(best_isa(), moduli()[l], a + lane, right + lane, c + lane, n);
    }
  };
  switch (op) {
    case BinaryOp::add:
      return in_planes(add_mod31, b);
    case BinaryOp::subtract:
      return in_planes(subtract_mod31, b);
    case BinaryOp::multiply:
      return in_planes(multiply_mod31, b);
    case BinaryOp::divide: {
      std::vector<Residue> inverses(lanes() * static_cast<size_t>(n));
      invert(n, b, inverses.data());
      return in_planes(multiply_mod31, inverses.data());
    }
    case BinaryOp::power:
    case BinaryOp::remainder:
    case BinaryOp::atan2:
      break;
  }
  each(n, out, [&](int64_t i) {
    const Tuple left = at(n, x, i), right = at(n, y, i);
    if (op == BinaryOp::atan2) return ring_.opaque(Opaque::atan2, {left, right});
    return op == BinaryOp::power ? ring_.power(left, right) : ring_.remainder(left, right);
  });
}

void RingDomain::dot(DType, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                     std::byte* out) const {
  for (int64_t l = 0; l < static_cast<int64_t>(lanes()); ++l) {
    gemm_mod31(best_isa(), moduli()[static_cast<size_t>(l)], m, n, k, residues(a) + l * m * k, k,
               residues(b) + l * k * n, n, residues(out) + l * m * n, n);
  }
}

void RingDomain::dot_in_place(DType, const DotSizes& sizes, const DotOperand& a, const DotOperand& b,
                              const DotResult& out) const {
  const auto lane_of = [](const DotOperand& x, int64_t lane) {
    return GemmOperand<Residue>{residues(x.data) + lane * x.plane, x.ld, x.turned};
  };
  for (int64_t l = 0; l < static_cast<int64_t>(lanes()); ++l) {
    gemm_mod31(best_isa(), moduli()[static_cast<size_t>(l)], sizes.m, sizes.n, sizes.k, lane_of(a, l), lane_of(b, l),
               residues(out.data) + l * out.plane, sizes.n);
  }
}

void RingDomain::sum(DType, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  for (int64_t l = 0; l < static_cast<int64_t>(lanes()); ++l) {
    reduce_sum_mod31(best_isa(), moduli()[static_cast<size_t>(l)], plan, residues(x) + l * plan.input_size(),
                     residues(out) + l * plan.output_size());
  }
}

void RingDomain::accumulate(DType, int64_t n, std::byte* acc, const std::byte* x) const {
  for (size_t l = 0; l < lanes(); ++l) {
    const int64_t lane = static_cast<int64_t>(l) * n;
    accumulate_mod31(best_isa(), moduli()[l], residues(acc) + lane, residues(x) + lane, n);
  }
}

void RingDomain::from_native(int64_t n, const uint8_t* x, std::byte* out) const {
  for (size_t l = 0; l < lanes(); ++l) std::copy_n(x, n, residues(out) + static_cast<int64_t>(l) * n);
}

void RingDomain::decide(int64_t n, const std::byte* predicate, uint8_t* out) const {
  bool soft = false;
  const Tuple no = ring_.integer(0), yes = ring_.integer(1);
  for (int64_t i = 0; i < n; ++i) {
    const Tuple p = at(n, predicate, i);
    soft |= p != no && p != yes;
    out[i] = p == yes ? 1 : 0;
  }
  if (soft) ring_.notes().note_undecided("an integer that depends on a predicate of floats");
}

void RingDomain::to_float(DType, int64_t n, const std::byte* predicate, std::byte* out) const {
  std::copy_n(residues(predicate), static_cast<int64_t>(lanes()) * n, residues(out));
}

void RingDomain::compare(Direction direction, DType, int64_t n, const std::byte* x, const std::byte* y,
                         std::byte* out) const {
  each(n, out, [&](int64_t i) { return ring_.compared(direction, at(n, x, i), at(n, y, i)); });
}

void RingDomain::finite(DType, int64_t n, const std::byte* x, std::byte* out) const {
  each(n, out, [&](int64_t i) { return ring_.opaque(Opaque::finite, at(n, x, i)); });
}

void RingDomain::logic(Logic op, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  each(n, out, [&](int64_t i) {
    const Tuple a = at(n, x, i);
    if (op == Logic::negation) return ring_.complement(a);
    const Tuple b = at(n, y, i);
    return op == Logic::conjunction ? ring_.product(a, b)
                                    : ring_.complement(ring_.product(ring_.complement(a), ring_.complement(b)));
  });
}

void RingDomain::select(DType, int64_t n, const std::byte* predicate, const std::byte* x, const std::byte* y,
                        std::byte* out) const {
  each(n, out, [&](int64_t i) { return ring_.chosen(at(n, predicate, i), at(n, x, i), at(n, y, i)); });
}

void RingDomain::sign(SignOp op, DType, int64_t n, const std::byte* x, std::byte* out) const {
  each(n, out, [&](int64_t i) { return ring_.sign(op, at(n, x, i)); });
}

void RingDomain::extreme(Extreme op, DType, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  each(n, out, [&](int64_t i) { return ring_.extreme(op, at(n, x, i), at(n, y, i)); });
}

void RingDomain::top_k(DType, int64_t rows, int64_t length, int64_t k, const std::byte* x, int32_t* indices) const {
  const bool hard = ring_.order().key != 0;
  if (!hard && length > 1 && rows > 0) ring_.notes().note_undecided("an index of argmax or top_k");
  const int64_t n = rows * length;
  top_k_rows(
      rows, length, k, [&](int64_t a, int64_t b) { return hard && ring_.less(at(n, x, b), at(n, x, a)); }, indices);
}

}  // namespace isoshard::sim
