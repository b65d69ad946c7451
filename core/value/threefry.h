#pragma once

#include <cstdint>

namespace isoshard::threefry {

/// Threefry-2x32 with 20 rounds (J. Salmon, M. Moraes, R. Dror, D. Shaw 2011) and what JAX makes of it: keys, splits
/// and random bits of arrays, any element without the others (docs/spec/random.md, "Threefry" and "Key layouts"). All
/// functions are pure.

/// Which element of an array sees which counter.
enum class KeyLayout : uint8_t {
  original,  ///< jax_threefry_partitionable=False, JAX's default before 0.5: elements come in pairs of the two halves
  partitionable,  ///< =True, the default since 0.5: every element has its own 64-bit counter
};

/// Two 32-bit words: a key, a counter, or one output.
struct Words {
  uint32_t first = 0;
  uint32_t second = 0;
  bool operator==(const Words&) const = default;
};

/// A key as an element of DType::key, the first word in the low half, and back.
constexpr uint64_t to_key(Words words) { return uint64_t{words.second} << 32 | words.first; }
constexpr Words to_words(uint64_t key) { return {static_cast<uint32_t>(key), static_cast<uint32_t>(key >> 32)}; }

/// The block cipher itself.
Words encrypt(Words key, Words counter);

/// jax.random.PRNGKey(seed) for seeds below 2^32.
constexpr uint64_t key_of(uint32_t seed) { return to_key({0, seed}); }
/// jax.random.fold_in(key, data): another key, the same in both layouts.
uint64_t fold_in(uint64_t key, uint32_t data);
/// Element `index` of jax.random.split(key, count), 0 <= index < count.
uint64_t split(uint64_t key, int64_t index, int64_t count, KeyLayout layout);
/// Elements start, start + 1, ..., start + n - 1 of jax.random.bits(key, shape), row-major, where the shape has `count`
/// elements.
void random_bits(uint64_t key, int64_t start, int64_t n, int64_t count, KeyLayout layout, uint32_t* out);

}  // namespace isoshard::threefry
