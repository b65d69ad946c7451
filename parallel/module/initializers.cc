// How parameters begin: functions of a key and of the block that is drawn, as in jax.nn.initializers. Variances follow
// from the sizes of the whole array, not of the block, so that a device draws its part of what one device would draw.
// Factors are rounded to f32 where JAX rounds them, so that bits agree. An initialiser has a name that tells people
// what it is.
#include "parallel/module/initializers.h"

#include <cmath>
#include <cstdio>
#include <utility>

#include "core/support/check.h"

namespace isoshard {
namespace {

constexpr double kCutDeviation = 0.87962566103423978;  // of a standard normal cut at 2 and -2

std::string with_number(const std::string& name, double number) {
  char text[40];
  std::snprintf(text, sizeof text, "(%.9g)", number);
  return name + text;
}

/// x · c, c rounded to f32 as JAX rounds what meets an f32.
ValueId times(ModelBuilder& m, ValueId x, float c) {
  return m.with_constant(Multiply{}, x, Rational::from_double(static_cast<double>(c)));
}

Initializer filled(std::string name, int64_t value) {
  return {std::move(name), [value](ModelBuilder& m, ValueId, const Draw& draw) {
            return m.op(Constant{Rational(value), DType::f32, draw.shape}, {});
          }};
}

float fan_in(const Shape& shape) {
  ISOSHARD_CHECK(shape.size() >= 2, "fan-in needs a matrix");
  return static_cast<float>(element_count(Shape(shape.begin(), shape.end() - 1)));
}

}  // namespace

Initializer lecun_normal_initializer() {
  return {"lecun_normal", [](ModelBuilder& m, ValueId key, const Draw& draw) {
            const float deviation = std::sqrt(1.0f / fan_in(draw.whole())) / static_cast<float>(kCutDeviation);
            return times(m, truncated_normal(m, key, draw), deviation);
          }};
}

Initializer zeros_initializer() { return filled("zeros", 0); }
Initializer ones_initializer() { return filled("ones", 1); }

Initializer normal_initializer(double deviation) {
  return {with_number("normal", deviation), [deviation](ModelBuilder& m, ValueId key, const Draw& draw) {
            return times(m, normal(m, key, draw), static_cast<float>(deviation));
          }};
}

Initializer uniform_initializer(double scale) {
  return {with_number("uniform", scale), [scale](ModelBuilder& m, ValueId key, const Draw& draw) {
            return times(m, uniform(m, key, draw), static_cast<float>(scale));
          }};
}

Initializer small_initializer(int64_t dim) {
  return normal_initializer(std::sqrt(2.0 / (5.0 * static_cast<double>(dim))));
}

Initializer wang_initializer(int64_t dim, int64_t blocks) {
  return normal_initializer(2.0 / static_cast<double>(blocks) / std::sqrt(static_cast<double>(dim)));
}

Initializer wang2_initializer(int64_t dim, int64_t blocks) { return wang_initializer(dim, 2 * blocks); }

Initializer scale_init(Initializer initializer, double c) {
  std::string name = with_number("scale_init", c) + " of " + initializer.name;
  return {std::move(name), [inner = std::move(initializer), c](ModelBuilder& m, ValueId key, const Draw& draw) {
            return times(m, inner(m, key, draw), static_cast<float>(c));
          }};
}

}  // namespace isoshard
