#pragma once

#include <concepts>
#include <string>

namespace isoshard {

/// A number of things for people: `1 value`, `3 values`.
template <std::integral Count>
std::string counted(Count n, const std::string& noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

}  // namespace isoshard
