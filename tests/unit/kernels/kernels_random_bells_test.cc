// Bell-shaped random numbers: their definition, the same bits on all instruction sets, and moments of a bell.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "core/support/mix.h"
#include "sim/kernels/random_bells.h"
#include "tests/kernels_testing.h"

namespace isoshard::sim::kernels_random_bells_test {
namespace {

using testing_support::first_difference;
using testing_support::supported_isas;

std::vector<double> bells_of(Isa isa, std::uint64_t key, std::size_t n) {
  std::vector<double> bells(n);
  random_bells(isa, key, std::ssize(bells), bells.data());
  return bells;
}

double uniform_of(std::uint64_t key, std::uint64_t index) {
  return std::ldexp(static_cast<double>(word_at(key, index) >> 11), -53);
}

TEST(RandomBells, AreSumsOfFourUniformNumbers) {
  const std::vector<double> bells = bells_of(Isa::scalar, 7, 33);
  for (std::size_t i = 0; i < bells.size(); ++i) {
    double sum = -2;
    for (std::uint64_t j = 0; j < 4; ++j) sum += uniform_of(7, 4 * i + j);
    EXPECT_EQ(bells[i], std::sqrt(3.0) * sum) << i;
  }
}

TEST(RandomBells, HaveTheSameBitsOnAllInstructionSets) {
  for (const Isa isa : supported_isas()) {
    for (const std::size_t n : {0U, 1U, 7U, 8U, 9U, 1000U}) {
      const std::uint64_t key = ~std::uint64_t{0} - n;  // indices wrap around
      EXPECT_EQ(first_difference(bells_of(isa, key, n), bells_of(Isa::scalar, key, n)), -1) << isa_name(isa) << n;
    }
  }
}

TEST(RandomBells, HaveMean0AndVariance1) {
  constexpr std::size_t kCount = 1U << 16;
  double sum = 0, squares = 0;
  for (const double x : bells_of(best_isa(), 1, kCount)) {
    EXPECT_LE(std::abs(x), 2 * std::sqrt(3.0));
    sum += x;
    squares += x * x;
  }
  EXPECT_LT(std::abs(sum), 5 * std::sqrt(kCount));  // five standard deviations
  EXPECT_NEAR(squares / kCount, 1, 0.02);
}

}  // namespace
}  // namespace isoshard::sim::kernels_random_bells_test
