// What the ring functions say about lists and widths that no ring can carry; their values are compared elsewhere.
#include "parallel/sharding/ring_collectives.h"

#include <gtest/gtest.h>

namespace isoshard::ring_collectives_test {
namespace {

class RingCollectives : public ::testing::Test {
 protected:
  ValueId input(const std::string& name, Shape local) {
    const size_t rank = local.size();
    Layout layout(rank + 1);
    layout[0] = ViewEntry{m.group("tp"), 0, std::nullopt, Split::stack};
    local.insert(local.begin(), 4);
    return m.view(declare(module, name, std::move(local), Role::input, InitKind::normal), layout, name);
  }

  std::string message() const {
    const auto& all = sink.diagnostics();
    return all.size() == 1 ? all[0].rule + ": " + all[0].message : std::to_string(all.size()) + " messages";
  }

  size_t permutes() {
    const Program& program = m.builder().program();
    size_t count = 0;
    for (const OpId id : program.body().ops) count += std::holds_alternative<CollectivePermute>(program.op(id).data);
    return count;
  }

  Module module;
  DiagnosticSink sink;
  ModelBuilder m{module, "p", std::make_shared<const Mesh>("m", std::vector<MeshAxis>{{"tp", 4}}), sink};
};

TEST_F(RingCollectives, AScatterNeedsOneItemForEachDevice) {
  const ValueId x = input("x", {2, 2});
  EXPECT_FALSE(async_scatter(m, {x, x, x}, m.group("tp")).valid());
  EXPECT_EQ(
      message(),
      "C-ring-items: async_scatter: the list has 3 items and tp has 4 devices; expected one item for each device of "
      "the axis");
}

TEST_F(RingCollectives, ASplitScatterNeedsOneItemForEachDevice) {
  const ValueId x = input("x", {2, 2});
  EXPECT_FALSE(async_scatter_split(m, {x}, m.group("tp")).valid());
  EXPECT_EQ(message(),
            "C-ring-items: async_scatter_split: the list has 1 item and tp has 4 devices; expected one item for each "
            "device of the axis");
}

TEST_F(RingCollectives, ASplitGatherNeedsAnEvenWidth) {
  EXPECT_TRUE(async_gather_split(m, input("x", {2, 3}), m.group("tp")).empty());
  EXPECT_EQ(
      message(),
      "C-ring-width: async_gather_split: the last dimension has 3 elements; expected an even number, for one half "
      "travels up and the other down; async_gather_bidirectional takes any");
}

TEST_F(RingCollectives, ASplitNeedsALastDimension) {
  const ValueId x = input("x", {});
  EXPECT_FALSE(async_scatter_split(m, {x, x, x, x}, m.group("tp")).valid());
  EXPECT_EQ(message(),
            "C-ring-width: async_scatter_split: the value is a scalar; expected a last dimension that can be halved");
}

TEST_F(RingCollectives, GatherWithSizeMinusOnePermutesInEitherOrder) {
  const ValueId x = input("x", {2, 2});
  EXPECT_EQ(async_gather(m, x, m.group("tp")).size(), 4U);
  EXPECT_EQ(permutes(), 3U);
  const std::vector<ValueId> both = async_gather_bidirectional(m, x, m.group("tp"));
  EXPECT_EQ(permutes(), 6U);
  ASSERT_EQ(both.size(), 4U);
  EXPECT_EQ(both.front(), x);
  EXPECT_EQ(async_gather_split(m, x, m.group("tp")).size(), 8U);
  EXPECT_EQ(permutes(), 12U);
  EXPECT_TRUE(async_scatter_split(m, {x, x, x, x}, m.group("tp")).valid());
  EXPECT_EQ(permutes(), 18U);
  EXPECT_TRUE(sink.diagnostics().empty());
}

}  // namespace
}  // namespace isoshard::ring_collectives_test
