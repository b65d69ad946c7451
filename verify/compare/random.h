#pragma once

#include <cstdint>
#include <string_view>

#include "core/support/mix.h"

namespace isoshard::verify {

/// Random words addressed by index: no state, so that draws do not depend on the order in which they are made.
class RandomStream {
 public:
  explicit constexpr RandomStream(uint64_t seed) : key_(mix(seed + kWordStep)) {}

  /// The stream of a part of what this stream is for.
  constexpr RandomStream part(uint64_t index) const { return RandomStream(key_ ^ mix(index + kWordStep)); }
  constexpr RandomStream part(std::string_view name) const {
    uint64_t hash = name.size();
    for (const char c : name) hash = mix(hash * 256 + static_cast<unsigned char>(c));
    return part(hash);
  }

  constexpr uint64_t word(uint64_t index) const { return word_at(key_, index); }
  /// What names its words to word_at().
  constexpr uint64_t key() const { return key_; }
  /// Uniform in [0, 1), a multiple of 2^-53.
  constexpr double uniform(uint64_t index) const { return static_cast<double>(word(index) >> 11) * 0x1p-53; }

 private:
  uint64_t key_;
};

}  // namespace isoshard::verify
