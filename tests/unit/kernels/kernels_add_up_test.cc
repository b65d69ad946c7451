// Sums of several arrays in one call have the bits of one addition after another, alone and on several threads.
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "sim/kernels/elementwise.h"
#include "tests/kernels_testing.h"

namespace isoshard::sim::kernels_add_up_test {
namespace {

using testing_support::first_difference;
using testing_support::random_values;
using testing_support::supported_isas;
using testing_support::Threads;

template <typename T>
using Arrays = std::vector<std::vector<T>>;

template <typename T>
Arrays<T> random_arrays(std::size_t count, std::int64_t n) {
  Arrays<T> arrays;
  for (std::size_t i = 0; i < count; ++i) arrays.push_back(random_values<T>(n, static_cast<std::uint64_t>(i) + 1));
  const T infinity = std::numeric_limits<T>::infinity();
  arrays.back()[0] = std::numeric_limits<T>::quiet_NaN();
  arrays.back()[1] = -infinity;
  arrays.front()[1] = infinity;
  return arrays;
}

template <typename T>
std::vector<const T*> pointers(const Arrays<T>& arrays) {
  std::vector<const T*> all;
  for (const std::vector<T>& array : arrays) all.push_back(array.data());
  return all;
}

template <typename T>
std::vector<T> one_after_another(const Arrays<T>& arrays) {
  std::vector<T> sum = arrays[0];
  const auto n = static_cast<std::int64_t>(sum.size());
  for (std::size_t i = 1; i < arrays.size(); ++i) accumulate(Isa::scalar, sum.data(), arrays[i].data(), n);
  return sum;
}

template <typename T>
class AddUp : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(AddUp, Floats);

TYPED_TEST(AddUp, HasTheBitsOfOneAfterAnother) {
  using T = TypeParam;
  for (const std::int64_t n : {2, 37, 2048, 5000}) {
    for (std::size_t count = 1; count <= 11; ++count) {
      Arrays<T> arrays = random_arrays<T>(count, n);
      const std::vector<T> expected = one_after_another(arrays);
      for (const Isa isa : supported_isas()) {
        std::vector<T> sum(static_cast<std::size_t>(n), T(-7));
        add_up(isa, pointers(arrays), sum.data(), n);
        EXPECT_EQ(first_difference(sum, expected), -1) << isa_name(isa) << ", " << count << " of " << n;
      }
      add_up(best_isa(), pointers(arrays), arrays[0].data(), n);
      EXPECT_EQ(first_difference(arrays[0], expected), -1) << "in place, " << count << " of " << n;
    }
  }
}

TYPED_TEST(AddUp, HasTheBitsOfOneThread) {
  using T = TypeParam;
  constexpr std::int64_t kLength = 300000;
  const Arrays<T> arrays = random_arrays<T>(6, kLength);
  const std::vector<T> expected = one_after_another(arrays);
  for (const std::int64_t spare : {0, 1, 3}) {
    Threads threads(spare);
    const HelpersHere here(&threads);
    std::vector<T> sum(static_cast<std::size_t>(kLength));
    add_up(best_isa(), pointers(arrays), sum.data(), kLength);
    EXPECT_EQ(first_difference(sum, expected), -1) << spare;
    EXPECT_EQ(threads.parts > 1, spare > 0);
  }
}

}  // namespace
}  // namespace isoshard::sim::kernels_add_up_test
