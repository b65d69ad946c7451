// Repeats with slices, stacks and the iteration.

#include "core/support/result.h"
#include "tests/engine/engine_fixture.h"

namespace isoshard::sim::repeat_test {
namespace {

class RepeatTest : public PlanTest {
 protected:
  PlanValueId whole(const std::string& name, Shape shape, const std::vector<double>& elements) {
    const GlobalId id = builder_->add_global(Global{name, f64(shape), Role::input, Init{}, Location()});
    globals_.push_back(value_of(shape, elements));
    return builder_->load(id, std::vector<Expr>(shape.size(), Expr(0)), std::vector<int64_t>(shape.size(), 1), name);
  }
  PlanValueId add(PlanValueId a, PlanValueId b) { return builder_->local(Add{}, {a, b}, builder_->type(a)); }
  PlanValueId reversed(PlanValueId x) { return builder_->local(Reverse{{0}}, {x}, builder_->type(x)); }
  /// The sums of the first rows, one after another.
  PlanValueId sums_of(PlanValueId rows, PlanValueId zero) {
    const auto in = builder_->begin_repeat(builder_->type(rows).shape[0], {zero}, {rows});
    const PlanValueId sum = add(in[0], in[1]);
    return builder_->end_repeat({sum}, {sum})[1];
  }
};

TEST_F(RepeatTest, SlicesComeInAndPartsAreStacked) {
  start({1});
  const PlanValueId rows = whole("rows", {3, 2}, {1, 2, 10, 20, 100, 200});
  const PlanValueId zero = whole("zero", {2}, {0, 0});
  const auto in = builder_->begin_repeat(3, {zero}, {rows});
  const PlanValueId sum = add(in[0], in[1]);
  const auto out = builder_->end_repeat({sum}, {sum, in[1]});
  for (const PlanValueId id : out) store_own(id);
  const Result<RunResult> result = run_plan();
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(stored(*result, 0, 0), (std::vector<double>{111, 222}));
  EXPECT_EQ(stored(*result, 1, 0), (std::vector<double>{1, 2, 11, 22, 111, 222}));
  EXPECT_EQ(stored(*result, 2, 0), (std::vector<double>{1, 2, 10, 20, 100, 200}));
}

TEST_F(RepeatTest, WithoutIterationsStacksAreEmpty) {
  start({1});
  const PlanValueId rows = whole("rows", {0, 2}, {});
  const PlanValueId x = whole("x", {2}, {3, 4});
  const auto in = builder_->begin_repeat(0, {x}, {rows});
  const auto out = builder_->end_repeat({add(in[0], in[1])}, {in[1]});
  for (const PlanValueId id : out) store_own(id);
  const Result<RunResult> result = run_plan();
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(stored(*result, 0, 0), (std::vector<double>{3, 4}));
  EXPECT_EQ(stored(*result, 1, 0), (std::vector<double>{}));
}

TEST_F(RepeatTest, NestedStacksKeepTheirOrder) {
  start({1});
  const PlanValueId cube = whole("cube", {2, 3, 1}, {1, 2, 3, 4, 5, 6});
  const PlanValueId zero = whole("zero", {1}, {0});
  const auto outer = builder_->begin_repeat(2, {zero}, {cube});
  const auto inner = builder_->begin_repeat(3, {outer[0]}, {outer[1]});
  const PlanValueId sum = add(inner[0], inner[1]);
  const auto inner_out = builder_->end_repeat({sum}, {sum});
  const auto out = builder_->end_repeat({inner_out[0]}, {inner_out[1]});
  store_own(out[1]);
  const Result<RunResult> result = run_plan();
  ASSERT_TRUE(result.has_value());
  EXPECT_EQ(stored(*result, 0, 0), (std::vector<double>{1, 3, 6, 10, 15, 21}));
}

/// Stores each stage of reversals and repeats in between, of which only `stored_stage` is read besides.
class ReversedRowsTest : public RepeatTest, public ::testing::WithParamInterface<int> {
 protected:
  std::vector<double> run_stage(RunOptions options) {
    start({1});
    const PlanValueId zero = whole("zero", {2}, {0, 0});
    std::vector<PlanValueId> stages{whole("rows", {3, 2}, {1, 2, 10, 20, 100, 200})};
    stages.push_back(reversed(stages.back()));
    stages.push_back(sums_of(stages.back(), zero));
    stages.push_back(reversed(stages.back()));
    stages.push_back(sums_of(stages.back(), zero));
    stages.push_back(sums_of(stages.back(), zero));
    stages.push_back(reversed(stages.back()));
    store_own(stages.back());
    if (GetParam() != 0) store_own(stages[static_cast<size_t>(GetParam())]);
    const Result<RunResult> result = run_plan(options);
    EXPECT_TRUE(result.has_value());
    std::vector<double> all = stored(*result, 0, 0);
    if (GetParam() != 0) {
      for (const double x : stored(*result, 1, 0)) all.push_back(x);
    }
    return all;
  }
};

TEST_P(ReversedRowsTest, AreTheSameWhoeverReadsThemBesides) {
  const std::vector<std::vector<double>> stages{{},
                                                {100, 200, 10, 20, 1, 2},
                                                {100, 200, 110, 220, 111, 222},
                                                {111, 222, 110, 220, 100, 200},
                                                {111, 222, 221, 442, 321, 642},
                                                {111, 222, 332, 664, 653, 1306}};
  std::vector<double> expected{653, 1306, 332, 664, 111, 222};
  for (const double x : stages[static_cast<size_t>(GetParam())]) expected.push_back(x);
  EXPECT_EQ(run_stage({}), expected);
}

INSTANTIATE_TEST_SUITE_P(Stages, ReversedRowsTest, ::testing::Range(0, 6));

/// Sees how many values of each id there are.
class Counter final : public ValueObserver {
 public:
  explicit Counter(const Plan& plan) : seen(plan.values.size(), 0) {}
  void on_value(int64_t, PlanValueId id, const Value&) override { ++seen[id.index()]; }
  std::vector<int> seen;
};

TEST_F(RepeatTest, ObserversSeeEveryIteration) {
  start({1});
  const PlanValueId rows = whole("rows", {4, 1}, {1, 2, 3, 4});
  const auto in = builder_->begin_repeat(4, {}, {rows});
  const PlanValueId twice = add(in[0], in[0]);
  const auto out = builder_->end_repeat({}, {twice});
  store_own(out[0]);
  plan_ = builder_->finish();
  Counter counter(*plan_);
  RunOptions options;
  options.observer = &counter;
  ASSERT_TRUE(run_plan(options).has_value());
  EXPECT_EQ(counter.seen[in[0].index()], 4);
  EXPECT_EQ(counter.seen[twice.index()], 4);
  EXPECT_EQ(counter.seen[out[0].index()], 1);
}

TEST_F(RepeatTest, ADeadlockNamesTheIteration) {
  start({2});
  const CommunicatorId all = builder_->add_communicator(everyone_, "comm x");
  for (int64_t rank = 0; rank < 2; ++rank) {
    builder_->begin_group("rank " + std::to_string(rank), {rank});
    const PlanValueId one = builder_->local(Constant{Rational(1), DType::f64, {1}}, {}, f64({1}));
    const auto in = builder_->begin_repeat(rank == 0 ? 5 : 3, {one});
    builder_->end_repeat({builder_->collective(CollectiveKind::all_reduce, all, in[0])});
  }
  const Result<RunResult> result = run_plan();
  ASSERT_FALSE(result.has_value());
  ASSERT_EQ(result.error().notes.size(), 1U);
  EXPECT_EQ(result.error().notes[0].message,
            "rank 0: all_reduce in iteration 3 over `x` (group of rank 0, sequence number 3) waits for rank 1, which "
            "has finished without it");
}

/// Rank 0 adds up over b five times before it does over a, rank 1 in turns: its queue b is an iteration ahead and
/// waits.
TEST_F(RepeatTest, ADeadlockNamesAQueueInFrontOfAnIteration) {
  start({2});
  const CommunicatorId a = builder_->add_communicator(everyone_, "a"), b = builder_->add_communicator(everyone_, "b");
  const auto sum = [&](CommunicatorId on, PlanValueId x) {
    return builder_->collective(CollectiveKind::all_reduce, on, x, 0, "", at(on == a ? 1 : 2));
  };
  const auto constant = [&](Shape shape) {
    return builder_->local(Constant{Rational(1), DType::f64, shape}, {}, f64(shape));
  };
  builder_->begin_group("rank 0", {0});
  const auto first = builder_->begin_repeat(5, {constant({1})});
  const PlanValueId last = builder_->end_repeat({sum(b, first[0])})[0];
  const auto second = builder_->begin_repeat(5, {last});
  builder_->end_repeat({sum(a, second[0])});
  builder_->begin_group("rank 1", {1});
  const PlanValueId rows = constant({5, 1});
  const auto in = builder_->begin_repeat(5, {constant({1})}, {rows});
  const PlanValueId of_a = sum(a, in[0]), of_b = sum(b, in[1]);
  builder_->end_repeat({builder_->local(Add{}, {of_a, of_b}, f64({1}), "", at(3))});
  EXPECT_EQ(
      failure_text(),
      R"(plan.txt:1:1: deadlock: rank 0 waits for rank 1, which waits for rank 0; 2 of 2 ranks cannot go on [D-deadlock]
plan.txt:1:1: rank 0: all_reduce in iteration 0 waits for all_reduce on another queue of rank 0
plan.txt:2:1: rank 0: all_reduce in iteration 2 over `x` (group of rank 0, sequence number 2) waits for rank 1
plan.txt:3:1: rank 1: the queue over `x` is done in iteration 1 and waits for add in iteration 0 on another queue of rank 1
plan.txt:3:1: rank 1: add in iteration 0 waits for all_reduce on another queue of rank 1
plan.txt:1:1: rank 1: all_reduce in iteration 0 over `x` (group of rank 0, sequence number 0) waits for rank 0
)");
}

}  // namespace
}  // namespace isoshard::sim::repeat_test
