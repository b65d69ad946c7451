// Threefry-2x32 with 20 rounds (Salmon et al. 2011) as JAX uses it for keys, splits and bits (docs/spec/random.md,
// "Threefry", "Key layouts"). Bits of an element depend on the key and its index in the whole array only, so that each
// device draws its own block. JAX has two layouts: the partitionable one encrypts each index by itself; the original
// one pairs element i with element i + n/2, wherefore a block needs the size of the whole, and splits keys of arrays
// longer than its 32-bit counters. Cost: one encryption per element, or half of one where the whole array is drawn in
// the original layout.
#include "core/value/threefry.h"

#include <algorithm>

#include "core/support/check.h"

namespace isoshard::threefry {
namespace {

/// A whole array of the original layout, both elements of each pair at once.
void fill_pairs(uint64_t key, int64_t count, uint32_t* out) {
  const int64_t pairs = (count + 1) / 2;
  for (int64_t i = 0; i < pairs; ++i) {
    const Words words = original_pair(key, i, count);
    out[i] = words.first;
    if (i + pairs < count) out[i + pairs] = words.second;
  }
}

/// Elements `offset` to `offset` + n - 1 of `size`, fewer than 2^32.
void fill_block(uint64_t key, int64_t offset, int64_t n, int64_t size, uint32_t* out) {
  if (n == size) return fill_pairs(key, size, out);
  for (int64_t i = 0; i < n; ++i) out[i] = original_word(key, offset + i, size);
}

void original_bits(uint64_t key, int64_t start, int64_t n, int64_t count, uint32_t* out) {
  const int64_t blocks = count / kOriginalBlock;
  if (blocks == 0) return fill_block(key, start, n, count, out);
  for (int64_t done = 0; done < n;) {
    const int64_t block = (start + done) / kOriginalBlock, offset = (start + done) % kOriginalBlock;
    const int64_t size = block < blocks ? kOriginalBlock : count % kOriginalBlock;
    const int64_t taken = std::min(n - done, size - offset);
    fill_block(split(key, block, blocks + 1, KeyLayout::original), offset, taken, size, out + done);
    done += taken;
  }
}

}  // namespace

void random_bits(uint64_t key, int64_t start, int64_t n, int64_t count, KeyLayout layout, uint32_t* out) {
  ISOSHARD_CHECK(0 <= start && 0 <= n && start + n <= count, "elements of the array");
  if (layout == KeyLayout::original) return original_bits(key, start, n, count, out);
  for (int64_t i = 0; i < n; ++i) out[i] = random_word(key, start + i, count, layout);
}

}  // namespace isoshard::threefry
