// Deadlocks of hand-written Plans, each beside a right twin: the order bugs that people shipped (45 to 48 in the
// numbers of the zoo), what folds, loops, tokens, and the depth of buffers that would save a Plan.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/plan/passes/lower.h"
#include "core/plan/passes/plan_builder.h"
#include "core/support/diagnostic.h"
#include "tests/models_testing.h"
#include "verify/deadlock/deadlock.h"
#include "verify/deadlock/folded_ranks.h"

namespace isoshard::verify::verify_deadlock_test {
namespace {

using Kind = CollectiveKind;

/// `deadlock: ... ` and the notes, one a line, then the words of the verdict.
std::string text_of(const DeadlockReport& report) {
  std::string text;
  if (report.finding) {
    text += report.finding->message + "\n";
    for (const Note& note : report.finding->notes) text += note.message + "\n";
  }
  return text + report.words();
}

class VerifyDeadlockTest : public ::testing::Test {
 protected:
  void start(const std::vector<int64_t>& sizes) {
    std::vector<MeshAxis> axes;
    for (size_t a = 0; a < sizes.size(); ++a) axes.push_back({std::string(1, static_cast<char>('x' + a)), sizes[a]});
    builder_ = std::make_unique<PlanBuilder>(std::make_shared<Mesh>("m", std::move(axes)));
  }
  CommunicatorId over(size_t axis, const std::string& queue) {
    return builder_->add_communicator(Group{{AxisId(axis)}}, queue);
  }
  PlanValueId one() { return builder_->local(Constant{Rational(1), DType::f64, {1}}, {}, kType); }
  PlanValueId reduce(CommunicatorId communicator, PlanValueId x) {
    return builder_->collective(Kind::all_reduce, communicator, x);
  }
  void send(CommunicatorId communicator, Expr target) { builder_->send(communicator, one(), std::move(target)); }
  PlanValueId receive(CommunicatorId communicator, Expr source) {
    return builder_->receive(communicator, std::move(source), kType);
  }
  DeadlockReport decide() { return decide_deadlock(builder_->finish()); }
  std::string found() { return text_of(decide()); }

  static Expr x() { return Expr::coordinate(AxisId(0)); }

