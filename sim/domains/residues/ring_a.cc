// The ring of rungs A and B: arithmetic modulo one prime per lane, everything else by RingLaws and hashes
// (docs/spec/verdict.md, "Rings"; docs/spec/opaque.md). Elements are stored lane by lane, as 32-bit residues, so that +
// - x and matrix products are one vectorised loop per lane; opaque functions need the tuple over all lanes and go
// element by element. Inverses are made for a whole array with one inversion (P. Montgomery 1987, simultaneous
// inversion). A residue 0 inverts to a hash of its tuple and is noted; so is what has no meaning here, such as -inf,
// for the verdict must then be "could not decide". Cost: a few machine operations per element and lane for arithmetic,
// a SipHash of the tuple per element for functions.
#include "sim/domains/residues/ring_a.h"

#include <algorithm>
#include <cmath>

#include "core/support/check.h"
#include "core/support/mix.h"
#include "core/support/rational_gmp.h"
#include "sim/domains/residues/ring_numbers.h"
#include "sim/integers/integer_ops.h"
#include "sim/kernels/elementwise_mod31.h"
#include "sim/kernels/gemm.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {
namespace {

/// 1 / x for the residues that have one, else 0: one power for all of them (P. Montgomery's trick).
void invert_units(const Mod31& p, int64_t n, const Residue* x, Residue* out) {
  Residue product = 1;
  for (int64_t i = 0; i < n; ++i) {
    out[i] = product;
    if (x[i] != 0) product = p.multiply(product, x[i]);
  }
  Residue rest = inverse(p, product);
  for (int64_t i = n; i-- > 0;) {
    out[i] = x[i] == 0 ? 0 : p.multiply(out[i], rest);
    if (x[i] != 0) rest = p.multiply(rest, x[i]);
  }
}

}  // namespace

RingDomain::RingDomain(size_t lanes, uint64_t seed, RingOrder order, bool opaque_reciprocals,
                       ConstantReadings constants, std::vector<Mod31> primes)
    : RingTuples(primes.empty() ? draw_lane_primes(lanes, seed) : std::move(primes), seed),
      order_(order),
      opaque_reciprocals_(opaque_reciprocals),
      constants_(std::move(constants)) {
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

bool RingDomain::is_number(int64_t n, const std::byte* x, int64_t i) const { return number(at(n, x, i)).has_value(); }

uint64_t RingDomain::residue(const Value& x, size_t lane, int64_t i) const {
  return x.plane<Residue>(lane)[static_cast<size_t>(i)];
}

uint32_t RingDomain::non_unit_lanes(const Value& x, int64_t i) const {
  uint32_t result = 0;
  for (size_t l = 0; l < lanes(); ++l) result |= residue(x, l, i) == 0 ? 1U << l : 0;
  return result;
}

Storage RingDomain::storage(DType) const { return {sizeof(Residue), lanes()}; }

std::optional<mpq_class> RingDomain::number(const Tuple& x) const {
  return rational_of(std::span(x).first(lanes()), moduli());
}

/// Of a factor that has a residue in every lane.
RingDomain::Tuple RingDomain::reading(const ConstantReading& constant) const {
  Tuple result = in_lanes([&](const Mod31& p, size_t) { return residue_of(p, to_mpq(constant.factor)).value(); });
  for (const uint32_t prime : constant.roots) {
    const Tuple other = opaque(Opaque::root, {integer(prime)});
    const Tuple root = in_lanes([&](const Mod31& p, size_t l) { return square_root(p, prime).value_or(other[l]); });
    result = product(result, constant.divides ? inverted(root) : root);
  }
  return result;
}

RingDomain::Tuple RingDomain::read(const Rational& constant, DType dtype) const {
  if (constant.finite()) {
    const ConstantReading known = constants_.of(constant, dtype);
    const auto known_in = [&](const Mod31& p) { return residue_of(p, to_mpq(known.factor)).has_value(); };
    if (std::all_of(moduli().begin(), moduli().end(), known_in)) return reading(known);
  }
  notes_.note_unrepresentable(constant);
  return opaque(Opaque::not_a_number, {integer(constant.is_nan() ? 0 : constant.negative() ? 1 : 2)});
}

void RingDomain::constant(const Rational& constant, DType dtype, std::byte* out) const {
  put(read(constant, dtype), 1, 0, out);
}

void RingDomain::from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const {
  each(n, out, [&](int64_t i) {
    if (!std::isfinite(x[i])) return read(Rational::from_double(x[i]), dtype);
    return in_lanes([&](const Mod31& p, size_t) { return residue_of(p, x[i]); });
  });
}

void RingDomain::poison(DType, uint64_t seed, int64_t n, std::byte* out) const {
  each(n, out, [&](int64_t i) { return padding(seed, static_cast<uint64_t>(i)); });
}

void RingDomain::from_integers(DType, int64_t n, const int64_t* x, std::byte* out) const {
  for (size_t l = 0; l < lanes(); ++l) {
    std::transform(x, x + n, residues(out) + static_cast<int64_t>(l) * n,
                   [&](int64_t value) { return residue_of(moduli()[l], value); });
  }
}

void RingDomain::to_integers(DType, int64_t n, const std::byte* x, DType to, int64_t* out) const {
  for (int64_t i = 0; i < n; ++i) {
    const std::optional<mpq_class> value = number(at(n, x, i));
    if (!value) notes_.note_undecided("an integer from a float that depends on the inputs");
    out[i] = integer::truncated(value ? value->get_d() : 0.0, to);
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
    return element == Tuple{} ? element : opaque(Opaque::identity, element);
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
  each(n, out, [&](int64_t i) { return apply(op, at(n, x, i)); });
}

/// What is divided by is often one number for all elements, or one per row.
void RingDomain::invert_opaquely(int64_t n, const Residue* x, Residue* out) const {
  Tuple last{}, inverse{};
  each(n, reinterpret_cast<std::byte*>(out), [&](int64_t i) {
    const Tuple element = at(n, reinterpret_cast<const std::byte*>(x), i);
    if (i == 0 || element != last) inverse = reciprocal(element);
    last = element;
    return inverse;
  });
}

void RingDomain::invert(int64_t n, const Residue* x, Residue* out) const {
  if (opaque_reciprocals_) return invert_opaquely(n, x, out);
  for (size_t lane = 0; lane < lanes(); ++lane) {
    const int64_t plane = static_cast<int64_t>(lane) * n;
    invert_units(moduli()[lane], n, x + plane, out + plane);
    for (int64_t i = 0; i < n; ++i) {
      if (x[plane + i] != 0) continue;
      out[plane + i] = opaque(Opaque::inverse, at(n, reinterpret_cast<const std::byte*>(x), i))[lane];
      notes_.note_non_unit(lane);
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
      break;
  }
  each(n, out, [&](int64_t i) {
    const Tuple left = at(n, x, i), right = at(n, y, i);
    return op == BinaryOp::power ? power(left, right) : remainder(left, right);
  });
}

void RingDomain::dot(DType, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                     std::byte* out) const {
  for (int64_t l = 0; l < static_cast<int64_t>(lanes()); ++l) {
    gemm_mod31(best_isa(), moduli()[static_cast<size_t>(l)], m, n, k, residues(a) + l * m * k, k,
               residues(b) + l * k * n, n, residues(out) + l * m * n, n);
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

}  // namespace isoshard::sim
