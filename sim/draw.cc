#include "sim/draw.h"

#include <cmath>
#include <cstring>
#include <vector>

#include "core/ir/scalar/log.h"
#include "core/support/check.h"
#include "core/support/mix.h"

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

double draw_one(const Global& global, Draws& draws) {
  const bool random_integer = !is_float(global.type.dtype);
  const double modulus = global.type.dtype == DType::pred ? 2 : 8;
  switch (global.init.kind) {
    case InitKind::zeros:
      return 0;
    case InitKind::ones:
      return 1;
    case InitKind::value:
      return global.init.value.to_double();
    case InitKind::normal:
      if (!random_integer) return draws.normal();
      break;
    case InitKind::uniform:
      if (!random_integer) return draws.uniform();
      break;
    case InitKind::lecun_normal:
      if (!random_integer) return cut_normal(draws) / std::sqrt(static_cast<double>(fan_in(global.type.shape)));
      break;
  }
  return static_cast<double>(draws.below(static_cast<uint64_t>(modulus)));
}

template <class T>
Tensor fill(const Global& global, Draws& draws) {
  std::vector<T> values(static_cast<size_t>(element_count(global.type.shape)));
  for (T& value : values) value = static_cast<T>(draw_one(global, draws));
  return Tensor::from<T>(global.type.dtype, global.type.shape, values);
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
  switch (global.type.dtype) {
    case DType::pred:
      return fill<uint8_t>(global, draws);
    case DType::i32:
      return fill<int32_t>(global, draws);
    case DType::u32:
      return fill<uint32_t>(global, draws);
    case DType::i64:
      return fill<int64_t>(global, draws);
    case DType::key:
      return fill<uint64_t>(global, draws);
    case DType::bf16:
    case DType::f16:
      internal_error("draw_global", "no 16-bit floats yet", __FILE__, __LINE__);
    case DType::f32:
      return fill<float>(global, draws);
    case DType::f64:
      return fill<double>(global, draws);
  }
  return {};
}

}  // namespace isoshard::sim
