#include <algorithm>
#include <limits>

#include "core/support/result.h"
#include "sim/domains/floats/bounded.h"
#include "sim/evaluate/difference.h"
#include "sim/value/new_value.h"
#include "tests/engine/engine_fixture.h"

namespace isoshard::sim::exchange_test {
namespace {

using Kind = CollectiveKind;

class ExchangeTest : public PlanTest {
 protected:
  /// The diagnostic of an assert_equal of blocks of two elements over all devices, or "".
  std::string claim(const std::vector<int64_t>& sizes, std::vector<double> elements, const RunOptions& options = {}) {
    start(sizes);
    const PlanValueId x = own_block(std::move(elements));
    const CommunicatorId all = builder_->add_communicator(everyone_, "comm all");
    store_own(builder_->collective(Kind::assert_equal, all, x, 0, "y"));
    const Result<RunResult> result = run_plan(options);
    if (!result) return result.error().rule + " " + result.error().message;
    EXPECT_EQ(result->outputs[0].size(), static_cast<size_t>(devices()));
    return "";
  }
};

TEST_F(ExchangeTest, ClaimsOfEqualityNameRankValueAndPlace) {
  const std::string expected =
      "D-assert assert_equal: %0 is not the same on all devices of `x`: rank 2 holds 7 and rank 0 holds 2 at [1]; make "
      "them equal (all_reduce, all_gather) or leave the value varying";
  EXPECT_EQ(claim({4}, {1, 2, 1, 2, 1, 7, 5, 2}), expected);
}

TEST_F(ExchangeTest, ClaimsDoNotDependOnWorkersOrOrder) {
  start({4});
  const PlanValueId x = own_block({1, 2, 1, 2, 1, 7, 5, 2});
  const CommunicatorId all = builder_->add_communicator(everyone_, "comm all");
  store_own(builder_->collective(Kind::assert_equal, all, x, 0, "y"));
  const std::string first = run_plan().error().message;
  for (const int workers : {1, 2, 8}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const Result<RunResult> result = run_plan(with_workers(workers, seed));
      ASSERT_FALSE(result.has_value());
      EXPECT_EQ(result.error().message, first);
    }
  }
}

TEST_F(ExchangeTest, ClaimsAreComparedBitwise) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(claim({3}, {1, nan, 1, nan, 1, nan}), "");
  plan_.reset();
  globals_.clear();
  everyone_ = {};
  EXPECT_EQ(claim({2}, {0.0, 1, -0.0, 1}),
            "D-assert assert_equal: %0 is not the same on all devices of `x`: rank 1 holds -0 and rank 0 holds 0 at "
            "[0]; make them equal (all_reduce, all_gather) or leave the value varying");
}

/// The element that device (x, y) of a mesh [2, 3] has at `i` before: 10 * position + i.
TEST_F(ExchangeTest, AllToAllFollowsTheTuple) {
  start({2, 3});
  std::vector<double> elements;
  for (int64_t p = 0; p < 6; ++p) {
    for (int64_t i = 0; i < 6; ++i) elements.push_back(static_cast<double>(10 * p + i));
  }
  const PlanValueId x = own_block(std::move(elements));
  const CommunicatorId turned = builder_->add_communicator(group_of({1, 0}), "comm (y, x)");
  store_own(builder_->all_to_all(turned, x, 0, 0, "y", Location()));
  for (const int workers : {1, 8}) {
    const Result<RunResult> result = run_plan(with_workers(workers));
    ASSERT_TRUE(result.has_value());
    for (int64_t p = 0; p < 6; ++p) {
      const int64_t own = p % 3 * 2 + p / 3;  // index of position p in (y, x)
      std::vector<double> expected;
      for (int64_t i = 0; i < 6; ++i) expected.push_back(static_cast<double>(10 * (i % 2 * 3 + i / 2) + own));
      EXPECT_EQ(stored(*result, 0, static_cast<size_t>(p)), expected) << p;
    }
  }
}

TEST_F(ExchangeTest, AllToAllSplitsOneDimensionAndJoinsAnother) {
  start({2});
  const PlanValueId x = own_block({0, 1, 2, 3, 4, 5, 10, 11, 12, 13, 14, 15});
  const PlanValueId matrix = builder_->local(Reshape{{3, 2}}, {x}, f64({3, 2}));
  const CommunicatorId all = builder_->add_communicator(everyone_, "comm x");
  store_own(builder_->all_to_all(all, matrix, 1, 0, "y", Location()));
  const Result<RunResult> result = run_plan();
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(stored(*result, 0, 0), (std::vector<double>{0, 2, 4, 10, 12, 14}));
  EXPECT_EQ(stored(*result, 0, 1), (std::vector<double>{1, 3, 5, 11, 13, 15}));
}

TEST(FirstDifference, BoundsCountInTheBoundedDomainAlone) {
  const auto bounded = [](const std::vector<double>& planes) {
    NewValue value(f64({3}), Storage{sizeof(double), 2});
    std::copy(planes.begin(), planes.end(), value.elements<double>());
    return std::move(value).finish();
  };
  const Value x = bounded({1, 2, 3, 0.5, 0, 0});
  EXPECT_EQ(first_difference(x, bounded({1, 2.5, 3.25, 0, 0.5, 0.25}), bounded_domain()), -1);
  EXPECT_EQ(first_difference(x, bounded({1, 2.5, 3.5, 0, 0.5, 0.25}), bounded_domain()), 2);
  EXPECT_EQ(first_difference(value_of({3}, {1, 2, 3}), value_of({3}, {1, 2, 4}), float_domain()), 2);
}

}  // namespace
}  // namespace isoshard::sim::exchange_test
