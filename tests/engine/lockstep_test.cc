// Runs in which all devices take each instruction together: what is done once, what is not, and that nothing changes.
// Every other test of this folder runs its Plan so as well and compares.
#include <atomic>
#include <stdexcept>

#include "core/support/result.h"
#include "sim/evaluate/evaluate.h"
#include "tests/engine/engine_fixture.h"

namespace isoshard::sim::lockstep_test {
namespace {

using Kind = CollectiveKind;

class LockstepTest : public PlanTest {
 protected:
  Result<RunResult> run_in_step(const RunOptions& options = {}) {
    if (!plan_) plan_ = builder_->finish();
    return run(*plan_, float_domain(), globals_, options);
  }
  static bool are_one(const RunResult& result, size_t a, size_t b) {
    return result.outputs[0][a].value.data == result.outputs[0][b].value.data;
  }
};

TEST_F(LockstepTest, ReplicatedWorkIsDoneOnce) {
  start({2, 3});
  const CommunicatorId rows = builder_->add_communicator(group_of({1}), "comm y");
  const PlanValueId sum = builder_->collective(Kind::all_reduce, rows, own_block({1, 2, 3, 4, 5, 6}));
  builder_->store(builder_->local(Negate{}, {sum}, f64({1})), builder_->add_output("y", f64({1})), {Expr(0)}, {1});
  const Result<RunResult> result = run_in_step();
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(stored(*result, 0, 0), std::vector<double>{-6});
  EXPECT_EQ(stored(*result, 0, 5), std::vector<double>{-15});
  EXPECT_TRUE(are_one(*result, 0, 2));
  EXPECT_TRUE(are_one(*result, 3, 5));
  EXPECT_FALSE(are_one(*result, 0, 3));
}

TEST_F(LockstepTest, GroupsThatBringTheSameShareTheirSum) {
  start({2, 3});
  const GlobalId id = builder_->add_global(Global{"x", f64({3}), Role::input, Init{}, Location()});
  globals_.push_back(value_of({3}, {1, 2, 3}));
  const PlanValueId x = builder_->load(id, {Expr::coordinate(AxisId(1))}, {3});
  const CommunicatorId rows = builder_->add_communicator(group_of({1}), "comm y");
  builder_->store(builder_->collective(Kind::all_reduce, rows, x), builder_->add_output("y", f64({1})), {Expr(0)}, {1});
  const Result<RunResult> result = run_in_step();
  ASSERT_TRUE(result.has_value());
  for (size_t p = 0; p < 6; ++p) {
    EXPECT_EQ(stored(*result, 0, p), std::vector<double>{6});
    EXPECT_TRUE(are_one(*result, 0, p));
  }
}

/// A number that stands on one device only must not reach the others, which hold the same value otherwise.
TEST_F(LockstepTest, WhatIsPutOnOneDeviceStaysThere) {
  start({4});
  const CommunicatorId all = builder_->add_communicator(group_of({0}), "comm x");
  const PlanValueId sum = builder_->collective(Kind::all_reduce, all, own_block({1, 2, 3, 4}));
  store_own(builder_->local(Add{}, {sum, sum}, f64({1})));
  RunOptions options;
  options.substitute = [&](int64_t position, PlanValueId id, Value value) {
    return id == sum && position == 2 ? value_of({1}, {100}) : value;
  };
  const Result<RunResult> together = run_in_step(options);
  const Result<RunResult> apart = run_on_engine(*plan_, float_domain(), globals_, options);
  ASSERT_TRUE(together.has_value() && apart.has_value());
  EXPECT_TRUE(testing::same_outputs(*together, *apart));
  EXPECT_EQ(stored(*together, 0, 2), std::vector<double>{200});
  EXPECT_EQ(stored(*together, 0, 1), std::vector<double>{20});
}

TEST_F(LockstepTest, WhatIsPutAlikeStaysOne) {
  start({4});
  const CommunicatorId all = builder_->add_communicator(group_of({0}), "comm x");
  const PlanValueId sum = builder_->collective(Kind::all_reduce, all, own_block({1, 2, 3, 4}));
  store_own(builder_->local(Add{}, {sum, sum}, f64({1})));
  RunOptions options;
  int64_t calls = 0;
  options.substitute = [&](int64_t, PlanValueId id, Value value) {
    calls += id == sum ? 1 : 0;
    return id == sum ? value_of({1}, {100}) : value;
  };
  options.substitutes_alike = true;
  const Result<RunResult> result = run_in_step(options);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(calls, 1);
  for (size_t p = 0; p < 4; ++p) EXPECT_EQ(stored(*result, 0, p), std::vector<double>{200});
}

TEST_F(LockstepTest, WhoDoesNotLookAtDevicesSeesOneOfThoseThatAreTheSame) {
  class Counting : public ValueObserver {
   public:
    explicit Counting(bool of_devices) : of_devices_(of_devices) {}
    void on_value(int64_t, PlanValueId, const Value&) override { ++seen; }
    bool looks_at_devices() const override { return of_devices_; }
    int seen = 0;

   private:
    bool of_devices_;
  };
  start({4});
  const CommunicatorId all = builder_->add_communicator(group_of({0}), "comm x");
  const PlanValueId sum = builder_->collective(Kind::all_reduce, all, own_block({1, 2, 3, 4}));
  builder_->store(sum, builder_->add_output("y", f64({1})), {Expr(0)}, {1});
  Counting each(true), any(false);
  RunOptions options;
  options.observer = &each;
  ASSERT_TRUE(run_in_step(options).has_value());
  options.observer = &any;
  ASSERT_TRUE(run_in_step(options).has_value());
  EXPECT_EQ(each.seen, 4 + 4);
  EXPECT_EQ(any.seen, 4 + 1);
}

/// What a substitute makes of a constant in a loop is not made of it again, and nobody need read a constant.
TEST_F(LockstepTest, ConstantsOfLoopsAreSubstitutedOncePerIteration) {
  start({2});
  const PlanValueId x = own_block({1, 2});
  const auto inside = builder_->begin_repeat(3, {x});
  builder_->local(Constant{Rational(9), DType::f64, {1}}, {}, f64({1}));
  const PlanValueId one = builder_->local(Constant{Rational(1), DType::f64, {1}}, {}, f64({1}));
  const auto after = builder_->end_repeat({builder_->local(Add{}, {inside[0], one}, f64({1}))});
  store_own(after[0]);
  const Result<RunResult> plain = run_in_step();
  ASSERT_TRUE(plain.has_value());
  EXPECT_EQ(stored(*plain, 0, 1), std::vector<double>{5});
  RunOptions options;
  options.substitute = [&](int64_t, PlanValueId id, Value value) {
    return id == one ? value_of({1}, {10 * doubles(value)[0]}) : value;
  };
  const Result<RunResult> result = run_in_step(options);
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(stored(*result, 0, 1), std::vector<double>{32});
}

TEST_F(LockstepTest, PaddingIsDrawnPerDevice) {
  start({2});
  const GlobalId id = builder_->add_global(Global{"x", f64({3}), Role::input, Init{}, Location()});
  globals_.push_back(value_of({3}, {1, 2, 3}));
  const PlanValueId x = builder_->load(id, {Expr(1)}, {2});  // the same block on both: 3 and padding
  store_own(builder_->local(Slice{{1}, {2}, {}}, {x}, f64({1})));
  const Result<RunResult> result = run_in_step();
  ASSERT_TRUE(result.has_value());
  EXPECT_FALSE(are_one(*result, 0, 1));
}

constexpr int64_t kSize = 260;

class SharedLockstepTest : public LockstepTest, public ::testing::WithParamInterface<int64_t> {};

/// Each device squares its own matrix three times: classes are shared among workers, or cut where they are few.
TEST_P(SharedLockstepTest, HasTheSameBitsOnAnyNumberOfWorkers) {
  square_matrices(GetParam(), kSize);
  const Result<RunResult> alone = run_on_engine(*plan_, float_domain(), globals_, with_workers(1));
  ASSERT_TRUE(alone.has_value());
  for (const int workers : {1, 2, 3, 8}) {
    RunOptions options;
    options.workers = workers;
    const Result<RunResult> together = run_in_step(options);
    ASSERT_TRUE(together.has_value());
    EXPECT_TRUE(testing::same_outputs(*together, *alone)) << workers << " workers";
  }
}

TEST_P(SharedLockstepTest, ThrowsWhatAWorkerThrows) {
  class Hurried : public Caller {
   public:
    void begin_part(std::string_view) override {}
    void go_on(int64_t instructions) override {
      if (instructions == 0 && left_.fetch_sub(1) <= 0) throw std::runtime_error("stopped");
    }

   private:
    std::atomic<int> left_ = 2;
  };
  square_matrices(GetParam(), kSize);
  for (const int workers : {1, 2, 8}) {
    Hurried caller;
    RunOptions options;
    options.workers = workers;
    options.workers.caller = &caller;
    EXPECT_THROW(static_cast<void>(run_in_step(options)), std::runtime_error);
  }
}

INSTANTIATE_TEST_SUITE_P(Devices, SharedLockstepTest, ::testing::Values(1, 3, 4, 9));

}  // namespace
}  // namespace isoshard::sim::lockstep_test
