#include "verify/compare/ratio.h"

#include <gtest/gtest.h>

#include <array>

#include "sim/domains/prime_field.h"

namespace isoshard::verify::verify_ratio_test {
namespace {

constexpr std::array<uint64_t, 3> kPrimes{2147483647, 2147483629, 2147483587};

std::array<uint64_t, 3> residues(int64_t numerator, uint32_t denominator) {
  std::array<uint64_t, 3> result{};
  for (size_t l = 0; l < 3; ++l) {
    const sim::PrimeField field(kPrimes[l]);
    result[l] = field.multiply(field.residue(numerator), field.inverse(denominator));
  }
  return result;
}

TEST(VerifyRatio, SmallRationalsComeBack) {
  for (const int64_t n : {1, 2, -3, 4, 120, -4096}) {
    for (const uint32_t d : {1U, 7U, 256U, 4001U}) {
      const std::optional<Ratio> r = reconstruct(residues(n, d), kPrimes);
      ASSERT_TRUE(r) << n << "/" << d;
      EXPECT_EQ(r->numerator * static_cast<int64_t>(d), n * r->denominator);
      EXPECT_GT(r->denominator, 0);
    }
  }
}

TEST(VerifyRatio, OthersDoNot) {
  EXPECT_FALSE(reconstruct(std::array<uint64_t, 3>{4, 5, 4}, kPrimes));
  EXPECT_FALSE(reconstruct(std::array<uint64_t, 3>{1234567891, 1234567891, 1234567891}, kPrimes));
}

TEST(VerifyRatio, Words) {
  const Mesh mesh("m", {{"dp", 2}, {"tp", 3}, {"sp", 3}, {"one", 1}});
  EXPECT_EQ(in_words({2, 1}, mesh, {}), "size(dp)");
  EXPECT_EQ(in_words({1, 2}, mesh, {}), "1/size(dp)");
  EXPECT_EQ(in_words({18, 1}, mesh, {}), "size(dp)*size(tp)*size(sp)");
  EXPECT_EQ(in_words({1, 9}, mesh, {}), "1/(size(tp)*size(sp))");
  EXPECT_EQ(in_words({3, 1}, mesh, {}), "size(tp)");
  AxisSet hint;
  hint.insert(AxisId(2));
  EXPECT_EQ(in_words({3, 1}, mesh, hint), "size(sp)");
  EXPECT_EQ(in_words({1, 1}, mesh, {}, true), "size(dp)-1");
  EXPECT_EQ(in_words({5, 1}, mesh, {}, true), "size(dp)*size(tp)-1");
  EXPECT_EQ(in_words({5, 1}, mesh, {}), "");
  EXPECT_EQ(in_words({7, 5}, mesh, {}), "");
}

}  // namespace
}  // namespace isoshard::verify::verify_ratio_test
