#include "bench/table/measure/numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace isoshard::bench {

std::string digits(double value) {
  const int magnitude = value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::fabs(value))));
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", std::clamp(2 - magnitude, 0, 9), value);
  return text;
}

std::string time_words(double seconds) {
  if (seconds < 1e-3) return digits(seconds * 1e6) + " us";
  if (seconds < 1) return digits(seconds * 1e3) + " ms";
  return digits(seconds) + " s";
}

}  // namespace isoshard::bench
