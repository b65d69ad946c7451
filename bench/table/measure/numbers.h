#pragma once

#include <string>

namespace isoshard::bench {

/// As text with three significant digits, without an exponent: 0.0123, 12.3, 12300.
std::string digits(double value);

/// Seconds in a unit that suits them: "350 us", "12.3 ms", "4.5 s".
std::string time_words(double seconds);

}  // namespace isoshard::bench
