// Keys and random bits against numbers that JAX printed.
#include "core/value/threefry.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace isoshard::threefry::threefry_test {
namespace {

constexpr KeyLayout kOriginal = KeyLayout::original, kPartitionable = KeyLayout::partitionable;

std::vector<uint32_t> bits(uint64_t key, int64_t count, KeyLayout layout = kOriginal) {
  std::vector<uint32_t> result(static_cast<size_t>(count));
  random_bits(key, 0, count, count, layout, result.data());
  return result;
}

uint64_t key(uint32_t first, uint32_t second) { return to_key({first, second}); }

TEST(Threefry, SplitsAsJax) {
  EXPECT_EQ(split(key_of(0), 0, 2, kOriginal), key(4146024105, 967050713));
  EXPECT_EQ(split(key_of(0), 1, 2, kOriginal), key(2718843009, 1272950319));
  EXPECT_EQ(split(key_of(42), 0, 3, kOriginal), key(3134548294, 3733159049));
  EXPECT_EQ(split(key_of(42), 1, 3, kOriginal), key(3746501087, 894150801));
  EXPECT_EQ(split(key_of(42), 2, 3, kOriginal), key(801545058, 2363201431));
  EXPECT_EQ(split(key_of(42), 0, 2, kPartitionable), key(1832780943, 270669613));
  EXPECT_EQ(split(key_of(42), 1, 2, kPartitionable), key(64467757, 2916123636));
}

TEST(Threefry, FoldsAsJax) {
  EXPECT_EQ(fold_in(key_of(42), 0), key(1832780943, 270669613));
  EXPECT_EQ(fold_in(key_of(42), 1), key(64467757, 2916123636));
  EXPECT_EQ(fold_in(key_of(42), 2), key(2465931498, 255383827));
  const uint64_t init = split(split(key_of(42), 0, 3, kOriginal), 0, 2, kOriginal);
  EXPECT_EQ(init, key(2073407881, 1735592262));
  EXPECT_EQ(fold_in(init, 0), key(630925041, 478374870));
  EXPECT_EQ(fold_in(fold_in(init, 0), 1205362272), key(2147925204, 109672462));
}

TEST(Threefry, DrawsBitsAsJax) {
  EXPECT_EQ(bits(key_of(42), 4), (std::vector<uint32_t>{2465931498, 3679230171, 255383827, 267815257}));
  EXPECT_EQ(bits(key_of(42), 3), (std::vector<uint32_t>{2465931498, 430176367, 255383827}));  // odd: another pairing
  EXPECT_EQ(bits(key_of(42), 3, kPartitionable), (std::vector<uint32_t>{2098992034, 2919706841, 2646866425}));
}

TEST(Threefry, DrawsAnyPartWithoutTheRest) {
  for (const KeyLayout layout : {kOriginal, kPartitionable}) {
    for (const int64_t count : {1, 2, 7, 64, 101}) {
      const std::vector<uint32_t> all = bits(key_of(7), count, layout);
      for (int64_t start = 0; start < count; ++start) {
        for (int64_t n = 0; start + n <= count; n += 1 + n / 3) {
          std::vector<uint32_t> part(static_cast<size_t>(n));
          random_bits(key_of(7), start, n, count, layout, part.data());
          EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + start)) << count << " " << start << " " << n;
        }
      }
    }
  }
}

/// Above 2^32 - 1 elements the original layout goes on with keys of a split, and the other one with the high word.
TEST(Threefry, ReachesBeyondThirtyTwoBits) {
  constexpr int64_t kBlock = (int64_t{1} << 32) - 1, kCount = 2 * kBlock + 10;
  std::vector<uint32_t> across(4), rest(10), last(1);
  random_bits(key_of(1), 2 * kBlock - 2, 4, kCount, kOriginal, across.data());
  random_bits(split(key_of(1), 2, 3, kOriginal), 0, 10, 10, kOriginal, rest.data());
  const auto half = static_cast<uint32_t>((kBlock + 1) / 2), end = static_cast<uint32_t>(kBlock - 1);
  const uint64_t block_key = split(key_of(1), 1, 3, kOriginal);
  EXPECT_EQ(across[1], encrypt(to_words(block_key), {end - half, end}).second);  // the last one of its block
  EXPECT_EQ(across[2], rest[0]);
  EXPECT_EQ(across[3], rest[1]);
  random_bits(key_of(1), (int64_t{1} << 32) + 5, 1, kCount, kPartitionable, last.data());
  const Words words = encrypt({0, 1}, {1, 5});
  EXPECT_EQ(last[0], words.first ^ words.second);
}

}  // namespace
}  // namespace isoshard::threefry::threefry_test
