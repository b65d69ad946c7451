#include <algorithm>
#include <atomic>
#include <thread>

#include "core/support/result.h"
#include "sim/engine/fabric.h"
#include "tests/engine/engine_fixture.h"

namespace isoshard::sim::rendezvous_test {
namespace {

/// Threads that meet on the Fabric directly, one member each, without an engine in between.
class RendezvousTest : public ::testing::Test {
 protected:
  explicit RendezvousTest(CollectiveKind kind = CollectiveKind::all_reduce, int64_t members = kMembers) {
    PlanBuilder builder(mesh_of({members}), "p");
    communicator_ = builder.add_communicator(group_of({0}), "comm x");
    const PlanValueId x = builder.local(Constant{Rational(0), DType::f64, {1}}, {}, f64({1}));
    builder.collective(kind, communicator_, x);
    plan_ = builder.finish();
  }

  Contribution contribution(int64_t member, Value value) const {
    const Instruction collective = plan_.instructions[1];
    return {&collective.work(), collective.id, member, std::move(value)};
  }

  double meet(Fabric& fabric, int64_t member, int64_t round, double brings) const {
    Fabric::Arrival arrival = fabric.arrive(communicator_, round, contribution(member, value_of({1}, {brings})));
    if (arrival.completed) {
      ++completions_;
      completions_.notify_all();
    }
    for (int seen = completions_; !Fabric::complete(arrival.ticket); seen = completions_) completions_.wait(seen);
    return doubles(fabric.leave(std::move(arrival.ticket)))[0];
  }

  static constexpr int64_t kMembers = 4;
  Plan plan_;
  CommunicatorId communicator_;
  mutable std::atomic<int> completions_ = 0;
};

TEST_F(RendezvousTest, TenThousandRoundsWithSlowAndFastMembers) {
  constexpr int64_t kRounds = 10000;
  Fabric fabric(plan_, float_domain());
  std::atomic<int> wrong = 0;
  const auto member = [&](int64_t m) {
    for (int64_t round = 0; round < kRounds; ++round) {
      // Every member is the slow one for a while; the others run ahead into the next round.
      if (round / 100 % kMembers == m) std::this_thread::yield();
      const double sum = meet(fabric, m, round, static_cast<double>(10 * round + m));
      if (sum != static_cast<double>(4 * 10 * round + 6)) ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (int64_t m = 0; m < kMembers; ++m) threads.emplace_back(member, m);
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(completions_, kRounds);
  EXPECT_EQ(fabric.open_meetings(), 0U);
}

TEST_F(RendezvousTest, AddsInMemberOrderWhateverTheOrderOfArrival) {
  const std::vector<double> terms{1e16, 1.0, -1e16, 1.0};  // the sum depends on the order: 1 in member order
  std::vector<int64_t> order{0, 1, 2, 3};
  int64_t round = 0;
  do {
    Fabric fabric(plan_, float_domain());
    std::vector<Ticket> tickets;
    for (const int64_t m : order) {
      const double term = terms[static_cast<size_t>(m)];
      tickets.push_back(fabric.arrive(communicator_, round, contribution(m, value_of({1}, {term}))).ticket);
    }
    for (Ticket& ticket : tickets) {
      ASSERT_TRUE(Fabric::complete(ticket));
      EXPECT_EQ(doubles(fabric.leave(std::move(ticket)))[0], 1.0);
    }
    ++round;
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(round, 24);
}

class ManyMembersTest : public RendezvousTest {
 protected:
  ManyMembersTest() : RendezvousTest(CollectiveKind::all_reduce, 12) {}
};

TEST_F(ManyMembersTest, TermsAreReleasedSeveralAtATime) {
  Fabric fabric(plan_, float_domain());
  std::vector<std::weak_ptr<const std::byte>> terms;
  std::vector<Ticket> tickets;
  for (const int64_t m : {11, 0, 1, 2, 3, 4, 5, 6}) {
    Value term = value_of({1}, {1});
    terms.push_back(term.data);
    tickets.push_back(fabric.arrive(communicator_, 0, contribution(m, std::move(term))).ticket);
  }
  for (const auto& term : terms) EXPECT_FALSE(term.expired()) << "a pass takes eight";
  tickets.push_back(fabric.arrive(communicator_, 0, contribution(7, value_of({1}, {1}))).ticket);
  EXPECT_FALSE(terms[0].expired());  // member 11 has to wait for those before it
  for (size_t i = 1; i < terms.size(); ++i) EXPECT_TRUE(terms[i].expired()) << i;
  EXPECT_EQ(fabric.first_missing(tickets[0]), 8);
}

TEST_F(RendezvousTest, StateIsDestroyedWithTheLastLeaver) {
  Fabric fabric(plan_, float_domain());
  std::vector<Ticket> tickets;
  for (int64_t m = 0; m < kMembers; ++m) {
    tickets.push_back(fabric.arrive(communicator_, 0, contribution(m, value_of({1}, {1}))).ticket);
  }
  const std::weak_ptr<Rendezvous> state = tickets[0].rendezvous;
  for (Ticket& ticket : tickets) {
    EXPECT_FALSE(state.expired());
    fabric.leave(std::move(ticket));
  }
  EXPECT_TRUE(state.expired());
}

class RendezvousEngineTest : public PlanTest {};

TEST_F(RendezvousEngineTest, ThousandsOfRoundsOnWorkers) {
  start({4});
  const PlanValueId x = own_block({1, 2, 3, 4});
  const CommunicatorId all = builder_->add_communicator(group_of({0}), "comm x");
  const CommunicatorId ring = builder_->add_communicator(group_of({0}), "send x +");
  const PlanValueId quarter = builder_->local(Constant{Rational(1, 4), DType::f64, {1}}, {}, f64({1}));
  const auto in = builder_->begin_repeat(4000, {x, x, quarter});
  const PlanValueId mean =
      builder_->local(Multiply{}, {builder_->collective(CollectiveKind::all_reduce, all, in[0]), in[2]}, f64({1}));
  const PlanValueId next = builder_->permute(ring, in[1], mod(position() + 1, 4), mod(position() - 1, 4));
  const auto out = builder_->end_repeat({mean, next, in[2]});
  store_own(out[0]);
  store_own(out[1]);
  const Result<RunResult> result = run_plan(with_workers(4));
  ASSERT_TRUE(result.has_value());
  for (size_t p = 0; p < 4; ++p) {
    EXPECT_EQ(stored(*result, 0, p), std::vector<double>{2.5});
    EXPECT_EQ(stored(*result, 1, p), std::vector<double>{static_cast<double>(p) + 1});  // 4000 is 0 mod 4
  }
}

}  // namespace
}  // namespace isoshard::sim::rendezvous_test
