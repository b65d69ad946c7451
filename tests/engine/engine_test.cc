#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>

#include "core/support/result.h"
#include "tests/engine/engine_fixture.h"

namespace isoshard::sim::engine_test {
namespace {

using Kind = CollectiveKind;

class EngineTest : public PlanTest {};

TEST_F(EngineTest, SumsOverTheGroupAndStoresPerDevice) {
  start({2, 3});
  const PlanValueId x = own_block({1, 2, 3, 4, 5, 6});
  const CommunicatorId rows = builder_->add_communicator(group_of({1}), "comm y");
  store_own(builder_->collective(Kind::all_reduce, rows, x));
  const Result<RunResult> result = run_plan();
  ASSERT_TRUE(result.has_value());
  for (size_t p = 0; p < 6; ++p) EXPECT_EQ(stored(*result, 0, p), std::vector<double>{p < 3 ? 6.0 : 15.0});
}

TEST_F(EngineTest, ALoopThatOnlyHandsOnOneOfItsCarries) {
  start({1});
  const PlanValueId x = own_block({3}), y = own_block({5});
  // Twice: x doubles; inside, a loop without instructions makes both of its carries of the first.
  const auto outer = builder_->begin_repeat(2, {x, y});
  const auto inner = builder_->begin_repeat(3, {outer[0], outer[1]});
  const auto same = builder_->end_repeat({inner[0], inner[0]});
  const PlanValueId twice = builder_->local(Add{}, {same[0], same[1]}, f64({1}));
  const auto after = builder_->end_repeat({twice, same[1]});
  store_own(after[0]);
  store_own(after[1]);
  const Result<RunResult> result = run_plan();
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(stored(*result, 0, 0), std::vector<double>{12});
  EXPECT_EQ(stored(*result, 1, 0), std::vector<double>{6});
}

TEST_F(EngineTest, RepeatCarriesValuesThroughItsIterations) {
  start({3});
  const PlanValueId x = own_block({1, 10, 100});
  const PlanValueId zero = builder_->local(Constant{Rational(0), DType::f64, {1}}, {}, f64({1}));
  const CommunicatorId ring = builder_->add_communicator(group_of({0}), "send x +");
  // Five times: sum += block; block = the block of the left neighbour.
  const std::vector<PlanValueId> inside = builder_->begin_repeat(5, {x, zero});
  const PlanValueId sum = builder_->local(Add{}, {inside[1], inside[0]}, f64({1}));
  const PlanValueId next = builder_->permute(ring, inside[0], mod(position() + 1, 3), mod(position() - 1, 3));
  const std::vector<PlanValueId> after = builder_->end_repeat({next, sum});
  store_own(after[0]);
  store_own(after[1]);
  store_own(x);
  const Result<RunResult> result = run_plan();
  ASSERT_TRUE(result.has_value());
  // Five shifts are two to the left mod 3: device 0 holds the block of device 1.
  EXPECT_EQ(stored(*result, 0, 0), std::vector<double>{10});
  EXPECT_EQ(stored(*result, 0, 2), std::vector<double>{1});
  EXPECT_EQ(stored(*result, 1, 0), std::vector<double>{1 + 100 + 10 + 1 + 100});
  EXPECT_EQ(stored(*result, 2, 1), std::vector<double>{10});
}

TEST_F(EngineTest, NestedRepeatsSeeTheirIndices) {
  start({1});
  const PlanValueId zero = builder_->local(Constant{Rational(0), DType::i32, {}}, {}, {DType::i32, {}});
  const auto outer = builder_->begin_repeat(3, {zero});
  const auto inner = builder_->begin_repeat(4, {outer[0]});
  const PlanValueId term = builder_->scalar_index(Expr::loop_index(1) * 10 + Expr::loop_index(0));
  const PlanValueId sum = builder_->local(Add{}, {inner[0], term}, {DType::i32, {}});
  const auto inner_results = builder_->end_repeat({sum});
  const auto results = builder_->end_repeat(inner_results);
  const auto never = builder_->begin_repeat(0, results);
  store_own(builder_->end_repeat({builder_->local(Negate{}, never, {DType::i32, {}})})[0]);
  const Result<RunResult> result = run_plan();
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(result->outputs[0][0].value.plane<int32_t>(0)[0], (0 + 10 + 20) * 4 + (0 + 1 + 2 + 3) * 3);
}

TEST_F(EngineTest, CollectivesInOneRepeatKeepTheirIterationsApart) {
  start({4});
  const PlanValueId x = own_block({1, 2, 3, 4});
  const CommunicatorId all = builder_->add_communicator(group_of({0}), "comm x");
  const auto inside = builder_->begin_repeat(20, {x});
  const PlanValueId sum = builder_->collective(Kind::all_reduce, all, inside[0]);
  const PlanValueId ten = builder_->local(Constant{Rational(1, 4), DType::f64, {1}}, {}, f64({1}));
  const auto after = builder_->end_repeat({builder_->local(Multiply{}, {sum, ten}, f64({1}))});
  store_own(after[0]);
  for (const int workers : {1, 2, 8}) {
    const Result<RunResult> result = run_plan(with_workers(workers));
    ASSERT_TRUE(result.has_value());
    for (size_t p = 0; p < 4; ++p) EXPECT_EQ(stored(*result, 0, p), std::vector<double>{2.5});
  }
}

TEST_F(EngineTest, KeepOnTakeBlockAndIndexDependOnTheRank) {
  start({2, 2});
  const PlanValueId x = own_block({1, 2, 3, 4, 5, 6, 7, 8});
  store_own(builder_->keep_on(x, Expr::coordinate(AxisId(1)), 1));
  store_own(builder_->take_block(x, 0, Expr::coordinate(AxisId(0)), 2));
  store_own(builder_->scalar_index(Expr::index_in(group_of({1, 0}), *mesh_)));
  const Result<RunResult> result = run_plan();
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(stored(*result, 0, 0), (std::vector<double>{0, 0}));
  EXPECT_EQ(stored(*result, 0, 1), (std::vector<double>{3, 4}));
  EXPECT_EQ(stored(*result, 1, 1), std::vector<double>{3});
  EXPECT_EQ(stored(*result, 1, 2), std::vector<double>{6});
  EXPECT_EQ(result->outputs[2][1].value.plane<int32_t>(0)[0], 2);
  EXPECT_EQ(result->outputs[2][2].value.plane<int32_t>(0)[0], 1);
}

/// Counts the live storage of a run: values seen by devices whose data still exists.
class LiveObserver : public ValueObserver {
 public:
  void on_value(int64_t, PlanValueId, const Value& value) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(seen_, [](const auto& data) { return data.expired(); });
    seen_.push_back(value.data);
    most_ = std::max(most_, seen_.size());
  }
  size_t most() const { return most_; }

