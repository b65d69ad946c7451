#pragma once

#include <cstdint>

#include "core/support/host_device.h"

/// Threefry-2x32 with 20 rounds (J. Salmon, M. Moraes, R. Dror, D. Shaw 2011) and what JAX makes of it for one element
/// (docs/spec/random.md, "Threefry" and "Key layouts"), for CPUs and GPUs: also compiled by nvcc, as C++17.
namespace isoshard::threefry {

/// Which element of an array sees which counter.
enum class KeyLayout : uint8_t {
  original,  ///< jax_threefry_partitionable=False, JAX's default before 0.5: elements come in pairs of the two halves
  partitionable,  ///< =True, the default since 0.5: every element has its own 64-bit counter
};

/// Two 32-bit words: a key, a counter, or one output.
struct Words {
  uint32_t first = 0;
  uint32_t second = 0;
  friend constexpr bool operator==(Words a, Words b) { return a.first == b.first && a.second == b.second; }
  friend constexpr bool operator!=(Words a, Words b) { return !(a == b); }
};

/// A key as an element of DType::key, the first word in the low half, and back.
ISOSHARD_SCALAR constexpr uint64_t to_key(Words words) { return uint64_t{words.second} << 32 | words.first; }
ISOSHARD_SCALAR constexpr Words to_words(uint64_t key) {
  return {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)};
}

template <int rotation>
ISOSHARD_SCALAR void mix_words(uint32_t& x, uint32_t& y) {
  x += y;
  y = (y << rotation | y >> (32 - rotation)) ^ x;
}

template <int a, int b, int c, int d>
ISOSHARD_SCALAR void four_rounds(uint32_t& x, uint32_t& y) {
  mix_words<a>(x, y), mix_words<b>(x, y), mix_words<c>(x, y), mix_words<d>(x, y);
}

/// The block cipher itself.
ISOSHARD_SCALAR Words encrypt(Words key, Words counter) {
  constexpr uint32_t kParity = 0x1BD11BDA;
  const uint32_t third = key.first ^ key.second ^ kParity;
  uint32_t x = counter.first + key.first, y = counter.second + key.second;
  four_rounds<13, 15, 26, 6>(x, y);
  x += key.second, y += third + 1;
  four_rounds<17, 29, 16, 24>(x, y);
  x += third, y += key.first + 2;
  four_rounds<13, 15, 26, 6>(x, y);
  x += key.first, y += key.second + 3;
  four_rounds<17, 29, 16, 24>(x, y);
  x += key.second, y += third + 4;
  four_rounds<13, 15, 26, 6>(x, y);
  x += third, y += key.first + 5;
  return {x, y};
}

/// jax.random.fold_in(key, data): another key, the same in both layouts.
ISOSHARD_SCALAR uint64_t fold_in(uint64_t key, uint32_t data) { return to_key(encrypt(to_words(key), {0, data})); }

/// The counter of an index in the partitionable layout, the high word first.
ISOSHARD_SCALAR Words counter_of(int64_t index) {
  return {static_cast<uint32_t>(static_cast<uint64_t>(index) >> 32), static_cast<uint32_t>(index)};
}

/// Pair `i` of the original layout of `count` elements holds elements i and pairs + i, pairs = (count + 1) / 2; where
/// count is odd the last counter is 0 and its word is dropped.
ISOSHARD_SCALAR Words original_pair(uint64_t key, int64_t i, int64_t count) {
  const int64_t partner = i + (count + 1) / 2;
  return encrypt(to_words(key), {static_cast<uint32_t>(i), partner < count ? static_cast<uint32_t>(partner) : 0});
}

/// Element i of the original layout of fewer than 2^32 elements.
ISOSHARD_SCALAR uint32_t original_word(uint64_t key, int64_t i, int64_t count) {
  const int64_t pairs = (count + 1) / 2;
  return i < pairs ? original_pair(key, i, count).first : original_pair(key, i - pairs, count).second;
}

/// Element `index` of jax.random.split(key, count), 0 <= index < count.
ISOSHARD_SCALAR uint64_t split(uint64_t key, int64_t index, int64_t count, KeyLayout layout) {
  if (layout == KeyLayout::partitionable) return to_key(encrypt(to_words(key), counter_of(index)));
  return to_key({original_word(key, 2 * index, 2 * count), original_word(key, 2 * index + 1, 2 * count)});
}

/// Counters have 32 bits in the original layout: longer arrays are blocks of this many elements, each with a key of its
/// own out of a split, and a rest with the last one.
inline constexpr int64_t kOriginalBlock = 0xffffffff;

/// Element `index` of jax.random.bits(key, shape), row-major, where the shape has `count` elements.
ISOSHARD_SCALAR uint32_t random_word(uint64_t key, int64_t index, int64_t count, KeyLayout layout) {
  if (layout == KeyLayout::partitionable) {
    const Words both = encrypt(to_words(key), counter_of(index));
    return both.first ^ both.second;
  }
  const int64_t blocks = count / kOriginalBlock, block = index / kOriginalBlock;
  if (blocks == 0) return original_word(key, index, count);
  const int64_t size = block < blocks ? kOriginalBlock : count % kOriginalBlock;
  const uint64_t own = split(key, block, blocks + 1, KeyLayout::original);
  return original_word(own, index % kOriginalBlock, size);
}

}  // namespace isoshard::threefry
