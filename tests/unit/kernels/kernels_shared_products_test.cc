// Products that several threads compute together have the bits of one thread, whatever the parts.
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "sim/kernels/gemm.h"
#include "sim/kernels/gemm_turned.h"
#include "sim/kernels/helpers.h"
#include "tests/kernels_testing.h"

namespace isoshard::sim::kernels_shared_products_test {
namespace {

using testing_support::first_difference;
using testing_support::random_values;
using testing_support::supported_isas;
using testing_support::Threads;

using Index = std::int64_t;

struct Shape {
  Index m, n, k;
};

template <typename T>
std::vector<T> product(Isa isa, Shape s, const std::vector<T>& a, const std::vector<T>& b, bool turned,
                       Helpers* helpers) {
  const HelpersHere here(helpers);
  std::vector<T> c(static_cast<std::size_t>(s.m * s.n), T(-7));
  const GemmOperand<T> left{a.data(), turned ? s.m : s.k, turned}, right{b.data(), turned ? s.k : s.n, turned};
  gemm(isa, s.m, s.n, s.k, left, right, c.data(), s.n);
  return c;
}

template <typename T>
class SharedProducts : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(SharedProducts, Floats);

TYPED_TEST(SharedProducts, HaveTheBitsOfOneThread) {
  using T = TypeParam;
  for (const Shape s : {Shape{250, 200, 310}, Shape{70, 1100, 300}, Shape{1300, 60, 140}, Shape{64, 257, 600}}) {
    const std::vector<T> a = random_values<T>(s.m * s.k, 1), b = random_values<T>(s.k * s.n, 2);
    for (const Isa isa : supported_isas()) {
      for (const bool turned : {false, true}) {
        const std::vector<T> alone = product(isa, s, a, b, turned, nullptr);
        for (const Index spare : {1, 2, 5}) {
          Threads threads(spare);
          EXPECT_EQ(first_difference(product(isa, s, a, b, turned, &threads), alone), -1)
              << isa_name(isa) << " " << s.m << "x" << s.n << "x" << s.k << " on " << spare + 1;
          EXPECT_GT(threads.parts, 1) << s.m << "x" << s.n << "x" << s.k;
        }
      }
    }
  }
}

TEST(SharedProducts, SmallOnesAreNotShared) {
  const Shape s{64, 64, 64};
  const std::vector<float> a = random_values<float>(s.m * s.k, 1), b = random_values<float>(s.k * s.n, 2);
  Threads threads(3);
  product(best_isa(), s, a, b, false, &threads);
  EXPECT_EQ(threads.parts, 0);
}

TEST(SharedProducts, NorAnyWhereNobodyIsSpare) {
  const Shape s{300, 300, 300};
  const std::vector<float> a = random_values<float>(s.m * s.k, 1), b = random_values<float>(s.k * s.n, 2);
  Threads threads(0);
  product(best_isa(), s, a, b, false, &threads);
  EXPECT_EQ(threads.parts, 0);
}

}  // namespace
}  // namespace isoshard::sim::kernels_shared_products_test