 private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<const std::byte>> seen_;
  size_t most_ = 0;
};

TEST_F(EngineTest, ValuesAreFreedAtTheirLastUse) {
  start({1});
  PlanValueId x = own_block({1, 2, 3});
  for (int i = 0; i < 100; ++i) {
    builder_->local(Negate{}, {x}, f64({3}));  // nobody reads this one
    x = builder_->local(Add{}, {x, x}, f64({3}));
  }
  store_own(x);
  LiveObserver observer;
  RunOptions options;
  options.observer = &observer;
  ASSERT_TRUE(run_plan(options).has_value());
  EXPECT_LE(observer.most(), 3U);
}

TEST_F(EngineTest, ValuesInLoopsAndCollectivesAreFreedToo) {
  start({2});
  const PlanValueId x = own_block({1, 2});
  const CommunicatorId all = builder_->add_communicator(group_of({0}), "comm x");
  const auto inside = builder_->begin_repeat(50, {x});
  const PlanValueId sum = builder_->collective(Kind::all_reduce, all, inside[0]);
  builder_->local(Negate{}, {sum}, f64({1}));
  const auto after = builder_->end_repeat({builder_->local(Add{}, {sum, inside[0]}, f64({1}))});
  store_own(after[0]);
  LiveObserver observer;
  RunOptions options;
  options.observer = &observer;
  options.workers = 1;
  ASSERT_TRUE(run_plan(options).has_value());
  EXPECT_LE(observer.most(), 10U);  // about five for each of two devices, not fifty
}

TEST_F(EngineTest, ExceptionsOfWorkersReachTheCaller) {
  class Throwing : public ValueObserver {
    void on_value(int64_t position, PlanValueId, const Value&) override {
      if (position == 3) throw std::runtime_error("from a worker");
    }
  };
  start({8});
  const CommunicatorId all = builder_->add_communicator(group_of({0}), "comm x");
  store_own(builder_->collective(Kind::all_reduce, all, own_block({1, 2, 3, 4, 5, 6, 7, 8})));
  Throwing observer;
  for (const int workers : {1, 4}) {
    RunOptions options = with_workers(workers);
    options.observer = &observer;
    EXPECT_THROW(static_cast<void>(run_plan(options)), std::runtime_error);
  }
}

TEST_F(EngineTest, ACallerSeesThatItGoesOnAndMayEndIt) {
  class Patient : public Caller {
   public:
    explicit Patient(int most) : left_(most) {}
    void begin_part(std::string_view) override {}
    void go_on(int64_t instructions) override {
      if (left_.fetch_sub(static_cast<int>(instructions)) <= 0) throw std::runtime_error("stopped");
    }
    int left() const { return left_; }

   private:
    std::atomic<int> left_;
  };
  start({8});
  const CommunicatorId all = builder_->add_communicator(group_of({0}), "comm x");
  store_own(builder_->collective(Kind::all_reduce, all, own_block({1, 2, 3, 4, 5, 6, 7, 8})));
  for (const int workers : {1, 4}) {
    Patient patient(1000), hurried(3);
    RunOptions options = with_workers(workers);
    options.workers.caller = &patient;
    ASSERT_TRUE(run_plan(options).has_value());
    EXPECT_LE(patient.left(), 1000 - 3 * 8);  // at least a load, a sum and a store of each device
    options.workers.caller = &hurried;
    EXPECT_THROW(static_cast<void>(run_plan(options)), std::runtime_error);
  }
}

TEST_F(EngineTest, AllReduceResultIsShared) {
  start({4});
  const CommunicatorId all = builder_->add_communicator(group_of({0}), "comm x");
  const PlanValueId y = builder_->collective(Kind::all_reduce, all, own_block({1, 2, 3, 4}));
  builder_->store(y, builder_->add_output("y", f64({1})), {Expr(0)}, {1});
  const Result<RunResult> result = run_plan();
  ASSERT_TRUE(result.has_value());
  for (size_t p = 1; p < 4; ++p) {
    EXPECT_EQ(result->outputs[0][p].value.data, result->outputs[0][0].value.data);
    EXPECT_EQ(result->outputs[0][p].position, static_cast<int64_t>(p));
  }
}

TEST_F(EngineTest, FourThousandDevicesOnFewWorkers) {
  start({64, 64});
  std::vector<double> elements(4096);
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<double>(i);
  PlanValueId x = own_block(elements);
  const CommunicatorId rows = builder_->add_communicator(group_of({1}), "comm y");
  const CommunicatorId all = builder_->add_communicator(group_of({0, 1}), "comm (x, y)");
  const CommunicatorId ring = builder_->add_communicator(group_of({0}), "send x +");
  const Expr i = Expr::coordinate(AxisId(0));
  for (int k = 0; k < 3; ++k) x = builder_->permute(ring, x, mod(i + 1, 64), mod(i - 1, 64));
  store_own(builder_->collective(Kind::all_reduce, all, builder_->collective(Kind::all_reduce, rows, x)));
  const Result<RunResult> result = run_plan(with_workers(2));
  ASSERT_TRUE(result.has_value());
  for (size_t p = 0; p < 4096; p += 511) EXPECT_EQ(stored(*result, 0, p), std::vector<double>{4095.0 * 4096 / 2 * 64});
}

TEST_F(EngineTest, OrderChangesBetweenInterleavingsAndBitsDoNot) {
  start({2, 4});
  std::vector<double> elements(8);
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = 1.0 / static_cast<double>(3 * i + 1);
  const PlanValueId x = own_block(elements);
  const CommunicatorId rows = builder_->add_communicator(group_of({1}), "comm y");
  const CommunicatorId all = builder_->add_communicator(group_of({0, 1}), "comm (x, y)");
  const CommunicatorId ring = builder_->add_communicator(group_of({1}), "send y +");
  const Expr j = Expr::coordinate(AxisId(1));
  PlanValueId moved = builder_->permute(ring, x, mod(j + 1, 4), mod(j - 1, 4));
  const PlanValueId a = builder_->collective(Kind::all_reduce, rows, x);
  const PlanValueId b = builder_->collective(Kind::all_reduce, all, x);
  const PlanValueId ab = builder_->local(Add{}, {a, b}, f64({1}));
  store_own(builder_->local(Divide{}, {ab, moved}, f64({1})));
  const Result<RunResult> reference = run_plan(with_workers(1));
  ASSERT_TRUE(reference.has_value());
  std::set<uint64_t> digests{reference->order_digest};
  for (const int workers : {1, 2, 8}) {
    for (uint64_t seed = 0; seed < 20; ++seed) {
      const Result<RunResult> result =
          run_plan(with_workers(workers, seed == 0 ? std::nullopt : std::optional<uint64_t>(seed)));
      ASSERT_TRUE(result.has_value());
      digests.insert(result->order_digest);
      for (size_t p = 0; p < 8; ++p) {
        EXPECT_TRUE(same_bits(result->outputs[0][p].value, reference->outputs[0][p].value));
      }
    }
  }
  EXPECT_GE(digests.size(), 20U);
  EXPECT_EQ(run_plan(with_workers(1, 7))->order_digest, run_plan(with_workers(1, 7))->order_digest);
}

}  // namespace
}  // namespace isoshard::sim::engine_test
