// What names stand for, against std::map, and in what order they came.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>

#include "core/support/name_map.h"

namespace isoshard::testing::name_map_test {
namespace {

TEST(NameMaps, FindWhatWasInserted) {
  NameMap<int> map;
  std::map<std::string, int> expected;
  EXPECT_EQ(map.find("x"), nullptr);
  for (int i = 0; i < 20000; ++i) {
    const std::string name = "h." + std::to_string(i * 7 % 15000);
    const auto [item, is_new] = map.insert(name, i);
    EXPECT_EQ(is_new, expected.emplace(name, i).second);
    ASSERT_EQ(*item, expected.at(name));
  }
  ASSERT_EQ(map.size(), expected.size());
  for (const auto& [name, item] : expected) ASSERT_EQ(*map.find(name), item);
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(map.find("z." + std::to_string(i)), nullptr);
}

TEST(NameMaps, KeepTextsAndTheirOrder) {
  NameMap<int> map;
  const std::string longest(100000, 'n');
  {
    std::string gone = "first";
    map.insert(gone, 1);
    gone = "other";
  }
  map.insert(longest, 2);
  map.insert("", 3);
  EXPECT_EQ(map.name(0), "first");
  EXPECT_EQ(map.name(1), longest);
  EXPECT_EQ(map.name(2), "");
  EXPECT_EQ(*map.find(""), 3);
}

TEST(NameMaps, CanBeChangedAndMoved) {
  NameMap<int> map;
  map.insert("x", 1);
  *map.find("x") = 5;
  NameMap<int> moved = std::move(map);
  EXPECT_EQ(*moved.find("x"), 5);
  EXPECT_FALSE(moved.insert("x", 6).second);
  EXPECT_EQ(*moved.find("x"), 5);
}

}  // namespace
}  // namespace isoshard::testing::name_map_test
