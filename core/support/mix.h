#pragma once

#include <cstdint>

namespace isoshard {

/// A bijection of 64-bit words that looks random (the finaliser of SplitMix64).
constexpr uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace isoshard
