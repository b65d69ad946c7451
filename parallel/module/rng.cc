// The functions of jax.random, made of three ops: bits of a key, folds and splits (docs/spec/random.md,
// "Distributions"; docs/adr/0017-random-numbers.md). Floats have the bits that JAX gives on CPUs: where XLA fuses a
// product and a sum into one rounding, both are made in f64, which holds the product exactly, and rounded to f32 once.
// Steps of JAX that no number can reach, such as a clip at the ends, are left out, and the places say why. Integers and
// coins are decided by integer arithmetic, so that no domain can round them otherwise. A device draws only its own
// block of the array. Cost: a few ops per array.
#include "parallel/module/rng.h"

#include <cmath>
#include <utility>

#include "core/support/check.h"

namespace isoshard {
namespace {

constexpr int kFractionBits = 23;  // of an f32
const float kSqrtTwo = std::sqrt(2.0f);
constexpr float kErfSqrtTwo = 0x1.e8b43p-1f;  // erf(sqrt(2)): how much of a normal distribution is within 2 deviations

Rational exactly(double value) { return Rational::from_double(value); }

ValueId bits(ModelBuilder& m, ValueId key, const Draw& draw, const Location& location) {
  std::vector<ValueId> operands{key};
  operands.insert(operands.end(), draw.start.begin(), draw.start.end());
  return m.op(RngBits{draw.shape, draw.global_shape, draw.layout}, std::move(operands), "", location);
}

/// The upper 23 bits of each word, u32 below 2^23.
ValueId fraction_bits(ModelBuilder& m, ValueId key, const Draw& draw, const Location& location) {
  const ValueId all = bits(m, key, draw, location);
  return m.with_constant(ShiftRightLogical{}, all, Rational(32 - kFractionBits), "", location);
}

/// bits · 2^-23 · scale + offset with one rounding to f32: products with a power of two are exact, and in f64 nothing
/// is lost of others, as they have 47 bits.
ValueId scaled(ModelBuilder& m, ValueId bits, float scale, float offset, std::string name, const Location& location) {
  int exponent = 0;
  const bool exact = std::frexp(scale, &exponent) == 0.5f;
  const ValueId number = m.op(Convert{exact ? DType::f32 : DType::f64}, {bits}, "", location);
  const ValueId product = m.with_constant(Multiply{}, number, exactly(std::ldexp(scale, -kFractionBits)), "", location);
  const ValueId sum = m.with_constant(Add{}, product, exactly(offset), exact ? std::move(name) : "", location);
  return exact ? sum : m.op(Convert{DType::f32}, {sum}, std::move(name), location);
}

/// sqrt(2) · erf_inv(u) of a uniform u.
ValueId normal_of(ModelBuilder& m, ValueId u, std::string name, const Location& location) {
  const ValueId inverse = m.op(ErfInv{}, {u}, "", location);
  return m.with_constant(Multiply{}, inverse, exactly(kSqrtTwo), std::move(name), location);
}

}  // namespace

ValueId prng_key(ModelBuilder& m, uint32_t seed, std::string name, Location location) {
  const ValueId zero = m.op(Constant{Rational(0), DType::u32, {1}}, {}, "", location);
  const ValueId low = m.op(Constant{Rational(int64_t{seed}), DType::u32, {1}}, {}, "", location);
  const ValueId words = m.op(Concatenate{0}, {zero, low}, "", location);
  return m.op(BitcastConvert{DType::key}, {words}, std::move(name), std::move(location));
}

ValueId fold_rng_over_axis(ModelBuilder& m, ValueId key, const Group& axis, std::string name, Location location) {
  const ValueId index = m.op(AxisIndex{axis}, {}, "", location);
  return m.op(RngFoldIn{}, {key, index}, std::move(name), std::move(location));
}

ValueId split_key(ModelBuilder& m, ValueId key, int64_t index, int64_t count, KeyLayout layout, std::string name,
                  Location location) {
  ISOSHARD_CHECK(0 <= index && index < count, "a key of the split");
  const ValueId keys = m.op(RngSplit{count, layout}, {key}, "", location);
  return m.element(keys, index, std::move(name), location);
}

ValueId uniform(ModelBuilder& m, ValueId key, const Draw& draw, std::string name, Location location) {
  const ValueId fraction = m.op(Convert{DType::f32}, {fraction_bits(m, key, draw, location)}, "", location);
  return m.with_constant(Multiply{}, fraction, exactly(std::ldexp(1.0, -kFractionBits)), std::move(name),
                         std::move(location));
}

/// JAX takes the maximum with `low`, which a rounded sum of low and what is not negative cannot fall below.
ValueId uniform_range(ModelBuilder& m, ValueId key, const Draw& draw, float low, float high, std::string name,
                      Location location) {
  ISOSHARD_CHECK(low < high, "an interval with numbers");
  return scaled(m, fraction_bits(m, key, draw, location), high - low, low, std::move(name), location);
}

ValueId normal(ModelBuilder& m, ValueId key, const Draw& draw, std::string name, Location location) {
  return normal_of(m, uniform_range(m, key, draw, std::nextafterf(-1, 0), 1, "", location), std::move(name), location);
}

/// JAX also clips the result to the open interval; no one of the 2^23 values of the uniform number reaches its ends
/// (tests/unit/parallel/rng_test.cc tries them all).
ValueId truncated_normal(ModelBuilder& m, ValueId key, const Draw& draw, std::string name, Location location) {
  const ValueId u = uniform_range(m, key, draw, -kErfSqrtTwo, kErfSqrtTwo, "", location);
  return normal_of(m, u, std::move(name), location);
}

/// The upper and lower word of a 64-bit number modulo the span s: (upper · (2^32 mod s) + lower) mod s, where JAX
/// squares 2^16 mod s in 32 bits, so that nothing is left of it for s > 2^16.
ValueId randint(ModelBuilder& m, ValueId key, const Draw& draw, int32_t low, int32_t high, std::string name,
                Location location) {
  ISOSHARD_CHECK(low < high, "an interval with integers");
  const auto span = static_cast<uint32_t>(int64_t{high} - low);
  const uint32_t half = 65536U % span, factor = half * half % span;
  const auto modulo = [&](ValueId x) { return m.with_constant(Remainder{}, x, Rational(int64_t{span}), "", location); };
  const ValueId keys = m.op(RngSplit{2, draw.layout}, {key}, "", location);
  const ValueId upper = modulo(bits(m, m.element(keys, 0, "", location), draw, location));
  const ValueId lower = modulo(bits(m, m.element(keys, 1, "", location), draw, location));
  const ValueId shifted = m.with_constant(Multiply{}, upper, Rational(int64_t{factor}), "", location);
  const ValueId offset = m.op(Convert{DType::i32}, {modulo(m.add(shifted, lower, "", location))}, "", location);
  return m.with_constant(Add{}, offset, Rational(int64_t{low}), std::move(name), location);
}

/// Of integers, so that the outcome is no question of rounding in any domain: u < p is bits < p · 2^23.
ValueId bernoulli(ModelBuilder& m, ValueId key, const Draw& draw, float p, std::string name, Location location) {
  const double limit = std::ceil(std::ldexp(static_cast<double>(p), kFractionBits));
  const auto below = static_cast<int64_t>(std::fmin(std::fmax(limit, 0), 1 << kFractionBits));
  return m.with_constant(Compare{Direction::lt}, fraction_bits(m, key, draw, location), Rational(below),
                         std::move(name), location);
}

}  // namespace isoshard
