// Each invariant of a Plan: one that breaks it, and what is said; what is lowered breaks none.

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/plan/passes/lower.h"
#include "core/plan/passes/plan_builder.h"
#include "core/plan/verify/verify_plan.h"
#include "core/support/diagnostic.h"
#include "tests/models_testing.h"

namespace isoshard::plan_verify_test {
namespace {

const TensorType kRow{DType::f32, {2}};

/// `RULE message` of the first finding; empty for a Plan that is right.
std::string first(const Plan& plan) {
  const std::vector<Diagnostic> found = verify_plan(plan);
  return found.empty() ? "" : found[0].rule + " " + found[0].message;
}

/// Four ranks permute rows of a loop round a ring, add them up over all, and store the sum: a communicator for either.
class PlanVerifyTest : public ::testing::Test {
 protected:
  PlanVerifyTest() {
    const GlobalId g = b_.add_global(Global{"a", {DType::f32, {4, 2}}, Role::input, Init{}, Location()});
    const PlanValueId block = b_.load(g, {x_, Expr(0)}, {4, 1}, "block");
    const PlanValueId row = b_.local(Reshape{{2}}, {block}, kRow, "row");
    const auto in = b_.begin_repeat(3, {row}, {}, {"now"});
    const PlanValueId next = b_.permute(ring_, in[0], mod(x_ + 1, 4), mod(x_ + 3, 4), "next");
    const PlanValueId sum = b_.local(Add{}, {next, in[0]}, kRow, "sum");
    const PlanValueId last = b_.end_repeat({sum}, {}, {"last"})[0];
    const PlanValueId total = b_.collective(CollectiveKind::all_reduce, all_, last, 0, "total");
    b_.store(total, b_.add_output("y", kRow), {Expr(0)}, {1});
    plan_ = b_.finish();
  }

  Instruction instruction(size_t i) const { return plan_.instructions[i]; }
  template <class Change>
  void change(size_t i, const Change& change) {
    plan_.instructions.change(InstructionId(i), change);
  }
  void set_waits_of(size_t i, const std::vector<Token>& waits) {
    plan_.instructions.set_waits(InstructionId(i), waits);
  }
  std::vector<Block>& blocks() { return plan_.groups[0].blocks; }
  Repeat& loop() { return *blocks()[1].repeat; }

  const Expr x_ = Expr::coordinate(AxisId(0));
  PlanBuilder b_{std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 4}}), "ring"};
  const CommunicatorId ring_ = b_.add_communicator(Group{{AxisId(0)}}, "ring");
  const CommunicatorId all_ = b_.add_communicator(Group{{AxisId(0)}}, "all");
  Plan plan_;
};

TEST_F(PlanVerifyTest, ARightPlan) { EXPECT_EQ(first(plan_), ""); }

TEST_F(PlanVerifyTest, GroupsAreOnTheMeshAndApart) {
  plan_.groups[0].positions = {0, 1, 4};
  EXPECT_EQ(first(plan_), "L-group group all has position 4 of 4");
  plan_.groups[0].positions = {0, 1, 1};
  EXPECT_EQ(first(plan_), "L-group group all has position 1, as has another group");
}

TEST_F(PlanVerifyTest, InstructionsAreOnTheirQueuesInOrder) {
  std::vector<Queue>& queues = blocks()[2].queues;
  std::swap(queues[1].instructions, queues[2].instructions);
  EXPECT_EQ(first(plan_), "L-queue #4 all_reduce is on queue 1; expected 2, that of its communicator");
  std::swap(queues[1].instructions, queues[2].instructions);
  std::swap(blocks()[0].queues[0].instructions[0], blocks()[0].queues[0].instructions[1]);
  EXPECT_EQ(first(plan_), "L-queue #0 view is on compute behind a later one");
  blocks()[0].queues[0].instructions.pop_back();
  EXPECT_EQ(first(plan_), "L-queue #0 view is on no queue");
  blocks()[0].queues[0].instructions = {InstructionId(0), InstructionId(1)};
  EXPECT_EQ(first(plan_), "");
  blocks()[2].queues[0].instructions.insert(blocks()[2].queues[0].instructions.begin(), InstructionId(1));
  EXPECT_EQ(first(plan_), "L-queue #1 reshape is on a queue twice");
  blocks()[0].queues[0].instructions.pop_back();
  EXPECT_EQ(first(plan_), "L-queue #1 reshape is in a block behind a later one");
}

