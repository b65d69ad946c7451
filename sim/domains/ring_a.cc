#include "sim/domains/ring_a.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "core/support/check.h"
#include "sim/constants.h"
#include "sim/integer_ops.h"
#include "sim/kernels/elementwise_mod31.h"
#include "sim/kernels/gemm.h"
#include "sim/new_value.h"

namespace isoshard::sim {
namespace {

using Residue = uint32_t;

const Residue* residues(const std::byte* p) { return reinterpret_cast<const Residue*>(p); }
Residue* residues(std::byte* p) { return reinterpret_cast<Residue*>(p); }

Residue power(Residue base, uint32_t exponent) {
  Residue result = 1;
  for (; exponent != 0; exponent >>= 1, base = multiply_mod31(base, base)) {
    if (exponent & 1) result = multiply_mod31(result, base);
  }
  return result;
}

Residue inverse(Residue unit) { return power(unit, kMod31 - 2); }

/// The fixed square root of a prime where it has one: 2^31 - 1 is 3 modulo 4.
std::optional<Residue> square_root(Residue prime) {
  const Residue root = power(prime, (kMod31 + 1) / 4);
  if (multiply_mod31(root, root) != prime) return std::nullopt;
  return root;
}

std::optional<Residue> residue_of(const mpq_class& x) {
  const auto denominator = static_cast<Residue>(mpz_fdiv_ui(x.get_den_mpz_t(), kMod31));
  if (denominator == 0) return std::nullopt;
  const auto numerator = static_cast<Residue>(mpz_fdiv_ui(x.get_num_mpz_t(), kMod31));
  return multiply_mod31(numerator, inverse(denominator));
}

/// The residue of a finite double m · 2^e, with 2^31 = 1.
Residue residue_of(double x) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(x), &exponent);
  const auto mantissa = static_cast<uint64_t>(std::ldexp(fraction, 53));
  const int shift = ((exponent - 53) % 31 + 31) % 31;
  const Residue magnitude = multiply_mod31(reduce_mod31(mantissa), Residue{1} << shift);
  return x < 0 ? subtract_mod31(0, magnitude) : magnitude;
}

/// 1 / x for the residues that have one, else 0: one power for all of them (P. Montgomery's trick).
void invert_units(int64_t n, const Residue* x, Residue* out) {
  Residue product = 1;
  for (int64_t i = 0; i < n; ++i) {
    out[i] = product;
    if (x[i] != 0) product = multiply_mod31(product, x[i]);
  }
  Residue rest = inverse(product);
  for (int64_t i = n; i-- > 0;) {
    out[i] = x[i] == 0 ? 0 : multiply_mod31(out[i], rest);
    if (x[i] != 0) rest = multiply_mod31(rest, x[i]);
  }
}

}  // namespace

std::optional<int64_t> integer_of(std::span<const uint32_t> lanes) {
  constexpr int64_t kLimit = 1 << 24;
  if (std::any_of(lanes.begin(), lanes.end(), [&](uint32_t x) { return x != lanes[0]; })) return std::nullopt;
  const int64_t balanced = lanes[0] > kMod31 / 2 ? int64_t{lanes[0]} - int64_t{kMod31} : int64_t{lanes[0]};
  return std::abs(balanced) < kLimit ? std::optional<int64_t>(balanced) : std::nullopt;
}

RingDomain::RingDomain(size_t lanes, uint64_t seed, RingOrder order)
    : lanes_(lanes), hash_(seed, 0x697365656e746f6eu), order_(order) {
  ISOSHARD_CHECK(lanes >= 1 && lanes <= kMaxLanes, "a ring has 1 to 8 lanes");
  const KeyedHash keys = hash_;
  hash_ = KeyedHash(keys.with(0), keys.with(1));
  for (size_t l = 0; l < kMaxLanes; ++l) lane_keys_[l] = keys.with(2 + l);
}

std::optional<Rational> RingDomain::unrepresentable() const {
  const std::lock_guard lock(mutex_);
  return unrepresentable_;
}

void RingDomain::note_unrepresentable(const Rational& constant) const {
  const std::lock_guard lock(mutex_);
  if (!unrepresentable_) unrepresentable_ = constant;
}

Storage RingDomain::storage(DType) const { return {sizeof(Residue), lanes_}; }

/// One unit other than 1 per lane, so that 1 minus it is a unit too.
RingDomain::Tuple RingDomain::opaque(Opaque function, const Tuple& argument) const {
  KeyedHash hash = hash_;
  hash.absorb(static_cast<uint64_t>(function));
  for (size_t l = 0; l < lanes_; l += 2) {
    const uint64_t high = l + 1 < lanes_ ? argument[l + 1] : 0;
    hash.absorb(high << 32 | argument[l]);
  }
  Tuple result{};
  for (size_t l = 0; l < lanes_; ++l) result[l] = 2 + scaled(hash.with(lane_keys_[l]), kMod31 - 2);
  return result;
}

