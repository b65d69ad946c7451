// Boxes of arrays: cut with padding, put back, compared.
#include "exec/run/boxes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace isoshard::exec::boxes_test {
namespace {

Tensor numbers(const Shape& shape) {
  std::vector<int32_t> values(static_cast<size_t>(element_count(shape)));
  std::iota(values.begin(), values.end(), 0);
  return Tensor::from<int32_t>(DType::i32, shape, values);
}

std::vector<int32_t> cut(const Tensor& whole, const IndexRange& range) {
  std::vector<int32_t> box(box_bytes(range, whole.dtype()) / sizeof(int32_t));
  cut_box(whole, range, std::as_writable_bytes(std::span(box)));
  return box;
}

TEST(Boxes, AreDenseAndPaddedWithOnes) {
  const Tensor whole = numbers({3, 4});
  EXPECT_EQ(cut(whole, {{1, 1}, {3, 3}}), (std::vector<int32_t>{5, 6, 9, 10}));
  EXPECT_EQ(cut(whole, {{2, 2}, {4, 5}}), (std::vector<int32_t>{10, 11, -1, -1, -1, -1}));
  EXPECT_EQ(cut(whole, {{3, 0}, {4, 2}}), (std::vector<int32_t>{-1, -1}));
  EXPECT_EQ(cut(numbers({}), {{}, {}}), std::vector<int32_t>{0});
  EXPECT_EQ(cut(numbers({0, 2}), {{0, 0}, {0, 2}}), std::vector<int32_t>{});
  EXPECT_EQ(cut(numbers({2, 2, 2}), {{0, 1, 0}, {2, 2, 2}}), (std::vector<int32_t>{2, 3, 6, 7}));
}

TEST(Boxes, GoBackToTheirPlace) {
  const Tensor whole = numbers({3, 5});
  WholeArray copy{DType::i32, {3, 5}, std::vector<std::byte>(whole.bytes().size())};
  for (const int64_t row : {0, 2}) {
    for (const int64_t column : {0, 3}) {
      const IndexRange range{{row, column}, {row + 2, column + 3}};
      const std::vector<int32_t> box = cut(whole, range);
      put_box(std::as_bytes(std::span(box)), range, copy);
    }
  }
  EXPECT_TRUE(std::equal(copy.bytes.begin(), copy.bytes.end(), whole.bytes().begin()));
}

TEST(Boxes, FirstDifferenceIsInTheWholeArray) {
  const Tensor whole = numbers({3, 5});
  WholeArray copy{DType::i32, {3, 5}, {whole.bytes().begin(), whole.bytes().end()}};
  const IndexRange range{{1, 3}, {4, 6}};
  std::vector<int32_t> box = cut(whole, range);
  box[2] = 7;  // padding
  EXPECT_FALSE(first_difference(std::as_bytes(std::span(box)), range, copy));
  box[4] += 1;
  EXPECT_EQ(first_difference(std::as_bytes(std::span(box)), range, copy), (std::vector<int64_t>{2, 4}));
}

}  // namespace
}  // namespace isoshard::exec::boxes_test
