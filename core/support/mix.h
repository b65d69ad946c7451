#pragma once

#include <cstdint>

namespace isoshard {

/// A bijection of 64-bit words that looks random (the finaliser of SplitMix64).
constexpr uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

inline constexpr uint64_t kWordStep = 0x9e3779b97f4a7c15ULL;
/// Word `index` of the random words that `key` names (SplitMix64, which needs no word to make another one).
constexpr uint64_t word_at(uint64_t key, uint64_t index) { return mix(key + kWordStep * (index + 1)); }

}  // namespace isoshard