/// The smaller of x and -x is hashed, the other is 1 minus it.
RingDomain::Tuple RingDomain::logistic(const Tuple& argument) const {
  Tuple opposite{};
  for (size_t l = 0; l < lanes_; ++l) opposite[l] = subtract_mod31(0, argument[l]);
  Tuple result{};
  if (argument == opposite) {
    std::fill_n(result.begin(), lanes_, (kMod31 + 1) / 2);
    return result;
  }
  if (argument < opposite) return opaque(Opaque::logistic, argument);
  result = opaque(Opaque::logistic, opposite);
  for (size_t l = 0; l < lanes_; ++l) result[l] = subtract_mod31(1, result[l]);
  return result;
}

RingDomain::Tuple RingDomain::apply(UnaryOp op, Tuple x) const {
  if (op == UnaryOp::exponential) return opaque(Opaque::exponential, x);
  if (op == UnaryOp::log) return opaque(Opaque::log, x);
  if (op == UnaryOp::logistic) return logistic(x);
  ISOSHARD_CHECK(op == UnaryOp::tanh, "a function without a meaning in the ring");
  for (size_t l = 0; l < lanes_; ++l) x[l] = add_mod31(x[l], x[l]);
  Tuple result = logistic(x);
  for (size_t l = 0; l < lanes_; ++l) result[l] = subtract_mod31(add_mod31(result[l], result[l]), 1);
  return result;
}

RingDomain::Tuple RingDomain::read(const Rational& constant, DType dtype) const {
  const ConstantReading reading = read_constant(constant, dtype);
  const std::optional<Residue> factor = constant.finite() ? residue_of(reading.factor.value()) : std::nullopt;
  Tuple result{};
  if (!factor) {
    note_unrepresentable(constant);
    std::fill_n(result.begin(), lanes_, constant.is_nan() ? 0u : constant.negative() ? 1u : 2u);
    return opaque(Opaque::not_a_number, result);
  }
  std::fill_n(result.begin(), lanes_, *factor);
  for (const uint32_t prime : reading.roots) {
    Tuple root{};
    std::fill_n(root.begin(), lanes_, prime);
    if (const std::optional<Residue> exact = square_root(prime)) {
      std::fill_n(root.begin(), lanes_, *exact);
    } else {
      root = opaque(Opaque::root, root);
    }
    for (size_t l = 0; l < lanes_; ++l) result[l] = multiply_mod31(result[l], root[l]);
  }
  return result;
}

void RingDomain::constant(const Rational& constant, DType dtype, std::byte* out) const {
  const Tuple element = read(constant, dtype);
  std::memcpy(out, element.data(), lanes_ * sizeof(Residue));
}

void RingDomain::from_doubles(DType dtype, int64_t n, const double* x, std::byte* out) const {
  Residue* y = residues(out);
  for (int64_t i = 0; i < n; ++i) {
    Tuple element{};
    if (std::isfinite(x[i])) {
      element.fill(residue_of(x[i]));
    } else {
      element = read(Rational::from_double(x[i]), dtype);
    }
    for (size_t l = 0; l < lanes_; ++l) y[static_cast<int64_t>(l) * n + i] = element[l];
  }
}

void RingDomain::poison(DType, uint64_t seed, int64_t n, std::byte* out) const {
  Residue* y = residues(out);
  for (int64_t i = 0; i < n; ++i) {
    KeyedHash element = hash_;
    element.absorb(static_cast<uint64_t>(Opaque::padding));
    element.absorb(seed);
    element.absorb(static_cast<uint64_t>(i));
    for (size_t l = 0; l < lanes_; ++l) {
      y[static_cast<int64_t>(l) * n + i] = scaled(element.with(lane_keys_[l]), kMod31);
    }
  }
}

void RingDomain::from_integers(DType, int64_t n, const int64_t* x, std::byte* out) const {
  for (size_t l = 0; l < lanes_; ++l) {
    std::transform(x, x + n, residues(out) + static_cast<int64_t>(l) * n, [](int64_t value) {
      const int64_t rest = value % int64_t{kMod31};
      return static_cast<Residue>(rest < 0 ? rest + kMod31 : rest);
    });
  }
}

