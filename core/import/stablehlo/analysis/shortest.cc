// MLIR prints the f32 that Python rounds `1 - 0.1` to as 0.899999976, six digits and, where these are not enough, nine:
// beside 0.1 that would not add up to 1. The shortest decimal that rounds to the same float, 0.9, is what the program
// says (Steele & White 1990; std::to_chars). A power of two, or a small multiple of one, is itself: 2^-23 is not
// 1.1920929e-07. So is what takes more digits than people write, which is no decimal but the nearest float to some
// number: its last digits would count as rounded (verify/pair_facts/second_reading.h) further than its dtype rounds.
// Different floats stay different numbers, for each rounds to its own. Cost: constant for f32 and f64, a
// few roundings for narrow dtypes.
#include "core/import/stablehlo/analysis/shortest.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "core/ir/scalar/narrow_dtypes.h"

namespace isoshard::stablehlo {
namespace {

double nearest(DType dtype, const Rational& x) {
  if (dtype == DType::f64) return x.to_double();
  return static_cast<double>(dtype == DType::f32 ? x.to_float() : scalar::nearest_narrow(dtype, x));
}

bool is_plain(double x) {
  constexpr int kBits = 12;
  int exponent = 0;
  const double scaled = std::ldexp(std::frexp(x, &exponent), kBits);
  return scaled == std::floor(scaled);
}

/// The decimal of the least digits that rounds to a number of a narrow dtype.
Rational shortest_narrow(DType dtype, double x) {
  constexpr int kMostDigits = 9;
  std::array<char, 32> digits{};
  for (int precision = 0; precision < kMostDigits; ++precision) {
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), x, std::chars_format::scientific, precision).ptr;
    const auto decimal = Rational::parse(std::string_view(digits.data(), end));
    if (decimal && nearest(dtype, *decimal) == x) return *decimal;
  }
  return Rational::from_double(x);
}

/// Digits of `1.25e-05`, without those of the exponent.
bool is_short(DType dtype, std::string_view decimal) {
  const size_t most = dtype == DType::f64 ? 14 : 6;
  const std::string_view digits = decimal.substr(0, decimal.find('e'));
  return static_cast<size_t>(
             std::count_if(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; })) <= most;
}

}  // namespace

Rational shortest(DType dtype, const Rational& constant) {
  if (!constant.finite() || constant.is_zero()) return constant;
  const double x = nearest(dtype, constant);
  if (!std::isfinite(x) || x == 0) return constant;  // beyond the dtype, which rounds it where it is used
  if (is_plain(x)) return Rational::from_double(x);
  if (dtype != DType::f32 && dtype != DType::f64) return shortest_narrow(dtype, x);
  constexpr std::chars_format kFormat = std::chars_format::scientific;  // no zeros in front
  std::array<char, 32> digits{};
  char* const end = digits.data() + digits.size();
  const auto result = dtype == DType::f32 ? std::to_chars(digits.data(), end, static_cast<float>(x), kFormat)
                                          : std::to_chars(digits.data(), end, x, kFormat);
  const std::string_view decimal(digits.data(), result.ptr);
  return is_short(dtype, decimal) ? Rational::parse(decimal).value() : Rational::from_double(x);
}

}  // namespace isoshard::stablehlo
