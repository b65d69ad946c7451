// Sends and receives: each pair of devices has channels of its own, messages arrive in order, and what nobody receives
// is told as what it is.
#include "core/support/result.h"
#include "tests/engine/engine_fixture.h"
#include "tests/internal_error.h"

namespace isoshard::sim::message_test {
namespace {

class MessageTest : public PlanTest {
 protected:
  /// A fresh plan of two ranks, 0 and 1 along x.
  void start_pair() {
    plan_.reset();
    globals_.clear();
    everyone_ = {};
    start({2});
  }
  CommunicatorId channel(const std::string& name) { return builder_->add_communicator(group_of({0}), name); }
  PlanValueId number(double value) {
    return builder_->local(Constant{Rational(static_cast<int64_t>(value)), DType::f64, {1}}, {}, f64({1}));
  }
  PlanValueId receive(CommunicatorId on, int64_t from, uint32_t line, Shape shape = {1}) {
    return builder_->receive(on, Expr(from), f64(std::move(shape)), "", at(line));
  }
  void send(CommunicatorId on, double value, int64_t to, uint32_t line) {
    builder_->send(on, number(value), Expr(to), at(line));
  }
};

TEST_F(MessageTest, ArriveInTheOrderInWhichTheyWereSent) {
  start({2, 2});  // stages along x, one channel for each y
  const CommunicatorId there = channel("send x 0->1"), here = channel("send x 1->0");
  const GlobalId x = builder_->add_global(Global{"x", f64({4}), Role::input, Init{}, Location()});
  globals_ = {value_of({4}, {1, 2, 3, 4})};
  const uint32_t y = builder_->add_output("y", f64({4}));
  const auto own = [&] { return builder_->load(x, {position()}, {4}); };
  const auto store = [&](PlanValueId value) { builder_->store(value, y, {position()}, {4}); };
  builder_->begin_group("x=0", {0, 1});
  const PlanValueId mine = own();
  const PlanValueId twice = builder_->local(Add{}, {mine, mine}, f64({1}));
  builder_->send(there, mine, Expr(1));
  builder_->send(there, twice, Expr(1));
  store(builder_->receive(here, Expr(1), f64({1})));
  builder_->begin_group("x=1", {2, 3});
  const PlanValueId first = builder_->receive(there, Expr(0), f64({1}));
  const PlanValueId second = builder_->receive(there, Expr(0), f64({1}));
  const PlanValueId difference = builder_->local(Subtract{}, {second, first}, f64({1}));
  builder_->send(here, builder_->local(Multiply{}, {second, own()}, f64({1})), Expr(0));
  store(difference);
  for (const int workers : {1, 2, 8}) {
    for (uint64_t seed = 0; seed < 10; ++seed) {
      const Result<RunResult> result =
          run_plan(with_workers(workers, seed == 0 ? std::nullopt : std::optional<uint64_t>(seed)));
      ASSERT_TRUE(result.has_value()) << result.error().message;
      const std::vector<double> expected = {2 * 1 * 3, 2 * 2 * 4, 1, 2};
      for (size_t p = 0; p < 4; ++p) EXPECT_EQ(stored(*result, 0, p), std::vector<double>{expected[p]});
    }
  }
}

TEST_F(MessageTest, BothSendFirstOnOneQueue) {
  // pytorch #172668: rank 0 [SendF, RecvF], rank 1 [SendF, RecvF], one stream each: both are stuck at their sends.
  start_pair();
  const CommunicatorId all = channel("p2p");
  builder_->begin_group("x=0", {0});
  send(all, 1, 1, 1);
  receive(all, 1, 2);
  builder_->begin_group("x=1", {1});
  send(all, 2, 0, 3);
  receive(all, 0, 4);
  EXPECT_EQ(
      failure_text(),
      R"(plan.txt:1:1: deadlock: rank 0 waits for rank 1, which waits for rank 0; 2 of 2 ranks cannot go on [D-deadlock]
plan.txt:1:1: rank 0: send over `x` (rank 0 to rank 1, sequence number 0) waits for rank 1
plan.txt:3:1: rank 1: send over `x` (rank 1 to rank 0, sequence number 0) waits for rank 0
)");
}

TEST_F(MessageTest, ChannelsOfTheirOwnOverlap) {
  start_pair();
  const CommunicatorId there = channel("send x 0->1"), back = channel("send x 1->0");
  builder_->begin_group("x=0", {0});
  send(there, 1, 1, 1);
  receive(back, 1, 2);
  builder_->begin_group("x=1", {1});
  send(back, 2, 0, 3);
  receive(there, 0, 4);
  EXPECT_EQ(failure_text(), "no failure");
}

TEST_F(MessageTest, AMessageThatNobodyReceives) {
  start_pair();
  const CommunicatorId there = channel("send x 0->1");
  builder_->begin_group("x=0", {0});
  send(there, 1, 1, 1);
  send(there, 2, 1, 2);
  builder_->begin_group("x=1", {1});
  receive(there, 0, 3);
  EXPECT_EQ(failure_text(),
            R"(plan.txt:2:1: deadlock: rank 0 waits for a rank that has finished; 1 of 2 ranks cannot go on [D-deadlock]
plan.txt:2:1: rank 0: send over `x` (rank 0 to rank 1, sequence number 1) waits for rank 1, which has finished without it
)");
}

TEST_F(MessageTest, AnotherShapeThanExpected) {
  start_pair();
  const CommunicatorId there = channel("send x 0->1");
  builder_->begin_group("x=0", {0});
  send(there, 1, 1, 1);
  builder_->begin_group("x=1", {1});
  receive(there, 0, 2, {3});
  EXPECT_EQ(
      failure_text(),
      R"(plan.txt:1:1: mismatch: rank 0 sends f64[1] and rank 1 expects f64[3] with message number 0 over `x`; expected one type on both sides [D-mismatch]
plan.txt:2:1: rank 1 runs recv here
)");
}

/// A Plan that names a peer that is not there is a bug of whoever made it: it is told, whatever thread meets it.
TEST_F(MessageTest, APeerThatIsNotThereIsAnInternalError) {
  for (const int workers : {1, 2, 8}) {
    start_pair();
    const CommunicatorId there = channel("send x 0->1");
    builder_->begin_group("x=0", {0});
    send(there, 1, 5, 1);
    builder_->begin_group("x=1", {1});
    receive(there, 0, 2);
    RunOptions options;
    options.workers = workers;
    options.small_work = 0;
    EXPECT_INTERNAL_ERROR(run_on_engine(builder_->finish(), float_domain(), {}, options), "a peer that does not exist");
  }
}

}  // namespace
}  // namespace isoshard::sim::message_test
