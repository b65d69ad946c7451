// Long lists against what was put into them, also after they were shortened and copied.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/support/long_list.h"

namespace isoshard::testing::long_list_test {
namespace {

std::string item(size_t i) { return "an item that lies in memory of its own, number " + std::to_string(i); }

void fill(LongList<std::string>& list, size_t size) {
  while (list.size() < size) list.push_back(item(list.size()));
}

void expect_items(const LongList<std::string>& list, size_t size) {
  ASSERT_EQ(list.size(), size);
  for (size_t i = 0; i < size; ++i) ASSERT_EQ(list[i], item(i));
}

TEST(LongLists, AreWhatWasAppended) {
  LongList<std::string> list;
  fill(list, 1000);
  expect_items(list, 1000);
  EXPECT_EQ(list.back(), item(999));
}

TEST(LongLists, GrowAgainAfterTheyWereShortened) {
  for (const size_t kept : std::vector<size_t>{0, 1, 63, 64, 65, 127, 128, 300}) {
    LongList<std::string> list;
    fill(list, 300);
    list.shorten(kept);
    expect_items(list, kept);
    fill(list, 400);
    expect_items(list, 400);
  }
}

TEST(LongLists, KeepTheirPlacesBehindTheFirstBlock) {
  LongList<std::string> list;
  fill(list, 65);
  const std::string* const place = &list[64];
  fill(list, 10000);
  EXPECT_EQ(&list[64], place);
}

TEST(LongLists, AreCopied) {
  LongList<std::string> list;
  fill(list, 200);
  LongList<std::string> copy = list;
  copy[100] = "changed";
  fill(copy, 300);
  EXPECT_EQ(copy[100], "changed");
  expect_items(list, 200);
}

}  // namespace
}  // namespace isoshard::testing::long_list_test
