// Lists of a few things against std::vector, in place and beyond; what is shared until somebody changes it.
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "core/support/id.h"
#include "core/support/shared.h"
#include "core/support/short_list.h"

namespace isoshard::testing::short_list_test {
namespace {

using TestId = Id<struct TestTag>;
struct Pair {
  uint32_t first = 0;
  bool second = false;
  bool operator==(const Pair&) const = default;
};

/// Whether the items are in the list itself.
template <class T>
bool are_in_place(const ShortList<T>& list) {
  const auto first = reinterpret_cast<uintptr_t>(list.begin()), self = reinterpret_cast<uintptr_t>(&list);
  return first >= self && first < self + sizeof list;
}

TEST(ShortList, HasAFewItemsInSixteenBytes) {
  EXPECT_EQ(sizeof(ShortList<TestId>), 16U);
  EXPECT_EQ(sizeof(ShortList<Pair>), 16U);
  EXPECT_TRUE(are_in_place(ShortList<TestId>{TestId(1), TestId(2), TestId(3)}));
  EXPECT_FALSE(are_in_place(ShortList<TestId>{TestId(1), TestId(2), TestId(3), TestId(4)}));
  EXPECT_TRUE(are_in_place(ShortList<Pair>{{1, true}}));
  EXPECT_FALSE(are_in_place(ShortList<Pair>{{1, true}, {2, false}}));
}

/// Random edits of a list and of a vector; copies and moved lists go on from there.
TEST(ShortList, IsAVector) {
  std::mt19937 dice(1);
  const auto below = [&](size_t n) { return static_cast<size_t>(dice() % n); };
  for (int run = 0; run < 200; ++run) {
    ShortList<TestId> list;
    std::vector<TestId> vector;
    for (int step = 0; step < 60; ++step) {
      const TestId item(below(100));
      const size_t from = below(vector.size() + 1), to = from + below(vector.size() - from + 1);
      switch (below(6)) {
        case 0:
        case 1:
        case 2:
          list.push_back(item);
          vector.push_back(item);
          break;
        case 3:
          list.erase(list.begin() + from, list.begin() + to);
          vector.erase(vector.begin() + static_cast<std::ptrdiff_t>(from),
                       vector.begin() + static_cast<std::ptrdiff_t>(to));
          break;
        case 4: {
          ShortList<TestId> copy = list;
          copy.push_back(item);
          list = list.size() % 2 == 0 ? ShortList<TestId>(std::move(copy)) : ShortList<TestId>(copy);
          vector.push_back(item);
          break;
        }
        default:
          list = ShortList<TestId>(std::vector<TestId>(list));
          if (below(9) == 0) {
            list.clear();
            vector.clear();
          }
      }
      ASSERT_EQ(std::vector<TestId>(list), vector);
      ASSERT_EQ(list, ShortList<TestId>(vector));
      if (!vector.empty()) {
        ASSERT_EQ(list.back(), vector.back());
        ASSERT_EQ(list[vector.size() / 2], vector[vector.size() / 2]);
      }
    }
  }
}

TEST(ShortList, MayTakeItsOwnItems) {
  ShortList<TestId> list{TestId(1), TestId(2), TestId(3)};
  list.push_back(list.front());
  list = *&list;
  EXPECT_EQ(list, (ShortList<TestId>{TestId(1), TestId(2), TestId(3), TestId(1)}));
}

TEST(Shared, IsOneUntilItIsChanged) {
  Shared<std::string> a(std::string("as it was"));
  Shared<std::string> b = a;
  EXPECT_EQ(&*a, &*b);
  b.own() = "changed";
  EXPECT_EQ(*a, "as it was");
  EXPECT_EQ(*b, "changed");
  const std::string* alone = &*b;
  b.own() += " again";
  EXPECT_EQ(&*b, alone) << "who owns it alone changes it in place";
  a = b;
  EXPECT_EQ(&*a, &*b);
  Shared<std::string> moved = std::move(a);
  EXPECT_EQ(&*moved, &*b);
}

}  // namespace
}  // namespace isoshard::testing::short_list_test
