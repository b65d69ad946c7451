#include "tests/engine/engine_fixture.h"

namespace isoshard::sim::deadlock_test {
namespace {

using Kind = CollectiveKind;

class DeadlockTest : public PlanTest {
 protected:
  PlanValueId reduce(CommunicatorId communicator, PlanValueId x, uint32_t line) {
    return builder_->collective(Kind::all_reduce, communicator, x, 0, "", at(line));
  }
  PlanValueId one() { return builder_->local(Constant{Rational(1), DType::f64, {1}}, {}, f64({1})); }

  void SetUp() override { plan_.reset(); }
};

TEST_F(DeadlockTest, TwoRanksWaitCrosswise) {
  start({2});
  const CommunicatorId a = builder_->add_communicator(group_of({0}), "comm a");
  const CommunicatorId b = builder_->add_communicator(group_of({0}), "comm b");
  builder_->begin_group("even", {0});
  reduce(b, reduce(a, one(), 1), 2);
  builder_->begin_group("odd", {1});
  reduce(a, reduce(b, one(), 3), 4);
  EXPECT_EQ(
      failure_text(),
      R"(plan.txt:1:1: deadlock: rank 0 waits for rank 1, which waits for rank 0; 2 of 2 ranks cannot go on [D-deadlock]
plan.txt:1:1: rank 0: all_reduce over `x` (group of rank 0, sequence number 0) waits for rank 1
plan.txt:4:1: rank 1: all_reduce waits for all_reduce on another queue of rank 1
plan.txt:3:1: rank 1: all_reduce over `x` (group of rank 0, sequence number 0) waits for rank 0
plan.txt:2:1: rank 0: all_reduce waits for all_reduce on another queue of rank 0
)");
}

TEST_F(DeadlockTest, GroupsOfRowsAndColumnsWaitInACycle) {
  // Ranks 0 and 3 reduce over x first, ranks 1 and 2 over y first: 0 -> 2 -> 3 -> 1 -> 0.
  start({2, 2});
  const CommunicatorId x = builder_->add_communicator(group_of({0}), "comm x");
  const CommunicatorId y = builder_->add_communicator(group_of({1}), "comm y");
  builder_->begin_group("diagonal", {0, 3});
  reduce(y, reduce(x, one(), 1), 2);
  builder_->begin_group("others", {1, 2});
  reduce(x, reduce(y, one(), 3), 4);
  const std::string text = failure_text();
  EXPECT_TRUE(
      text.starts_with("plan.txt:1:1: deadlock: rank 0 waits for rank 2, which waits for rank 3, which waits "
                       "for rank 1, which waits for rank 0; 4 of 4 ranks cannot go on [D-deadlock]\n"))
      << text;
}

TEST_F(DeadlockTest, ARankThatHasFinishedIsNamed) {
  start({3});
  const CommunicatorId all = builder_->add_communicator(group_of({0}), "comm x");
  builder_->begin_group("most", {0, 1});
  reduce(all, reduce(all, one(), 1), 2);
  builder_->begin_group("last", {2});
  reduce(all, one(), 3);
  EXPECT_EQ(failure_text(),
            R"(plan.txt:2:1: deadlock: rank 0 waits for a rank that has finished; 2 of 3 ranks cannot go on [D-deadlock]
plan.txt:2:1: rank 0: all_reduce over `x` (group of rank 0, sequence number 1) waits for rank 2, which has finished without it
)");
}

TEST_F(DeadlockTest, DeadlockInALaterIterationHasItsSequenceNumber) {
  start({2});
  const CommunicatorId all = builder_->add_communicator(group_of({0}), "comm x");
  for (const int64_t rank : {0, 1}) {
    builder_->begin_group(rank == 0 ? "more" : "less", {rank});
    const auto in = builder_->begin_repeat(rank == 0 ? 5 : 3, {one()});
    builder_->end_repeat({reduce(all, in[0], static_cast<uint32_t>(rank + 1))});
  }
  EXPECT_NE(failure_text().find("sequence number 3) waits for rank 1, which has finished without it"),
            std::string::npos);
}

TEST_F(DeadlockTest, DifferentOpsMeet) {
  start({2});
  const CommunicatorId all = builder_->add_communicator(group_of({0}), "comm x");
  builder_->begin_group("a", {0});
  reduce(all, one(), 1);
  builder_->begin_group("b", {1});
  builder_->collective(Kind::all_gather, all, one(), 0, "", at(2));
  EXPECT_EQ(
      failure_text(),
      R"(plan.txt:1:1: mismatch: rank 0 brings all_reduce of f64[1] and rank 1 brings all_gather {dim=0} of f64[1]; they meet over `x` (group of rank 0, sequence number 0), where all members must run the same collective [D-mismatch]
plan.txt:2:1: rank 1 runs all_gather here
)");
}

TEST_F(DeadlockTest, DifferentShapesAndDimensionsMeet) {
  for (const bool shapes : {true, false}) {
    SetUp();
    start({4});
    const CommunicatorId all = builder_->add_communicator(group_of({0}), "comm x");
    for (const int64_t rank : {0, 1, 2, 3}) {
      builder_->begin_group("g" + std::to_string(rank), {rank});
      const Shape shape = shapes && rank >= 2 ? Shape{2, 1} : Shape{2, 2};
      const PlanValueId x = builder_->local(Constant{Rational(1), DType::f64, shape}, {}, f64(shape));
      builder_->collective(Kind::all_gather, all, x, !shapes && rank >= 2 ? 1 : 0, "", at(1));
    }
    const std::string text = failure_text();
    EXPECT_NE(text.find(shapes ? "rank 0 brings all_gather {dim=0} of f64[2,2] and rank 2 brings all_gather {dim=0} of "
                                 "f64[2,1]"
                               : "rank 0 brings all_gather {dim=0} of f64[2,2] and rank 2 brings all_gather {dim=1}"),
              std::string::npos)
        << text;
  }
}

TEST_F(DeadlockTest, SumsInDifferentPrecisionsMeet) {
  for (const Kind kind : {Kind::all_reduce, Kind::reduce_scatter}) {
    SetUp();
    start({2});
    const CommunicatorId all = builder_->add_communicator(group_of({0}), "comm x");
    const TensorType type{DType::bf16, {2}};
    for (const int64_t rank : {0, 1}) {
      builder_->begin_group("g" + std::to_string(rank), {rank});
      const PlanValueId x = builder_->local(Constant{Rational(1), type.dtype, type.shape}, {}, type);
      builder_->collective(kind, all, x, 0, "", at(1), rank == 0 ? SumPrecision::native : SumPrecision::f32);
    }
    const std::string expected =
        kind == Kind::all_reduce
            ? "rank 0 brings all_reduce {precision=native} of bf16[2] and rank 1 brings all_reduce of bf16[2]"
            : "rank 0 brings reduce_scatter {dim=0, precision=native} of bf16[2] and rank 1 brings reduce_scatter "
              "{dim=0} of bf16[2]";
    EXPECT_TRUE(failure_text().starts_with("plan.txt:1:1: mismatch: " + expected + "; they meet over `x`"))
        << failure_text();
  }
}

TEST_F(DeadlockTest, PeersDisagree) {
  start({3});
  const CommunicatorId ring = builder_->add_communicator(group_of({0}), "send x +");
  builder_->begin_group("most", {0, 1});
  builder_->permute(ring, one(), mod(position() + 1, 3), mod(position() - 1, 3), "", at(1));
  builder_->begin_group("wrong", {2});
  builder_->permute(ring, one(), mod(position() - 1, 3), mod(position() + 1, 3), "", at(2));
  const std::string text = failure_text();
  EXPECT_TRUE(text.starts_with("plan.txt:2:1: deadlock: rank 2 waits for rank 1, which waits for rank 2; 3 of 3 ranks"))
      << text;
}

TEST_F(DeadlockTest, APermuteOfOneTypeMeetsOneOfAnother) {
  start({2});
  const CommunicatorId ring = builder_->add_communicator(group_of({0}), "send x +");
  builder_->begin_group("a", {0});
  builder_->permute(ring, one(), Expr(1), Expr(1), "", at(1));
  builder_->begin_group("b", {1});
  const PlanValueId two = builder_->local(Constant{Rational(1), DType::f64, {2}}, {}, f64({2}));
  builder_->permute(ring, two, Expr(0), Expr(0), "", at(2));
  EXPECT_TRUE(failure_text().starts_with("plan.txt:1:1: mismatch: rank 0 sends f64[1] and rank 1 expects f64[2]"))
      << failure_text();
}

}  // namespace
}  // namespace isoshard::sim::deadlock_test
