#include "verify/ratio.h"

#include <gtest/gtest.h>

#include <array>

#include "sim/kernels/elementwise_mod31.h"

namespace isoshard::verify::verify_ratio_test {
namespace {

std::array<uint32_t, 3> residues(int64_t numerator, uint32_t denominator) {
  const int64_t n = (numerator % sim::kMod31 + sim::kMod31) % sim::kMod31;
  const uint32_t r = sim::multiply_mod31(static_cast<uint32_t>(n), inverse_mod31(denominator));
  return {r, r, r};
}

TEST(VerifyRatio, SmallRationalsComeBack) {
  for (const int64_t n : {1, 2, -3, 4, 120, -4096}) {
    for (const uint32_t d : {1U, 7U, 256U, 4001U}) {
      const std::optional<Ratio> r = reconstruct(residues(n, d));
      ASSERT_TRUE(r) << n << "/" << d;
      EXPECT_EQ(r->numerator * static_cast<int64_t>(d), n * r->denominator);
      EXPECT_GT(r->denominator, 0);
    }
  }
}

TEST(VerifyRatio, OthersDoNot) {
  const std::array<uint32_t, 2> different{4, 5};
  EXPECT_FALSE(reconstruct(different));
  const std::array<uint32_t, 2> large{1234567891, 1234567891};
  EXPECT_FALSE(reconstruct(large));
}

TEST(VerifyRatio, Inverse) {
  for (const uint32_t x : {1U, 2U, 65537U, 2147483646U}) EXPECT_EQ(sim::multiply_mod31(x, inverse_mod31(x)), 1U);
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
