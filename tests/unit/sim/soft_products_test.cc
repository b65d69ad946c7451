// Products of matrices of which some floats are tables, without a domain.
#include "sim/domains/soft/soft_products.h"

#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <vector>

#include "sim/domains/residues/ring_a.h"

namespace isoshard::sim::soft_products_test {
namespace {

/// 2 x 2 matrices of integers.
class SoftProductsTest : public ::testing::Test {
 protected:
  static constexpr int64_t kSize = 4;
  using Word = SoftIntegers::Word;

  std::vector<std::byte> empty() const {
    const Storage storage = ring_.storage(DType::f32);
    return std::vector<std::byte>(storage.element_bytes * (storage.planes + 2) * static_cast<size_t>(kSize));
  }
  std::vector<std::byte> matrix(const std::array<Word, kSize>& words) const {
    std::vector<std::byte> result = empty();
    for (int64_t i = 0; i < kSize; ++i)
      arrays_.put_float(words[static_cast<size_t>(i)], DType::f32, kSize, i, result.data());
    return result;
  }
  std::vector<std::byte> product(const std::vector<std::byte>& a, const std::vector<std::byte>& b) const {
    std::vector<std::byte> result = empty();
    ring_.dot(DType::f32, 2, 2, 2, a.data(), b.data(), result.data());
    products_.multiply({DType::f32,
                        {2, 2, 2},
                        a.data(),
                        b.data(),
                        arrays_.tables(DType::f32, kSize, a.data()),
                        arrays_.tables(DType::f32, kSize, b.data())},
                       result.data());
    return result;
  }
  /// The numbers of element i, one per part.
  std::vector<int64_t> numbers(const std::vector<std::byte>& x, int64_t i) const {
    const SoftFloats::Id id = arrays_.table_of(DType::f32, kSize, x.data(), i);
    if (id == 0) return {};
    const SoftFloat& table = arrays_.floats().at(id);
    std::vector<int64_t> result(static_cast<size_t>(table.parts));
    ring_.to_integers(DType::f32, table.parts, table.elements.data(), DType::i64, result.data());
    return result;
  }
  Word number(int64_t x) { return integers_.number(x); }

  const RingDomain ring_{2, 7};
  SoftIntegers integers_{ring_.residue_fields(), 3};
  const SoftOptions options_{.tabled = true};
  const SoftFloatArrays arrays_{ring_, integers_, options_};
  const SoftProducts products_{arrays_};
};

TEST_F(SoftProductsTest, OfOneMatrixWithTablesAreTablesAlongItsLines) {
  const Word x = integers_.variable(SoftName{1, 1}, std::array<int64_t, 2>{2, 5});
  const std::vector<std::byte> a = matrix({x, number(1), number(3), number(4)});
  const std::vector<std::byte> b = matrix({number(1), number(2), number(3), number(4)});
  const std::vector<std::byte> left = product(a, b), right = product(b, a);
  EXPECT_EQ(numbers(left, 0), (std::vector<int64_t>{2 + 3, 5 + 3}));
  EXPECT_EQ(numbers(left, 1), (std::vector<int64_t>{4 + 4, 10 + 4}));
  EXPECT_TRUE(numbers(left, 2).empty()) << "a row without tables";
  EXPECT_EQ(numbers(right, 0), (std::vector<int64_t>{2 + 6, 5 + 6}));
  EXPECT_TRUE(numbers(right, 1).empty());
  EXPECT_EQ(numbers(right, 2), (std::vector<int64_t>{6 + 12, 15 + 12}));
}

TEST_F(SoftProductsTest, OfTwoMatricesWithTablesAreTablesOfBoth) {
  const Word x = integers_.variable(SoftName{1, 1}, std::array<int64_t, 2>{2, 5});
  const Word y = integers_.variable(SoftName{2, 2}, std::array<int64_t, 2>{0, 1});
  const std::vector<std::byte> a = matrix({x, number(1), number(3), number(4)});
  const std::vector<std::byte> squares = product(a, a);
  EXPECT_EQ(numbers(squares, 0), (std::vector<int64_t>{4 + 3, 25 + 3}));
  const std::vector<std::byte> both = product(a, matrix({y, number(1), number(3), number(4)}));
  EXPECT_EQ(numbers(both, 0), (std::vector<int64_t>{3, 2 + 3, 5 + 3})) << "equal elements are one part";
}

}  // namespace
}  // namespace isoshard::sim::soft_products_test
