#include <gtest/gtest.h>

#include <random>

#include "core/ir/builder/cover.h"

namespace isoshard::ir_cover_test {
namespace {

using Index = std::vector<int64_t>;

int64_t below(std::mt19937_64& random, int64_t bound) {
  return static_cast<int64_t>(random() % static_cast<uint64_t>(bound));
}

bool holds(const IndexRange& box, const Index& index) {
  for (size_t d = 0; d < index.size(); ++d) {
    if (index[d] < box.begin[d] || index[d] >= box.end[d]) return false;
  }
  return true;
}

size_t times(const std::vector<IndexRange>& boxes, const Index& index) {
  size_t result = 0;
  for (const IndexRange& box : boxes) result += holds(box, index) ? 1U : 0U;
  return result;
}

/// The indices of all elements of `shape`.
std::vector<Index> indices(const Shape& shape) {
  std::vector<Index> result{{}};
  for (const int64_t size : shape) {
    std::vector<Index> longer;
    for (const Index& index : result) {
      for (int64_t i = 0; i < size; ++i) {
        longer.push_back(index);
        longer.back().push_back(i);
      }
    }
    result = std::move(longer);
  }
  return result;
}

TEST(Cover, AgreesWithCountingElements) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    std::mt19937_64 random(seed);
    Shape shape;
    for (int64_t rank = below(random, 4); rank > 0; --rank) shape.push_back(below(random, 6));
    Cover cover(shape);
    std::vector<IndexRange> boxes;
    for (int64_t n = below(random, 7); n > 0; --n) {
      IndexRange box;
      for (const int64_t size : shape) {
        box.begin.push_back(below(random, size + 1));
        box.end.push_back(box.begin.back() + below(random, size - box.begin.back() + 1));
      }
      cover.add(box.begin, box.end);
      boxes.push_back(std::move(box));
    }
    ASSERT_TRUE(cover.count());
    const auto wanted = static_cast<size_t>(below(random, 3));
    const std::vector<IndexRange> fewer = cover.wrong(static_cast<int64_t>(wanted), false);
    const std::vector<IndexRange> more = cover.wrong(static_cast<int64_t>(wanted), true);
    for (const Index& index : indices(shape)) {
      EXPECT_EQ(times(fewer, index), times(boxes, index) < wanted ? 1U : 0U) << "seed " << seed;
      EXPECT_EQ(times(more, index), times(boxes, index) > wanted ? 1U : 0U) << "seed " << seed;
    }
  }
}

TEST(Cover, ScalarsAndUniformCounts) {
  Cover scalar{Shape{}};
  scalar.add({}, {});
  scalar.add({}, {});
  ASSERT_TRUE(scalar.count());
  EXPECT_EQ(scalar.uniform(), 2);
  Cover halves{Shape{4}};
  halves.add(Index{0}, Index{2});
  ASSERT_TRUE(halves.count());
  EXPECT_EQ(halves.uniform(), std::nullopt);
  EXPECT_EQ(to_string(halves.wrong(1, false)), "[2:4]");
}

TEST(Cover, ManyRangesAreCutShort) {
  Cover cover{Shape{12}};
  for (int64_t i = 1; i < 12; i += 2) cover.add(Index{i}, Index{i + 1});
  ASSERT_TRUE(cover.count());
  EXPECT_EQ(to_string(cover.wrong(1, false)), "[0:1], [2:3], [4:5], [6:7] and 2 more");
}

TEST(Cover, GridsWithoutEndAreRefused) {
  const int64_t n = int64_t{1} << 14;
  Cover cover(Shape{n, n});
  for (int64_t i = 0; i < n; ++i) cover.add(Index{i, i}, Index{i + 1, i + 1});
  EXPECT_FALSE(cover.count());
}

}  // namespace
}  // namespace isoshard::ir_cover_test
