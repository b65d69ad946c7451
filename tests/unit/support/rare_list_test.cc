// Lists that are empty almost always, against std::vector.
#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/support/rare_list.h"

namespace isoshard::testing::rare_list_test {
namespace {

using List = RareList<std::string>;
using Strings = std::vector<std::string>;

TEST(RareLists, AreOnePointer) { EXPECT_EQ(sizeof(List), sizeof(void*)); }

TEST(RareLists, ReadAsVectors) {
  const List none, some{"a", "b"};
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.all(), Strings());
  EXPECT_EQ(none.begin(), none.end());
  EXPECT_EQ(some.size(), 2U);
  EXPECT_EQ(some.front() + some[1] + some.back(), "abb");
  const Strings& read = some;
  EXPECT_EQ(read, (Strings{"a", "b"}));
  EXPECT_THROW(static_cast<void>(none.at(0)), std::out_of_range);
}

TEST(RareLists, AreFilledAndCopied) {
  List list;
  list.push_back("a");
  list.own().emplace_back("b");
  List copy = list;
  copy[0] = "changed";
  EXPECT_EQ(list, (List{"a", "b"}));
  EXPECT_EQ(copy, (List{"changed", "b"}));
  const List moved = std::move(copy);
  EXPECT_EQ(moved.size(), 2U);
  list = List();
  EXPECT_TRUE(list.empty());
}

TEST(RareLists, AreEqualHoweverTheyBecameEmpty) {
  List emptied{"a"};
  emptied.own().clear();
  EXPECT_EQ(emptied, List());
  EXPECT_EQ(List(Strings()), List());
  EXPECT_FALSE(List{"a"} == List());
}

}  // namespace
}  // namespace isoshard::testing::rare_list_test
