// Draws the globals of a run from a seed. Each global has a stream of its own, named by the seed and its name, so that
// a draw does not depend on which other globals there are, on the mesh or on the order. Normal numbers are made by the
// polar method (Marsaglia and Bray 1964), cut ones by rejection, integers below a bound without bias by rejection too.
// The logarithm is isoshard's own, so that numbers have the same bits on every machine. These are not the numbers of
// JAX, which init programs draw. Cost: a few operations per element.
#include "sim/run/draw.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "core/ir/scalar/log.h"
#include "core/support/mix.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/value/narrow.h"

namespace isoshard::sim {
namespace {

/// Standard deviation of a standard normal cut at +-2, by which the cut one is divided to keep its variance.
constexpr double kCutDeviation = 0.87962566103423978;

double cut_normal(Draws& draws) {
  for (;;) {
    const double x = draws.normal();
    if (x > -2 && x < 2) return x / kCutDeviation;
  }
}

int64_t fan_in(const Shape& shape) {
  int64_t result = 1;
  for (size_t d = 0; d + 1 < shape.size(); ++d) result *= shape[d];
  return result > 0 ? result : 1;
}

double draw_float(const Global& global, Draws& draws) {
  switch (global.init.kind) {
    case InitKind::zeros:
      return 0;
    case InitKind::ones:
      return 1;
    case InitKind::value:
      return global.init.value.to_double();
    case InitKind::normal:
      return draws.normal();
    case InitKind::uniform:
      return draws.uniform();
    case InitKind::lecun_normal:
      return cut_normal(draws) / std::sqrt(static_cast<double>(fan_in(global.type.shape)));
  }
  return 0;
}

/// The bits of an integer, pred or key with a random init.
uint64_t draw_word(const Global& global, Draws& draws) {
  if (global.type.dtype == DType::key) return draws.bits();
  if (global.range) return static_cast<uint64_t>(global.range->at(draws.below(global.range->size())));
  return draws.below(global.type.dtype == DType::pred ? 2 : 8);
}

template <class T>
Tensor fill(const Global& global, Draws& draws) {
  std::vector<T> values(static_cast<size_t>(element_count(global.type.shape)));
  for (T& value : values) value = static_cast<T>(draw_float(global, draws));
  return Tensor::from<T>(global.type.dtype, global.type.shape, values);
}

Tensor fill_narrow(const Global& global, Draws& draws) {
  std::vector<double> wide(static_cast<size_t>(element_count(global.type.shape)));
  for (double& value : wide) value = draw_float(global, draws);
  std::vector<float> values(wide.size());
  narrow(global.type.dtype, std::ssize(wide), wide.data(), values.data());
  return packed(global.type.dtype, global.type.shape, values);
}

Tensor fill_words(const Global& global, Draws& draws) {
  std::vector<uint64_t> words(static_cast<size_t>(element_count(global.type.shape)));
  for (uint64_t& word : words) word = draw_word(global, draws);
  const size_t bytes = info(global.type.dtype).bytes;
  std::vector<std::byte> data(words.size() * bytes);
  for (size_t i = 0; i < words.size(); ++i) std::memcpy(data.data() + i * bytes, &words[i], bytes);  // little-endian
  return Tensor::from_bytes(global.type.dtype, global.type.shape, data);
}

/// A global of integers, predicates or keys whose init says what it is.
bool has_fixed_words(const Global& global) {
  return global.init.kind == InitKind::zeros || global.init.kind == InitKind::ones ||
         global.init.kind == InitKind::value;
}

Rational fixed_value(const Global& global) {
  return global.init.kind == InitKind::value ? global.init.value : Rational(global.init.kind == InitKind::ones ? 1 : 0);
}

}  // namespace

Draws::Draws(uint64_t seed, std::string_view name) : state_(mix(seed + 0x9e3779b97f4a7c15ULL)) {
  for (const char c : name) state_ = mix(state_ + static_cast<unsigned char>(c) + 1);
}

uint64_t Draws::bits() { return mix(state_ += 0x9e3779b97f4a7c15ULL); }

double Draws::uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

uint64_t Draws::below(uint64_t bound) {
  // Values of the last, incomplete multiple of `bound` are drawn again, so that every result is equally likely.
  const uint64_t rejected = (0 - bound) % bound;
  for (;;) {
    const uint64_t x = bits();
    if (x >= rejected) return x % bound;
  }
}

double Draws::normal() {
  for (;;) {
    const double u = 2 * uniform() - 1, v = 2 * uniform() - 1;
    const double s = u * u + v * v;
    if (s > 0 && s < 1) return u * std::sqrt(-2 * scalar::log(s) / s);
  }
}

Tensor draw_global(const Global& global, uint64_t seed) {
  Draws draws(seed, global.name);
  const DType dtype = global.type.dtype;
  if (dtype == DType::f64) return fill<double>(global, draws);
  if (dtype == DType::f32) return fill<float>(global, draws);
  if (is_narrow(dtype)) return fill_narrow(global, draws);
  if (!has_fixed_words(global)) return fill_words(global, draws);
  return to_tensor(splat(global.type, fixed_value(global), float_domain()), float_domain());
}

}  // namespace isoshard::sim
