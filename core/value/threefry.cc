// Threefry-2x32 with 20 rounds (Salmon et al. 2011) as JAX uses it for keys, splits and bits (docs/spec/random.md,
// "Threefry", "Key layouts"). Bits of an element depend on the key and its index in the whole array only, so that each
// device draws its own block. JAX has two layouts: the partitionable one encrypts each index by itself; the original
// one pairs element i with element i + n/2, wherefore a block needs the size of the whole, and splits keys of arrays
// longer than its 32-bit counters. Cost: one encryption per element, or half of one where the whole array is drawn in
// the original layout.
#include "core/value/threefry.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "core/support/check.h"

namespace isoshard::threefry {
namespace {

constexpr uint32_t kParity = 0x1BD11BDA;

template <int a, int b, int c, int d>
void four_rounds(uint32_t& x, uint32_t& y) {
  const auto round = [&](int rotation) {
    x += y;
    y = std::rotl(y, rotation) ^ x;
  };
  round(a), round(b), round(c), round(d);
}

/// Pairs of the original layout: of `count` elements, the pair `i` holds elements i and pairs + i; where count is odd
/// the last counter is 0 and its word is dropped.
class OriginalArray {
 public:
  OriginalArray(uint64_t key, int64_t count) : key_(to_words(key)), count_(count), pairs_((count + 1) / 2) {}

  void fill(int64_t start, int64_t n, uint32_t* out) const {
    if (n == count_) return fill_all(out);
    for (int64_t i = 0; i < n; ++i) out[i] = at(start + i);
  }
  uint32_t at(int64_t i) const { return i < pairs_ ? pair(i).first : pair(i - pairs_).second; }

 private:
  Words pair(int64_t i) const {
    const int64_t partner = i + pairs_;
    return encrypt(key_, {static_cast<uint32_t>(i), partner < count_ ? static_cast<uint32_t>(partner) : 0});
  }

  void fill_all(uint32_t* out) const {
    for (int64_t i = 0; i < pairs_; ++i) {
      const Words words = pair(i);
      out[i] = words.first;
      if (i + pairs_ < count_) out[i + pairs_] = words.second;
    }
  }

  Words key_;
  int64_t count_;
  int64_t pairs_;
};

/// Counters have 32 bits in the original layout: longer arrays are blocks of this many elements, each with a key of its
/// own out of a split, and a rest with the last one.
constexpr int64_t kBlock = std::numeric_limits<uint32_t>::max();

void original_bits(uint64_t key, int64_t start, int64_t n, int64_t count, uint32_t* out) {
  const int64_t blocks = count / kBlock;
  if (blocks == 0) return OriginalArray(key, count).fill(start, n, out);
  for (int64_t done = 0; done < n;) {
    const int64_t block = (start + done) / kBlock, offset = (start + done) % kBlock;
    const int64_t size = block < blocks ? kBlock : count % kBlock;
    const int64_t taken = std::min(n - done, size - offset);
    OriginalArray(split(key, block, blocks + 1, KeyLayout::original), size).fill(offset, taken, out + done);
    done += taken;
  }
}

Words counter_of(int64_t index) { return to_words(std::rotl(static_cast<uint64_t>(index), 32)); }  // high word first

}  // namespace

Words encrypt(Words key, Words counter) {
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

uint64_t fold_in(uint64_t key, uint32_t data) { return to_key(encrypt(to_words(key), {0, data})); }

uint64_t split(uint64_t key, int64_t index, int64_t count, KeyLayout layout) {
  ISOSHARD_CHECK(0 <= index && index < count, "a key of the split");
  if (layout == KeyLayout::partitionable) return to_key(encrypt(to_words(key), counter_of(index)));
  const OriginalArray words(key, 2 * count);
  return to_key({words.at(2 * index), words.at(2 * index + 1)});
}

void random_bits(uint64_t key, int64_t start, int64_t n, int64_t count, KeyLayout layout, uint32_t* out) {
  ISOSHARD_CHECK(0 <= start && 0 <= n && start + n <= count, "elements of the array");
  if (layout == KeyLayout::original) return original_bits(key, start, n, count, out);
  const Words words = to_words(key);
  for (int64_t i = 0; i < n; ++i) {
    const Words both = encrypt(words, counter_of(start + i));
    out[i] = both.first ^ both.second;
  }
}

}  // namespace isoshard::threefry
