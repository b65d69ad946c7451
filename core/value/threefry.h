#pragma once

#include <cstdint>

#include "core/value/threefry_cipher.h"

namespace isoshard::threefry {

/// jax.random.PRNGKey(seed) for seeds below 2^32.
constexpr uint64_t key_of(uint32_t seed) { return to_key({0, seed}); }
/// Elements start, start + 1, ..., start + n - 1 of jax.random.bits(key, shape), row-major, where the shape has `count`
/// elements.
void random_bits(uint64_t key, int64_t start, int64_t n, int64_t count, KeyLayout layout, uint32_t* out);

}  // namespace isoshard::threefry
