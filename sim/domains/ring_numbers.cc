#include "sim/domains/ring_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "sim/kernels/elementwise_mod31.h"

namespace isoshard::sim {
namespace {

bool differ(std::span<const uint32_t> lanes) {
  return std::any_of(lanes.begin(), lanes.end(), [&](uint32_t x) { return x != lanes[0]; });
}

}  // namespace

uint32_t power_mod31(uint32_t base, uint32_t exponent) {
  uint32_t result = 1;
  for (; exponent != 0; exponent >>= 1, base = multiply_mod31(base, base)) {
    if (exponent & 1) result = multiply_mod31(result, base);
  }
  return result;
}

uint32_t inverse_mod31(uint32_t unit) { return power_mod31(unit, kMod31 - 2); }

std::optional<uint32_t> square_root_mod31(uint32_t prime) {
  const uint32_t root = power_mod31(prime, (kMod31 + 1) / 4);  // 2^31 - 1 is 3 modulo 4
  if (multiply_mod31(root, root) != prime) return std::nullopt;
  return root;
}

std::optional<uint32_t> residue_of(const mpq_class& x) {
  const auto denominator = static_cast<uint32_t>(mpz_fdiv_ui(x.get_den_mpz_t(), kMod31));
  if (denominator == 0) return std::nullopt;
  const auto numerator = static_cast<uint32_t>(mpz_fdiv_ui(x.get_num_mpz_t(), kMod31));
  return multiply_mod31(numerator, inverse_mod31(denominator));
}

uint32_t residue_of(double x) {
  int exponent = 0;
  const double fraction = std::frexp(std::fabs(x), &exponent);
  const auto mantissa = static_cast<uint64_t>(std::ldexp(fraction, 53));
  const int shift = ((exponent - 53) % 31 + 31) % 31;  // 2^31 = 1
  const uint32_t magnitude = multiply_mod31(reduce_mod31(mantissa), uint32_t{1} << shift);
  return x < 0 ? subtract_mod31(0, magnitude) : magnitude;
}

uint32_t residue_of(int64_t x) {
  const int64_t rest = x % int64_t{kMod31};
  return static_cast<uint32_t>(rest < 0 ? rest + int64_t{kMod31} : rest);
}

std::optional<int64_t> integer_of(std::span<const uint32_t> lanes) {
  constexpr int64_t kLimit = 1 << 24;
  if (differ(lanes)) return std::nullopt;
  const int64_t value = balanced(lanes[0]);
  return std::abs(value) < kLimit ? std::optional<int64_t>(value) : std::nullopt;
}

std::optional<mpq_class> rational_of(std::span<const uint32_t> lanes) {
  constexpr int64_t kLimit = 1000;
  if (differ(lanes)) return std::nullopt;
  if (const std::optional<int64_t> integer = integer_of(lanes)) return mpq_class(*integer);
  for (int64_t d = 2; d < kLimit; ++d) {
    const int64_t n = balanced(multiply_mod31(lanes[0], static_cast<uint32_t>(d)));
    if (std::abs(n) * d < kLimit) return mpq_class(n, d);
  }
  return std::nullopt;
}

}  // namespace isoshard::sim