TEST_F(PlanVerifyTest, ListsOfLoopsMatch) {
  loop().ahead = -1;
  EXPECT_EQ(first(plan_), "L-loop a repeat has 3 iterations, ahead -1; expected no negative numbers");
  loop().ahead = 1;
  loop().yields.clear();
  EXPECT_EQ(first(plan_), "L-loop a repeat has lists of different lengths");
  loop().parts = {instruction(3).results[0]};
  loop().stacks = {instruction(0).results[0]};
  loop().yields = {instruction(3).results[0]};
  EXPECT_EQ(first(plan_), "L-loop a repeat has %block, a f32[1,2]; expected f32[3,2]");
  loop().yields = {instruction(0).results[0]};
  EXPECT_EQ(first(plan_), "L-loop a repeat has %block, a f32[1,2]; expected f32[2]");
}

TEST_F(PlanVerifyTest, ValuesAreDefinedOnceAndReadWhereTheyAre) {
  const PlanValueId outside = instruction(1).results[0];
  change(3, [&](NewInstruction& sum) { sum.operands[1] = outside; });
  EXPECT_EQ(first(plan_), "L-value #3 add reads %row, which nothing before it in the same list of blocks defines")
      << "a body captures nothing";
  change(3, [&](NewInstruction& sum) {
    sum.operands[1] = loop().arguments[0];
    sum.results[0] = instruction(2).results[0];
  });
  EXPECT_EQ(first(plan_), "L-value #3 add defines %next once more");
}

TEST_F(PlanVerifyTest, TokensNameWhatIsIssuedBefore) {
  const std::vector<Token> right(instruction(2).waits);
  const auto with = [&](const Token& wrong) {
    std::vector<Token> waits = right;
    waits.push_back(wrong);
    return waits;
  };
  set_waits_of(2, with({InstructionId(4), false}));
  EXPECT_EQ(first(plan_), "L-token #2 collective_permute waits for #4, which its group does not issue before it");
  set_waits_of(2, with({InstructionId(1), true}));
  EXPECT_EQ(first(plan_),
            "L-token #2 collective_permute waits for #1 of the iteration before, and no loop is around both");
  set_waits_of(2, right);
  change(3, [](NewInstruction& sum) { sum.waits.push_back({InstructionId(1), false}); });
  EXPECT_EQ(first(plan_), "L-token #3 add waits for #1, which is on the same queue");
}

TEST_F(PlanVerifyTest, ReadersWaitForWhatMakesTheirOperands) {
  const std::vector<Token> of_permute(instruction(2).waits);
  EXPECT_EQ(of_permute, (std::vector<Token>{{InstructionId(1), false}, {InstructionId(3), true}}));
  set_waits_of(2, {of_permute[0]});
  EXPECT_EQ(first(plan_),
            "L-order #2 collective_permute reads %now and does not wait for #3, which makes it in the iteration before "
            "on another queue");
  set_waits_of(2, {of_permute[1]});
  EXPECT_EQ(first(plan_),
            "L-order #2 collective_permute reads %now and does not wait for #1, which makes it on another queue");
  set_waits_of(2, of_permute);
  set_waits_of(4, {});
  EXPECT_EQ(first(plan_),
            "L-order #4 all_reduce reads %last and does not wait for #3, which makes it on another queue");
}

TEST_F(PlanVerifyTest, BlocksAreThereOnEveryRank) {
  const auto set_block = [&](const Expr& block) {
    change(0, [&](NewInstruction& load) { std::get<LoadBlock>(load.own_data()).block[0] = block; });
  };
  set_block(x_ + 1);
  EXPECT_EQ(first(plan_), "L-block #0 view is of block 4; expected 0 to 3 (rank 3)");
  set_block(x_);
  change(5, [](NewInstruction& store) { std::get<StoreBlock>(store.own_data()).output = 1; });
  EXPECT_EQ(first(plan_), "L-block #5 return stores into an output that is not there");
}

