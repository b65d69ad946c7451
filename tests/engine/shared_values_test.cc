// Blocks that lie in one piece in a global are read where they lie, by any number of devices: nobody writes there.
#include <algorithm>
#include <vector>

#include "core/support/result.h"
#include "tests/engine/engine_fixture.h"

namespace isoshard::sim::shared_values_test {
namespace {

constexpr int64_t kOwn = 5;

class SharedValuesTest : public PlanTest {
 protected:
  PlanValueId ramp(int64_t devices) {
    start({devices});
    std::vector<double> elements(static_cast<size_t>(devices * kOwn));
    for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<double>(i) + 0.25;
    return own_block(elements);
  }
  /// Runs on several workers, in several orders; the global has its bits afterwards, and each device `expected`.
  void expect_on_all(const std::vector<double>& expected) {
    const std::vector<double> before = doubles(globals_[0]);
    for (const int workers : {1, 2, 4}) {
      for (const std::optional<uint64_t> seed : {std::optional<uint64_t>(), std::optional<uint64_t>(3)}) {
        const Result<RunResult> result = run_plan(with_workers(workers, seed));
        ASSERT_TRUE(result.has_value());
        for (size_t p = 0; p < static_cast<size_t>(devices()); ++p) EXPECT_EQ(stored(*result, 0, p), expected);
        EXPECT_EQ(doubles(globals_[0]), before) << workers << " workers";
      }
    }
  }
};

TEST_F(SharedValuesTest, ABlockInOnePieceIsReadWhereItLies) {
  store_own(ramp(4));
  const Result<RunResult> result = run_plan();
  ASSERT_TRUE(result.has_value());
  for (size_t p = 0; p < 4; ++p) {
    const StoredBlock& block = result->outputs[0][p];
    EXPECT_EQ(block.value.data.get(), globals_[0].data.get() + p * kOwn * sizeof(double)) << "without a copy";
  }
}

TEST_F(SharedValuesTest, ASumLeavesItsTermsAsTheyAre) {
  const PlanValueId x = ramp(11);
  const CommunicatorId all = builder_->add_communicator(everyone_, "comm");
  store_own(builder_->collective(CollectiveKind::all_reduce, all, x));
  std::vector<double> sums(kOwn);
  for (size_t i = 0; i < sums.size(); ++i) sums[i] = 11 * (static_cast<double>(i) + 0.25) + kOwn * 55;
  expect_on_all(sums);
}

TEST_F(SharedValuesTest, AMaximumLeavesItsTermsAsTheyAre) {
  const PlanValueId x = ramp(3);
  const CommunicatorId all = builder_->add_communicator(everyone_, "comm");
  store_own(builder_->collective(CollectiveKind::all_reduce_max, all, x));
  expect_on_all({10.25, 11.25, 12.25, 13.25, 14.25});
}

TEST_F(SharedValuesTest, AllHaveOneResult) {
  const PlanValueId x = ramp(3);
  const CommunicatorId all = builder_->add_communicator(everyone_, "comm");
  store_own(builder_->collective(CollectiveKind::all_gather, all, x));
  const Result<RunResult> result = run_plan();
  ASSERT_TRUE(result.has_value());
  for (size_t p = 1; p < 3; ++p) {
    EXPECT_EQ(result->outputs[0][p].value.data.get(), result->outputs[0][0].value.data.get());
  }
}

}  // namespace
}  // namespace isoshard::sim::shared_values_test
