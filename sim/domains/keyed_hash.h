#pragma once

#include <cstdint>

namespace isoshard::sim {

/// SipHash-2-4 over 64-bit words (J.-P. Aumasson, D. J. Bernstein 2012): a keyed hash whose outputs are, without the
/// key, indistinguishable from independent uniform numbers as far as anyone knows. The verdicts model it as a random
/// oracle (docs/soundness.md). Usage: copy, absorb words, finish.
class KeyedHash {
 public:
  KeyedHash(uint64_t key0, uint64_t key1)
      : v0_(key0 ^ 0x736f6d6570736575u),
        v1_(key1 ^ 0x646f72616e646f6du),
        v2_(key0 ^ 0x6c7967656e657261u),
        v3_(key1 ^ 0x7465646279746573u) {}

  void absorb(uint64_t word) {
    v3_ ^= word;
    round();
    round();
    v0_ ^= word;
    ++words_;
  }

  /// The hash of the words absorbed so far.
  uint64_t finish() const {
    KeyedHash last = *this;
    last.absorb(static_cast<uint64_t>(words_ * 8) << 56);
    last.v2_ ^= 0xff;
    for (int i = 0; i < 4; ++i) last.round();
    return last.v0_ ^ last.v1_ ^ last.v2_ ^ last.v3_;
  }

  /// The hash of the words absorbed so far and `word`.
  uint64_t with(uint64_t word) const {
    KeyedHash longer = *this;
    longer.absorb(word);
    return longer.finish();
  }

  /// Ends the message; then squeeze() gives one hash after another, as SipHash's form with 128 bits makes its second
  /// half.
  void close() {
    absorb(static_cast<uint64_t>(words_ * 8) << 56);
    v2_ ^= 0xff;
  }
  uint64_t squeeze(uint64_t word) {
    v1_ ^= word;
    for (int i = 0; i < 4; ++i) round();
    return v0_ ^ v1_ ^ v2_ ^ v3_;
  }

 private:
  static constexpr uint64_t rotate(uint64_t x, int by) { return (x << by) | (x >> (64 - by)); }

  void round() {
    v0_ += v1_;
    v2_ += v3_;
    v1_ = rotate(v1_, 13) ^ v0_;
    v3_ = rotate(v3_, 16) ^ v2_;
    v0_ = rotate(v0_, 32);
    v2_ += v1_;
    v0_ += v3_;
    v1_ = rotate(v1_, 17) ^ v2_;
    v3_ = rotate(v3_, 21) ^ v0_;
    v2_ = rotate(v2_, 32);
  }

  uint64_t v0_, v1_, v2_, v3_;
  uint64_t words_ = 0;
};

/// `hash` scaled to [0, count) without division; the bias is below count / 2^64.
inline uint32_t scaled(uint64_t hash, uint32_t count) {
  const uint64_t high = (hash >> 32) * count;
  const uint64_t low = (hash & 0xffffffff) * count;
  return static_cast<uint32_t>((high + (low >> 32)) >> 32);
}

}  // namespace isoshard::sim
