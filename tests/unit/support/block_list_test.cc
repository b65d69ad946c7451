// Lists in blocks against std::vector, and what stays where it is.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "core/support/block_list.h"

namespace isoshard::testing::block_list_test {
namespace {

TEST(BlockLists, AreWhatWasAppended) {
  BlockList<uint32_t> list;
  EXPECT_TRUE(list.empty());
  for (uint32_t i = 0; i < 5000; ++i) list.push_back(i);
  ASSERT_EQ(list.size(), 5000U);
  for (uint32_t i = 0; i < 5000; ++i) ASSERT_EQ(list[i], i);
  EXPECT_EQ(list.back(), 4999U);
  EXPECT_GE(list.bytes(), 5 * 4096U);
  EXPECT_LE(list.bytes(), 9 * 4096U);
}

TEST(BlockLists, KeepTheirPlaces) {
  BlockList<uint32_t> list;
  list.push_back(7);
  const uint32_t* const first = &list[0];
  for (uint32_t i = 0; i < 100000; ++i) list.push_back(i);
  EXPECT_EQ(&list[0], first);
}

TEST(BlockLists, AreCopiedAndMoved) {
  BlockList<uint32_t> list;
  for (uint32_t i = 0; i < 3000; ++i) list.push_back(i);
  BlockList<uint32_t> copy = list;
  copy[2000] = 1;
  copy.push_back(5);
  EXPECT_EQ(list[2000], 2000U);
  EXPECT_EQ(list.size(), 3000U);
  EXPECT_EQ(copy.back(), 5U);
  const BlockList<uint32_t> moved = std::move(copy);
  EXPECT_EQ(moved.size(), 3001U);
  list = moved;
  EXPECT_EQ(list[2000], 1U);
  list.clear();
  EXPECT_TRUE(list.empty());
  list.push_back(3);
  EXPECT_EQ(list[0], 3U);
}

/// Items side by side are in one block; what is left of the one before is lost.
TEST(BlockLists, ExtendByWhatLiesSideBySide) {
  BlockList<uint32_t> list;
  constexpr size_t kEach = BlockList<uint32_t>::kEach;
  EXPECT_EQ(list.extend(0), 0U);
  EXPECT_EQ(list.extend(kEach - 1), 0U);
  EXPECT_EQ(list.extend(2), kEach);
  EXPECT_EQ(&list[kEach] + 1, &list[kEach + 1]);
  EXPECT_EQ(list.extend(kEach - 2), kEach + 2) << "the rest of a block";
  EXPECT_EQ(list.extend(kEach), 2 * kEach);
  EXPECT_EQ(list.extend(0), 3 * kEach);
  EXPECT_EQ(list.size(), 3 * kEach);
}

}  // namespace
}  // namespace isoshard::testing::block_list_test
