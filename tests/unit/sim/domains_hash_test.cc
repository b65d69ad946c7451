// The keyed hash behind opaque functions and random inputs.
#include <gtest/gtest.h>

#include <bit>
#include <set>
#include <vector>

#include "sim/domains/keyed_hash.h"

namespace isoshard::sim::domains_hash_test {
namespace {

// The vectors of the SipHash paper's reference code: key 00 01 … 0f, message 00 01 … (n - 1).
constexpr uint64_t kKey0 = 0x0706050403020100u;
constexpr uint64_t kKey1 = 0x0f0e0d0c0b0a0908u;

TEST(KeyedHash, IsSipHash24) {
  KeyedHash hash(kKey0, kKey1);
  EXPECT_EQ(hash.finish(), 0x726fdb47dd0e0e31u);
  EXPECT_EQ(hash.with(kKey0), 0x93f5f5799a932462u);
  hash.absorb(kKey0);
  EXPECT_EQ(hash.with(kKey1), 0x3f2acc7f57c29bdbu);
}

TEST(KeyedHash, SpreadsOverItsRange) {
  const KeyedHash hash(1, 2);
  constexpr uint32_t kBuckets = 1000;
  std::vector<int> hits(kBuckets, 0);
  for (uint64_t i = 0; i < 1000 * kBuckets; ++i) ++hits[scaled(hash.with(i), kBuckets)];
  double chi_square = 0;
  for (const int h : hits) chi_square += (h - 1000.0) * (h - 1000.0) / 1000.0;
  EXPECT_GT(chi_square, 999 - 6 * 45);  // mean 999, standard deviation 45
  EXPECT_LT(chi_square, 999 + 6 * 45);
}

TEST(KeyedHash, EveryBitOfTheKeyMatters) {
  const uint64_t base = KeyedHash(0, 0).with(5);
  for (int bit = 0; bit < 64; ++bit) {
    EXPECT_NE(KeyedHash(uint64_t{1} << bit, 0).with(5), base);
    EXPECT_NE(KeyedHash(0, uint64_t{1} << bit).with(5), base);
  }
}

TEST(Scaled, IsTheHighPartOfTheProduct) {
  EXPECT_EQ(scaled(0, 2147483647u), 0u);
  EXPECT_EQ(scaled(~uint64_t{0}, 2147483647u), 2147483646u);
  EXPECT_EQ(scaled(uint64_t{1} << 63, 1000u), 500u);
}

}  // namespace
}  // namespace isoshard::sim::domains_hash_test