TEST_F(PlanVerifyTest, PeersAreMembersInEveryIterationAndExpectEachOther) {
  const auto set_peers = [&](const Expr& target, const Expr& source) {
    change(2, [&](NewInstruction& i) {
      Permute& permute = std::get<Permute>(i.own_data());
      permute.target = target;
      permute.source = source;
    });
  };
  set_peers(x_ + Expr::loop_index(0), x_ - Expr::loop_index(0));
  EXPECT_EQ(first(plan_), "L-peer #2 collective_permute has peer -2; expected -1 to 3 (rank 0)");
  set_peers(mod(x_ + 1, 4), mod(x_ + 2, 4));
  EXPECT_EQ(first(plan_),
            "L-peer #2 collective_permute sends to a member that expects another one, or expects one that sends to "
            "another (rank 0)");
}

/// Two ranks, each a group: what each does is written by hand.
class PlanMatchTest : public ::testing::Test {
 protected:
  PlanValueId constant() { return b_.local(Constant{Rational(1), DType::f32, {2}}, {}, kRow); }
  std::string found() { return first(b_.finish()); }

  PlanBuilder b_{std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 2}}), "two"};
  const CommunicatorId down_ = b_.add_communicator(Group{{AxisId(0)}}, "down");
  const CommunicatorId all_ = b_.add_communicator(Group{{AxisId(0)}}, "all");
};

TEST_F(PlanMatchTest, MessagesAreReceivedOncePerIteration) {
  b_.begin_group("first", {0});
  const auto in = b_.begin_repeat(3, {constant()});
  b_.send(down_, in[0], Expr(1));
  b_.end_repeat({in[0]});
  b_.begin_group("second", {1});
  for (int i = 0; i < 3; ++i) b_.receive(down_, Expr(0), kRow);
  EXPECT_EQ(found(), "");
}

TEST_F(PlanMatchTest, AMessageThatNobodyReceives) {
  b_.begin_group("first", {0});
  const PlanValueId one = constant();
  b_.send(down_, one, Expr(1));
  b_.send(down_, one, Expr(1));
  b_.begin_group("second", {1});
  b_.receive(down_, Expr(0), kRow);
  EXPECT_EQ(found(), "L-match #2 send sends message 1 from rank 0 to rank 1, which nobody receives");
}

TEST_F(PlanMatchTest, AMessageOfAnotherType) {
  b_.begin_group("first", {0});
  b_.send(down_, constant(), Expr(1));
  b_.begin_group("second", {1});
  b_.receive(down_, Expr(0), TensorType{DType::f32, {3}});
  EXPECT_EQ(found(), "L-match #2 recv receives message 0 from rank 0 to rank 1 as f32[3]; it is f32[2]");
}

TEST_F(PlanMatchTest, APeerThatIsNotThere) {
  b_.begin_group("first", {0});
  b_.send(down_, constant(), Expr(2));
  EXPECT_EQ(found(), "L-peer #1 send has peer 2; expected 0 to 1 (rank 0)");
}

TEST_F(PlanMatchTest, PermutesOfTwoGroupsAreMessages) {
  b_.begin_group("first", {0});
  b_.permute(down_, constant(), Expr(1), Expr(-1));
  b_.permute(down_, constant(), Expr(1), Expr(1));
  b_.begin_group("second", {1});
  b_.receive(down_, Expr(0), kRow);
  b_.permute(down_, constant(), Expr(0), Expr(0));
  EXPECT_EQ(found(), "");
}

TEST_F(PlanMatchTest, APermuteThatNobodyAnswers) {
  b_.begin_group("first", {0});
  b_.permute(down_, constant(), Expr(1), Expr(1));
  b_.begin_group("second", {1});
  b_.receive(down_, Expr(0), kRow);
  EXPECT_EQ(found(), "L-match #1 collective_permute receives message 0 from rank 1 to rank 0, which nobody sends");
}

