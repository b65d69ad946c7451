#include "sim/run/assemble.h"

#include "tests/engine/engine_fixture.h"

namespace isoshard::sim::assemble_test {
namespace {

/// Block `index` of blocks of `shape`.
StoredBlock block(int64_t position, std::vector<int64_t> index, Shape shape, const std::vector<double>& elements) {
  for (size_t d = 0; d < index.size(); ++d) index[d] *= shape[d];
  return {position, std::move(index), value_of(std::move(shape), elements)};
}

TEST(Assemble, PutsBlocksInTheirPlaces) {
  const Assembled result =
      assemble(f64({2, 4}), {block(0, {0, 0}, {2, 2}, {1, 2, 5, 6}), block(1, {0, 1}, {2, 2}, {3, 4, 7, 8})});
  EXPECT_EQ(doubles(result.value), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_TRUE(result.covered_once());
  EXPECT_TRUE(result.disagreements.empty());
}

TEST(Assemble, ScalarsAndThreeDimensions) {
  EXPECT_EQ(doubles(assemble(f64({}), {block(0, {}, {}, {7})}).value), std::vector<double>{7});
  const Assembled cube =
      assemble(f64({2, 2, 2}), {block(0, {1, 0, 0}, {1, 2, 1}, {5, 7}), block(1, {0, 0, 0}, {1, 2, 1}, {1, 3}),
                                block(2, {0, 0, 1}, {1, 2, 1}, {2, 4}), block(3, {1, 0, 1}, {1, 2, 1}, {6, 8})});
  EXPECT_EQ(doubles(cube.value), (std::vector<double>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_TRUE(cube.covered_once());
}

TEST(Assemble, ReplicasThatDifferAreReportedWithTheirFirstElement) {
  const Assembled result = assemble(f64({4}), {block(0, {0}, {2}, {1, 2}), block(1, {1}, {2}, {3, 4}),
                                               block(2, {0}, {2}, {1, 2}), block(3, {1}, {2}, {3, 4.5})});
  ASSERT_EQ(result.disagreements.size(), 1U);
  EXPECT_EQ(result.disagreements[0].position, 1);
  EXPECT_EQ(result.disagreements[0].other, 3);
  EXPECT_EQ(result.disagreements[0].index, std::vector<int64_t>{3});
  EXPECT_EQ(doubles(result.value), (std::vector<double>{1, 2, 3, 4}));
  EXPECT_TRUE(result.covered_once());
}

TEST(Assemble, NegativeZeroIsAnotherBitPattern) {
  const Assembled result = assemble(f64({1}), {block(0, {0}, {1}, {0.0}), block(1, {0}, {1}, {-0.0})});
  EXPECT_EQ(result.disagreements.size(), 1U);
}

TEST(Assemble, MissingBlocksAreNamedByRange) {
  const Assembled result = assemble(f64({4, 4}), {block(0, {0, 1}, {2, 2}, {1, 2, 3, 4})});
  ASSERT_EQ(result.uncovered.size(), 2U);
  EXPECT_EQ(to_string(result.uncovered[0]), "[0:4, 0:2]");
  EXPECT_EQ(to_string(result.uncovered[1]), "[2:4, 2:4]");
}

TEST(Assemble, OverlapsAreNamedByRange) {
  // A block of two, and one of four inside it.
  const Assembled overlap =
      assemble(f64({4}), {block(0, {0}, {2}, {1, 2}), block(1, {1}, {2}, {3, 4}), block(2, {3}, {1}, {4})});
  ASSERT_EQ(overlap.doubly_covered.size(), 1U);
  EXPECT_EQ(to_string(overlap.doubly_covered[0]), "[3:4]");
  EXPECT_TRUE(overlap.uncovered.empty());
  // One device that stores a block twice.
  const Assembled twice = assemble(f64({2}), {block(0, {0}, {2}, {1, 2}), block(0, {0}, {2}, {1, 2})});
  ASSERT_EQ(twice.doubly_covered.size(), 1U);
  EXPECT_EQ(to_string(twice.doubly_covered[0]), "[0:2]");
}

}  // namespace
}  // namespace isoshard::sim::assemble_test