void RingDomain::to_integers(DType, int64_t n, const std::byte* x, DType to, int64_t* out) const {
  for (int64_t i = 0; i < n; ++i) {
    Tuple element{};
    for (size_t l = 0; l < lanes_; ++l) element[l] = residues(x)[static_cast<int64_t>(l) * n + i];
    const std::optional<int64_t> value = integer_of(std::span(element).first(lanes_));
    if (!value) without_integer_.store(true, std::memory_order_relaxed);
    out[i] = integer::truncated(static_cast<double>(value.value_or(0)), to);
  }
}

void RingDomain::convert(DType, DType, int64_t n, const std::byte* x, std::byte* out) const {
  std::copy_n(residues(x), static_cast<int64_t>(lanes_) * n, residues(out));
}

Tensor RingDomain::to_tensor(const Value& value) const {
  Shape shape{static_cast<int64_t>(lanes_)};
  shape.insert(shape.end(), value.type.shape.begin(), value.type.shape.end());
  return Tensor::from_bytes(DType::i32, std::move(shape), {value.data.get(), value.bytes()});
}

void RingDomain::unary(UnaryOp op, DType, int64_t n, const std::byte* x, std::byte* out) const {
  const auto planes = static_cast<int64_t>(lanes_);
  if (op == UnaryOp::negate) return negate_mod31(best_isa(), residues(x), residues(out), planes * n);
  for (int64_t i = 0; i < n; ++i) {
    Tuple element{};
    for (int64_t l = 0; l < planes; ++l) element[static_cast<size_t>(l)] = residues(x)[l * n + i];
    element = apply(op, element);
    for (int64_t l = 0; l < planes; ++l) residues(out)[l * n + i] = element[static_cast<size_t>(l)];
  }
}

void RingDomain::invert(int64_t n, const Residue* x, Residue* out) const {
  for (size_t lane = 0; lane < lanes_; ++lane) {
    const int64_t plane = static_cast<int64_t>(lane) * n;
    invert_units(n, x + plane, out + plane);
    for (int64_t i = 0; i < n; ++i) {
      if (x[plane + i] != 0) continue;
      Tuple argument{};
      for (size_t l = 0; l < lanes_; ++l) argument[l] = x[static_cast<int64_t>(l) * n + i];
      out[plane + i] = opaque(Opaque::inverse, argument)[lane];
      non_units_[lane].fetch_add(1, std::memory_order_relaxed);
    }
  }
}

void RingDomain::binary(BinaryOp op, DType, int64_t n, const std::byte* x, const std::byte* y, std::byte* out) const {
  const int64_t count = static_cast<int64_t>(lanes_) * n;
  const Residue* a = residues(x);
  const Residue* b = residues(y);
  Residue* c = residues(out);
  switch (op) {
    case BinaryOp::add:
      return add_mod31(best_isa(), a, b, c, count);
    case BinaryOp::subtract:
      return subtract_mod31(best_isa(), a, b, c, count);
    case BinaryOp::multiply:
      return multiply_mod31(best_isa(), a, b, c, count);
    case BinaryOp::divide:
      std::vector<Residue> inverses(static_cast<size_t>(count));
      invert(n, b, inverses.data());
      return multiply_mod31(best_isa(), a, inverses.data(), c, count);
  }
}

void RingDomain::dot(DType, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                     std::byte* out) const {
  for (int64_t l = 0; l < static_cast<int64_t>(lanes_); ++l) {
    gemm_mod31(best_isa(), m, n, k, residues(a) + l * m * k, k, residues(b) + l * k * n, n, residues(out) + l * m * n,
               n);
  }
}

void RingDomain::sum(DType, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  for (int64_t l = 0; l < static_cast<int64_t>(lanes_); ++l) {
    reduce_sum_mod31(best_isa(), plan, residues(x) + l * plan.input_size(), residues(out) + l * plan.output_size());
  }
}

void RingDomain::accumulate(DType, int64_t n, std::byte* acc, const std::byte* x) const {
  accumulate_mod31(best_isa(), residues(acc), residues(x), static_cast<int64_t>(lanes_) * n);
}

Value random_ring(const TensorType& type, size_t lanes, uint64_t seed, std::string_view name) {
  KeyedHash stream(seed, 0x6c6f62616c736772u);
  stream.absorb(name.size());
  for (const char c : name) stream.absorb(static_cast<unsigned char>(c));
  NewValue result(type, Storage{sizeof(Residue), lanes});
  Residue* out = result.elements<Residue>();
  for (size_t l = 0; l < lanes; ++l) {
    KeyedHash lane = stream;
    lane.absorb(l);
    for (int64_t i = 0; i < result.size(); ++i) *out++ = scaled(lane.with(static_cast<uint64_t>(i)), kMod31);
  }
  return std::move(result).finish();
}

}  // namespace isoshard::sim