TEST_F(PlanMatchTest, PermutesBesideMessagesAreCountedWithThem) {
  const Expr x = Expr::coordinate(AxisId(0));
  b_.send(down_, constant(), mod(x + 1, 2));
  b_.permute(down_, constant(), mod(x + 1, 2), mod(x + 1, 2));
  b_.receive(down_, mod(x + 1, 2), TensorType{DType::f32, {3}});
  EXPECT_EQ(found(), "L-match #4 recv receives message 1 from rank 0 to rank 1 as f32[3]; it is f32[2]");
}

TEST_F(PlanMatchTest, SetsOfPositionsMeetByThemselves) {
  const CommunicatorId self = b_.add_set_communicator({{0}, {1}}, "self"),
                       second = b_.add_set_communicator({{1}}, "second");
  for (int64_t rank = 0; rank < 2; ++rank) {
    b_.begin_group("rank " + std::to_string(rank), {rank});
    for (int64_t i = 0; i <= rank; ++i) b_.collective(CollectiveKind::all_reduce, self, constant());
    if (rank == 1) b_.collective(CollectiveKind::all_reduce, second, constant());
  }
  EXPECT_EQ(found(), "");
}

TEST_F(PlanMatchTest, ARankOutsideOfTheSets) {
  b_.collective(CollectiveKind::all_reduce, b_.add_set_communicator({{1}}, "second"), constant());
  EXPECT_EQ(found(), "L-peer #1 all_reduce is run by rank 0, which is in none of the sets {{1}}");
}

TEST_F(PlanMatchTest, CollectivesInAnotherOrder) {
  for (int64_t rank = 0; rank < 2; ++rank) {
    b_.begin_group("rank " + std::to_string(rank), {rank});
    const PlanValueId one = constant();
    for (const bool sum : {rank == 0, rank != 0}) {
      b_.collective(sum ? CollectiveKind::all_reduce : CollectiveKind::all_reduce_max, all_, one);
    }
  }
  EXPECT_EQ(found(), "L-match #1 all_reduce is collective 0 of rank 0; rank 1 starts another one");
}

TEST_F(PlanMatchTest, SumsInDifferentPrecisions) {
  using enum SumPrecision;
  const auto found_with = [&](SumPrecision of_0, SumPrecision of_1) {
    PlanBuilder b(std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 2}}), "two");
    const CommunicatorId all = b.add_communicator(Group{{AxisId(0)}}, "all");
    const TensorType row{DType::bf16, {2}};
    for (int64_t rank = 0; rank < 2; ++rank) {
      b.begin_group("rank " + std::to_string(rank), {rank});
      const PlanValueId one = b.local(Constant{Rational(1), row.dtype, row.shape}, {}, row);
      b.collective(CollectiveKind::all_reduce, all, one, 0, "", Location(), rank == 0 ? of_0 : of_1);
    }
    return first(b.finish());
  };
  EXPECT_EQ(found_with(native, unspecified),
            "L-match #1 all_reduce is collective 0 of rank 0; rank 1 starts another one");
  EXPECT_NE(found_with(f32, native), "");
  EXPECT_EQ(found_with(native, native), "");
  EXPECT_EQ(found_with(f32, unspecified), "") << "f32 is what is meant where nothing is said";
}

TEST_F(PlanMatchTest, CollectivesThatOneRankLacks) {
  for (int64_t rank = 0; rank < 2; ++rank) {
    b_.begin_group("rank " + std::to_string(rank), {rank});
    const auto in = b_.begin_repeat(2 + rank, {constant()});
    b_.end_repeat({b_.collective(CollectiveKind::all_reduce, all_, in[0])});
  }
  EXPECT_EQ(found(), "L-match #3 all_reduce is collective 2 of rank 1; rank 0 starts none");
}

TEST(PlanVerify, TheCatalogueIsRight) {
  isoshard::testing::for_each_catalogue_program([](const Module& module, ProgramId program, const std::string& name) {
    EXPECT_EQ(first(lower(module, program)), "") << name;
  });
}

}  // namespace
}  // namespace isoshard::plan_verify_test
