// Transposes of words against their definition, on every instruction set.
#include <gtest/gtest.h>

#include <random>

#include "sim/kernels/transpose.h"
#include "tests/kernels_testing.h"

namespace isoshard::sim::kernels_transpose_test {
namespace {

using testing_support::supported_isas;

using Index = std::int64_t;

template <typename T>
class TransposeWords : public ::testing::Test {};
using Words = ::testing::Types<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(TransposeWords, Words);

/// Whole blocks, edges of each side, several strips; between rows there are words that are neither read nor written.
TYPED_TEST(TransposeWords, MovesEachWordAndTouchesNoMore) {
  using T = TypeParam;
  std::mt19937_64 random(5);
  const Index shapes[][2] = {{1, 1}, {0, 3}, {3, 0}, {1, 70}, {70, 1}, {8, 8}, {16, 16}, {17, 31}, {64, 48}, {150, 37}};
  for (const auto& [rows, columns] : shapes) {
    const Index from_row = rows + 3, to_row = columns + 2;
    std::vector<T> from(static_cast<std::size_t>(columns * from_row + 1));
    for (T& word : from) word = static_cast<T>(random());
    std::vector<T> expected(static_cast<std::size_t>(rows * to_row + 1), T(77));
    for (Index i = 0; i < rows; ++i) {
      for (Index j = 0; j < columns; ++j) {
        expected[static_cast<std::size_t>(i * to_row + j)] = from[static_cast<std::size_t>(j * from_row + i)];
      }
    }
    for (const Isa isa : supported_isas()) {
      std::vector<T> to(expected.size(), T(77));
      transpose_words(isa, rows, columns, from.data(), from_row, to.data(), to_row);
      EXPECT_EQ(to, expected) << isa_name(isa) << " " << rows << "x" << columns;
    }
  }
}

}  // namespace
}  // namespace isoshard::sim::kernels_transpose_test
