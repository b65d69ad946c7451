// Items by id against std::map, walk after walk.
#include "core/support/id_table.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>

#include "core/support/id.h"

namespace isoshard::testing::id_table_test {
namespace {

using TestId = Id<struct TestTag>;
constexpr uint32_t kUnset = 77;

TEST(IdTable, HoldsWhatAMapDoesUntilItIsCleared) {
  std::mt19937_64 random(1);
  IdTable<TestId, uint32_t> table(kUnset);
  for (int walk = 0; walk < 20; ++walk) {
    table.clear();
    std::map<size_t, uint32_t> map;
    for (int i = 0; i < 30; ++i) {
      const size_t id = random() % 50;
      table[TestId(id)] = map[id] = static_cast<uint32_t>(random());
    }
    for (size_t id = 0; id < 60; ++id) {
      EXPECT_EQ(table.at(TestId(id)), map.contains(id) ? map[id] : kUnset) << walk << " " << id;
    }
  }
}

TEST(IdTable, GivesItemsThatNobodyHasSet) {
  IdTable<TestId, uint32_t> table(kUnset);
  table[TestId(3)] = 5;
  table.clear();
  EXPECT_EQ(table[TestId(3)], kUnset);
  EXPECT_EQ(table[TestId(9)], kUnset);
  EXPECT_EQ(table.at(TestId(100)), kUnset);
}

}  // namespace
}  // namespace isoshard::testing::id_table_test