  const TensorType kType{DType::f64, {1}};
  std::unique_ptr<PlanBuilder> builder_;
};

TEST_F(VerifyDeadlockTest, MessagesCrossInInterleavedSchedules) {  // 45
  for (const bool right : {false, true}) {
    start({2});
    const CommunicatorId channel = over(0, "channel");
    builder_->begin_group("first", {0});
    send(channel, 1);
    receive(channel, 1);
    builder_->begin_group("second", {1});
    if (right) receive(channel, 0);
    send(channel, 0);
    if (!right) receive(channel, 0);
    EXPECT_EQ(found(),
              right ? "none" : R"(deadlock: rank 0 waits for rank 1, which waits for rank 0; 2 of 2 ranks cannot go on
rank 0: send over `x` waits for rank 1
rank 1: send over `x` waits for rank 0
in every order of launches; none with buffers for 1 message from each rank to another)");
  }
}

TEST_F(VerifyDeadlockTest, ACircleOfConnections) {  // 46
  start({4});
  const CommunicatorId ring = over(0, "ring");
  send(ring, mod(x() + 1, 4));
  receive(ring, mod(x() + 3, 4));
  EXPECT_EQ(
      found(),
      R"(deadlock: rank 0 waits for rank 1, which waits for rank 2, which waits for rank 3, which waits for rank 0; 4 of 4 ranks cannot go on
rank 0: send over `x` waits for rank 1
rank 1: send over `x` waits for rank 2
rank 2: send over `x` waits for rank 3
rank 3: send over `x` waits for rank 0
in every order of launches; none with buffers for 1 message from each rank to another)");
  start({4});
  const CommunicatorId whole = over(0, "ring");
  builder_->permute(whole, one(), mod(x() + 1, 4), mod(x() + 3, 4));
  EXPECT_EQ(found(), "none");
}

TEST_F(VerifyDeadlockTest, RanksDivergeOnTwoGroups) {  // 47
  for (const bool dependent : {false, true}) {
    for (const bool right : {false, true}) {
      start({2, 2});
      const CommunicatorId rows = over(0, "x"), columns = over(1, "y");
      builder_->begin_group("diagonal", {0, 3});
      const PlanValueId a = reduce(rows, one());
      reduce(columns, dependent ? a : one());
      builder_->begin_group("others", {1, 2});
      const PlanValueId b = reduce(right ? rows : columns, one());
      reduce(right ? columns : rows, dependent ? b : one());
      const std::string text = found();
      if (right) {
        EXPECT_EQ(text, "none");
      } else {
        EXPECT_TRUE(
            text.starts_with("deadlock: rank 0 waits for rank 2, which waits for rank 3, which waits for rank "
                             "1, which waits for rank 0; 4 of 4 ranks cannot go on\n"
                             "rank 0: all_reduce over `x` waits for rank 2\n"))
            << text;
        EXPECT_TRUE(text.ends_with(dependent ? "\nin every order of launches; no buffers help"
                                             : "\nwhere a rank has one queue, in issue order; not with queues side "
                                               "by side; no buffers help"))
            << text;
      }
    }
  }
}

TEST_F(VerifyDeadlockTest, OnlySomeRanksCall) {  // 48
  start({3});
  const CommunicatorId all = over(0, "x");
  builder_->begin_group("most", {0, 1});
  reduce(all, reduce(all, one()));
  builder_->begin_group("last", {2});
  reduce(all, one());
  EXPECT_EQ(found(), R"(deadlock: rank 0 waits for a rank that has finished; 2 of 3 ranks cannot go on
rank 0: all_reduce over `x` waits for rank 2, which has finished without it
in every order of launches; no buffers help)");
}

TEST_F(VerifyDeadlockTest, TheDepthIsTheSmallest) {
  for (const int64_t messages : {1, 2, 3, 7}) {
    start({2});
    const CommunicatorId channel = over(0, "channel");
    for (const int64_t rank : {0, 1}) {
      builder_->begin_group("g", {rank});
      for (int64_t i = 0; i < messages; ++i) send(channel, 1 - rank);
      for (int64_t i = 0; i < messages; ++i) receive(channel, 1 - rank);
    }
    const DeadlockReport report = decide();
    EXPECT_EQ(report.verdict, DeadlockVerdict::deadlock);
    EXPECT_EQ(report.depth, messages);
  }
}

TEST_F(VerifyDeadlockTest, ALaterIterationIsNamed) {
  start({2});
  const CommunicatorId all = over(0, "x");
  for (const int64_t rank : {0, 1}) {
    builder_->begin_group("g", {rank});
    const auto outer = builder_->begin_repeat(2, {one()});
    const auto inner = builder_->begin_repeat(rank == 0 ? 5 : 4, {outer[0]});
    builder_->end_repeat(builder_->end_repeat({reduce(all, inner[0])}));
  }
  EXPECT_EQ(found(), R"(deadlock: rank 0 waits for a rank that has finished; 1 of 2 ranks cannot go on
rank 0: all_reduce over `x` in iteration 1, 3 waits for rank 1, which has finished without it
in every order of launches; no buffers help)");
}

/// Rank 0 sends on one queue and reduces on another, rank 1 the other way round: they pass one another only where the
/// queues of a rank are apart, and nothing holds them together.
TEST_F(VerifyDeadlockTest, TokensAndBarriersTieQueues) {
  enum class Tie { none, token, loop_token, barrier };
  for (const Tie tie : {Tie::none, Tie::token, Tie::loop_token, Tie::barrier}) {
    start({2});
    const CommunicatorId first = over(0, "first"), second = over(0, "second");
    for (const int64_t rank : {0, 1}) {
      builder_->begin_group("g", {rank});
      const auto in = builder_->begin_repeat(3, {one(), one()});
      const CommunicatorId a = rank == 0 ? first : second, b = rank == 0 ? second : first;
      const PlanValueId left = reduce(a, in[0]);
      const PlanValueId right = reduce(b, tie == Tie::token ? left : in[1]);
      const bool swaps = tie == Tie::loop_token;
      builder_->end_repeat(swaps ? std::vector{right, left} : std::vector{left, right});
    }
    Plan plan = builder_->finish();
    if (tie == Tie::barrier) {
      for (RankGroup& group : plan.groups) group.blocks[1].repeat->ahead = 0;
    }
    const DeadlockReport report = decide_deadlock(plan);
    const bool deadlocks = tie == Tie::token;
    EXPECT_EQ(report.verdict, deadlocks ? DeadlockVerdict::deadlock : DeadlockVerdict::launch_order)
        << static_cast<int>(tie) << text_of(report);
  }
}

/// One rank is an iteration behind on one of two queues: right where queues may be so far apart.
TEST_F(VerifyDeadlockTest, QueuesAreAsFarApartAsTheLoopSays) {
  for (const int64_t behind : {1, 2}) {
    for (const int64_t ahead : {0, 1, 2, 3}) {
      start({2});
      const CommunicatorId first = over(0, "first"), second = over(0, "second");
      builder_->begin_group("even", {0});
      builder_->begin_repeat(4, {});
      reduce(first, one());
      reduce(second, one());
      builder_->end_repeat({});
      builder_->begin_group("late", {1});
      PlanValueId last = one();
      for (int64_t i = 0; i < behind; ++i) last = reduce(first, last);
      for (int64_t i = behind; i < 4; ++i) reduce(second, last = reduce(first, last));
      for (int64_t i = 0; i < behind; ++i) reduce(second, last);
      Plan plan = builder_->finish();
      plan.groups[0].blocks[0].repeat->ahead = ahead;
      // Rank 1 reduces over `second` for the first time behind `behind` + 1 times over `first`.
      EXPECT_EQ(decide_deadlock(plan).verdict,
                ahead >= behind ? DeadlockVerdict::launch_order : DeadlockVerdict::deadlock)
          << behind << " " << ahead;
    }
  }
}

TEST_F(VerifyDeadlockTest, AsManyStepsAsAFileClaims) {
  start({2});
  const CommunicatorId all = over(0, "x");
  for (const int64_t rank : {0, 1}) {
    builder_->begin_group("g", {rank});
    const auto in = builder_->begin_repeat(1'000'000'000'000, {one()});
    builder_->end_repeat({reduce(all, in[0])});
  }
  const DeadlockReport report = decide();
  EXPECT_EQ(report.verdict, DeadlockVerdict::undecided);
  EXPECT_FALSE(report.none() || report.found());
  EXPECT_EQ(report.words(), "not decided: more than 2^26 steps");
}

TEST_F(VerifyDeadlockTest, LoopsOfOneGroupCostNothing) {
  start({1024, 1024});
  const CommunicatorId all = over(0, "x");
  const auto in = builder_->begin_repeat(1'000'000'000'000, {one()});
  builder_->end_repeat({reduce(all, in[0])});
  EXPECT_EQ(found(), "none");
}

// Folding.

size_t folded(const Plan& plan) { return FoldedRanks::of(plan, 1e9)->count(); }

TEST_F(VerifyDeadlockTest, RanksThatGoOnAlikeAreOne) {
  start({4, 8});
  reduce(over(0, "x"), reduce(over(1, "y"), one()));
  EXPECT_EQ(folded(builder_->finish()), 1U);
}

TEST_F(VerifyDeadlockTest, AxesOfMessagesAndOfTheirPeersDoNotFold) {
  start({2, 2, 2});
  send(over(0, "x"), 0);
  receive(over(0, "x"), mod(Expr::coordinate(AxisId(2)), 2));
  EXPECT_EQ(folded(builder_->finish()), 4U);
}

TEST_F(VerifyDeadlockTest, GroupsOfWholeLinesFold) {
  for (const bool lines : {true, false}) {
    start({2, 3});
    builder_->begin_group("a", lines ? std::vector<int64_t>{0, 1, 2} : std::vector<int64_t>{0, 1, 3});
    one();
    builder_->begin_group("b", lines ? std::vector<int64_t>{3, 4, 5} : std::vector<int64_t>{2, 4, 5});
    one();
    EXPECT_EQ(folded(builder_->finish()), lines ? 2U : 6U);
  }
}

TEST_F(VerifyDeadlockTest, ARankWithoutAGroupHasFinished) {
  start({2});
  builder_->begin_group("a", {0});
  receive(over(0, "x"), 1);
  EXPECT_EQ(found(), R"(deadlock: rank 0 waits for a rank that has finished; 1 of 2 ranks cannot go on
rank 0: recv over `x` waits for rank 1, which has finished without it
in every order of launches; no buffers help)");
}

TEST_F(VerifyDeadlockTest, StuckRanksAreCountedForAllThatTheyStandFor) {
  start({2, 5});
  const CommunicatorId channel = over(0, "x");
  builder_->begin_group("a", {0, 1, 2, 3, 4});
  receive(channel, 1);
  builder_->begin_group("b", {5, 6, 7, 8, 9});
  one();
  EXPECT_TRUE(found().starts_with("deadlock: rank 0 waits for a rank that has finished; 5 of 10 ranks cannot go on"));
}

// What is lowered.

TEST(VerifyDeadlock, NoPlanOfTheCatalogueDeadlocks) {
  isoshard::testing::for_each_catalogue_program([](const Module& module, ProgramId program, const std::string& name) {
    EXPECT_EQ(text_of(decide_deadlock(lower(module, program))), "none") << name;
  });
}

}  // namespace
}  // namespace isoshard::verify::verify_deadlock_test
