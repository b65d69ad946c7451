// Where the values of small Plans are, by hand, and what holds for the buffers of all Plans of the catalogue.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/plan/memory/live_memory.h"
#include "core/plan/memory/memory_places.h"
#include "core/plan/memory/plan_memory.h"
#include "core/plan/passes/lower.h"
#include "core/plan/passes/plan_builder.h"
#include "core/plan/verify/verify_plan.h"
#include "core/support/diagnostic.h"
#include "core/support/result.h"
#include "tests/models_testing.h"

namespace isoshard::plan_buffers_test {
namespace {

/// 512 bytes, two slices of 256.
const TensorType kRow{DType::f32, {128}};
using Offsets = std::vector<int64_t>;

/// Four ranks with a ring between them.
class PlanBuffers : public ::testing::Test {
 protected:
  PlanValueId constant(const TensorType& type = kRow) {
    return b_.local(Constant{Rational(1), type.dtype, type.shape}, {}, type);
  }
  PlanValueId negate(PlanValueId x) { return b_.local(Negate{}, {x}, TensorType(b_.type(x))); }
  /// Not element by element: its result cannot be in place.
  PlanValueId reverse(PlanValueId x) { return b_.local(Reverse{{0}}, {x}, TensorType(b_.type(x))); }
  PlanValueId permute(PlanValueId x) { return b_.permute(ring_, x, mod(x_ + 1, 4), mod(x_ + 3, 4)); }
  void store(PlanValueId x) {
    const TensorType& type = b_.type(x);
    b_.store(x, b_.add_output("y" + std::to_string(outputs_++), type), std::vector<Expr>(type.shape.size(), Expr(0)),
             std::vector<int64_t>(type.shape.size(), 1));
  }

  void plan(Reuse reuse) {
    plan_ = b_.finish();
    Result<MemoryPlan> memory = plan_memory(plan_, reuse);
    ASSERT_TRUE(memory.has_value()) << memory.error().message;
    memory_ = *memory;
    EXPECT_LE(memory_.groups[0].live, memory_.groups[0].bytes);
    EXPECT_LE(memory_.groups[0].live, peak()) << "what the memory command counts";
  }
  /// What the memory command counts (docs/adr/0025-memory-of-a-plan.md).
  double peak() const { return memory_peak(plan_, plan_.groups[0]).bytes; }
  const ValueMemory& of(PlanValueId id) const { return memory_.values[id.index()]; }
  const Offsets& at(PlanValueId id) const { return of(id).offsets; }

  const Expr x_ = Expr::coordinate(AxisId(0));
  PlanBuilder b_{std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 4}}), "p"};
  const CommunicatorId ring_ = b_.add_communicator(Group{{AxisId(0)}}, "ring");
  size_t outputs_ = 0;
  Plan plan_;
  MemoryPlan memory_;
};

TEST_F(PlanBuffers, BytesAreUsedAgainAfterTheLastReader) {
  const PlanValueId a = constant(), b = reverse(a), c = reverse(b), d = reverse(c);
  store(d);
  plan(Reuse::ordered);
  EXPECT_EQ(at(a), at(c));
  EXPECT_EQ(at(b), at(d));
  EXPECT_NE(at(a), at(b));
  EXPECT_EQ(memory_.groups[0].bytes, 1024);
  EXPECT_EQ(memory_.groups[0].live, 1024);
  EXPECT_EQ(peak(), 1024);
}

TEST_F(PlanBuffers, OpsElementByElementWorkInPlace) {
  const PlanValueId a = constant(), b = negate(a), c = negate(b);
  store(b_.local(Add{}, {c, b}, kRow));
  plan(Reuse::ordered);
  EXPECT_EQ(at(a), at(b));
  EXPECT_NE(at(b), at(c)) << "b is read again behind c";
  EXPECT_EQ(memory_.groups[0].bytes, 1024);
}

/// y is made in its row; the carry, which the iteration before has made, is copied to its row by what makes it.
TEST_F(PlanBuffers, PlacesFollowNamesThroughLoops) {
  const PlanValueId initial = constant();
  const PlanValueId carry = b_.begin_repeat(3, {initial})[0], y = reverse(carry), same = reverse(y);
  const std::vector<PlanValueId> out = b_.end_repeat({same}, {y, carry});
  for (const PlanValueId id : out) store(id);
  plan(Reuse::ordered);
  const MemoryPlaces places(plan_, memory_);
  const int64_t rows = at(out[1])[0], carries = at(out[2])[0];
  using Iterations = std::vector<int64_t>;
  for (const int64_t i : {0, 1, 2}) {
    EXPECT_EQ(places.offset(y, {i}), rows + 512 * i);
    EXPECT_EQ(places.offset(carry, {i}), i == 0 ? places.offset(initial, {}) : places.offset(same, {i - 1}));
    EXPECT_TRUE(places.copies(y, {i}).empty()) << i;
    const std::vector<MemoryPlaces::Copy> copies =
        places.copies(i == 0 ? initial : same, i == 0 ? Iterations() : Iterations{i - 1});
    ASSERT_EQ(copies.size(), 1U) << i;
    EXPECT_EQ(copies[0].from, 0);
    EXPECT_EQ(copies[0].to, carries + 512 * i);
    EXPECT_EQ(copies[0].bytes, 512);
  }
  EXPECT_EQ(places.offset(out[0], {}), places.offset(same, {2}));
  EXPECT_TRUE(places.copies(same, {2}).empty()) << "that is the result, no row";
}

/// An inner stack that two outer ones hold is made in one of them and copied to the other, row by row.
TEST_F(PlanBuffers, PlacesFollowRowsOfStacks) {
  const PlanValueId initial = constant();
  const PlanValueId outer = b_.begin_repeat(2, {initial})[0];
  const PlanValueId inner = b_.begin_repeat(3, {outer})[0], y = reverse(inner);
  const std::vector<PlanValueId> stack = b_.end_repeat({y}, {y});
  const std::vector<PlanValueId> out = b_.end_repeat({stack[0]}, {stack[1], stack[1]});
  for (const PlanValueId id : out) store(id);
  plan(Reuse::ordered);
  const MemoryPlaces places(plan_, memory_);
  const int64_t first = at(out[1])[0], second = at(out[2])[0];
  for (const int64_t i : {0, 1}) {
    for (const int64_t j : {0, 1, 2}) {
      EXPECT_EQ(places.offset(y, {i, j}), first + 512 * (3 * i + j));
      const std::vector<MemoryPlaces::Copy> copies = places.copies(y, {i, j});
      ASSERT_EQ(copies.size(), 1U);
      EXPECT_EQ(copies[0].to, second + 512 * (3 * i + j));
      EXPECT_EQ(copies[0].bytes, 512);
    }
  }
}

TEST_F(PlanBuffers, WhatIsStoredStays) {
  const PlanValueId a = constant();
  store(a);
  const PlanValueId b = negate(a);
  store(b);
  plan(Reuse::tokens);
  EXPECT_NE(at(a), at(b));
  EXPECT_TRUE(plan_.instructions[2].waits.empty());
}

TEST_F(PlanBuffers, NamesOfTheSameBytesHaveNoneOfTheirOwn) {
  const PlanValueId a = constant();
  const PlanValueId b = b_.local(Reshape{{16, 8}}, {a}, TensorType{DType::f32, {16, 8}});
  store(b);
  plan(Reuse::ordered);
  EXPECT_EQ(of(b).home, Home::operand);
  EXPECT_EQ(of(b).of, a);
  EXPECT_EQ(of(b).bytes, 512);
  EXPECT_EQ(memory_.groups[0].bytes, 512);
}

/// Nothing orders the second constant behind the first permute, which reads `a`: the result of that is read later only.
TEST_F(PlanBuffers, AReaderOnAnotherQueueKeepsBytesUntilItIsOrdered) {
  for (const Reuse reuse : {Reuse::ordered, Reuse::tokens}) {
    const PlanValueId a = constant(), moved = permute(a), b = constant(), c = reverse(b);
    store(moved);
    store(c);
    plan(reuse);
    const bool tokens = reuse == Reuse::tokens;
    EXPECT_EQ(at(a) == at(b), tokens);
    std::vector<Token> expected;
    if (tokens) expected.push_back({InstructionId(1), false});
    EXPECT_EQ(std::vector<Token>(plan_.instructions[2].waits), expected);
    EXPECT_EQ(memory_.groups[0].bytes, tokens ? 1536 : 2048);
    b_ = PlanBuilder(std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 4}}), "p");
    ASSERT_EQ(b_.add_communicator(Group{{AxisId(0)}}, "ring"), ring_);
  }
}

/// Receives need nothing: they may all come first.
TEST_F(PlanBuffers, ReceivesWaitForTheBytesOfEarlierOnes) {
  const CommunicatorId down = b_.add_communicator(Group{{AxisId(0)}}, "down");
  b_.begin_group("second", {1});
  std::vector<PlanValueId> received;
  for (int i = 0; i < 4; ++i) {
    received.push_back(b_.receive(down, Expr(0), kRow));
    reverse(received.back());
  }
  plan(Reuse::tokens);
  EXPECT_EQ(memory_.groups[0].bytes, 1024);
  EXPECT_EQ(at(received[0]), at(received[2]));
  EXPECT_EQ(plan_.instructions[4].waits.size(), 1U) << "the third receive waits for a reader of the first";
  Plan free = plan_;
  for (const Instruction& i : free.instructions) {
    if (std::holds_alternative<Recv>(i.data())) free.instructions.set_waits(i.id, {});
  }
  const Result<MemoryPlan> ordered = plan_memory(free, Reuse::ordered);
  ASSERT_TRUE(ordered.has_value());
  EXPECT_EQ(ordered->groups[0].bytes, 512 * 5);
}

/// A ring that multiplies a block while the next one comes.
TEST_F(PlanBuffers, CarriesOfARingHaveTwoOrThreeBlocks) {
  for (const Reuse reuse : {Reuse::ordered, Reuse::tokens}) {
    const auto in = b_.begin_repeat(10, {constant(), constant()});
    const PlanValueId next = permute(in[0]), flipped = reverse(in[0]);
    const PlanValueId sum = b_.local(Add{}, {in[1], flipped}, kRow);
    store(b_.end_repeat({next, sum})[1]);
    plan(reuse);
    EXPECT_EQ(of(next).copies, std::vector<int64_t>{reuse == Reuse::tokens ? 2 : 3});
    EXPECT_EQ(of(sum).copies, std::vector<int64_t>{1}) << "in place";
    EXPECT_EQ(of(flipped).copies, std::vector<int64_t>{1}) << "one queue";
    EXPECT_EQ(of(in[0]).home, Home::loop);
    const Tokens& waits = plan_.instructions[2].waits;
    const bool waits_for_reader = std::find(waits.begin(), waits.end(), Token{InstructionId(3), true}) != waits.end();
    EXPECT_EQ(waits_for_reader, reuse == Reuse::tokens);
    b_ = PlanBuilder(std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 4}}), "p");
    ASSERT_EQ(b_.add_communicator(Group{{AxisId(0)}}, "ring"), ring_);
    outputs_ = 0;
  }
}

TEST_F(PlanBuffers, CarriesThatChangePlacesAreNotCopied) {
  const PlanValueId a = constant(), b = constant();
  const auto in = b_.begin_repeat(7, {a, b});
  const PlanValueId sum = b_.local(Add{}, {in[0], in[1]}, kRow);
  const auto out = b_.end_repeat({in[1], in[0]}, {sum});
  store(out[0]);
  store(out[2]);
  plan(Reuse::ordered);
  EXPECT_EQ(of(sum).home, Home::row);
  EXPECT_EQ(of(sum).of, out[2]);
  EXPECT_EQ(memory_.groups[0].bytes, (2 + 7) * 512) << "a, b, and seven rows";
}

TEST_F(PlanBuffers, ALoopWithoutIterationsHasNoBytes) {
  const PlanValueId a = constant();
  const auto in = b_.begin_repeat(0, {a});
  const PlanValueId inside = permute(in[0]);
  store(b_.end_repeat({inside})[0]);
  plan(Reuse::tokens);
  EXPECT_EQ(of(inside).home, Home::none);
  EXPECT_EQ(memory_.groups[0].bytes, 512);
}

TEST_F(PlanBuffers, SizesThatNoMachineHasAreRefused) {
  store(constant(TensorType{DType::f32, {int64_t{1} << 31, int64_t{1} << 31}}));
  Plan plan = b_.finish();
  const Result<MemoryPlan> memory = plan_memory(plan, Reuse::ordered);
  ASSERT_FALSE(memory.has_value());
  EXPECT_EQ(memory.error().rule, "L-arena");
  EXPECT_EQ(memory.error().message,
            "the values of @p have more than 2^52 bytes together, for which no buffers are planned; choose smaller "
            "sizes (--set)");
}

/// Nine carries go round: their addresses come back after nine iterations.
TEST_F(PlanBuffers, LongCyclesOfCarriesAreRefusedInLongLoops) {
  for (const int64_t trips : {4096, 4097}) {
    std::vector<PlanValueId> initial;
    for (int i = 0; i < 9; ++i) initial.push_back(constant());
    std::vector<PlanValueId> in = b_.begin_repeat(trips, initial);
    reverse(in[0]);
    std::rotate(in.begin(), in.begin() + 1, in.end());
    b_.end_repeat(in);
    Plan plan = b_.finish();
    const Result<MemoryPlan> memory = plan_memory(plan, Reuse::ordered);
    EXPECT_EQ(memory.has_value(), trips == 4096);
    if (!memory) {
      EXPECT_EQ(memory.error().message,
                "a repeat of 4097 iterations has more than 8 carries that change places; buffers are planned for at "
                "most 8, or for at most 4096 iterations");
    }
    b_ = PlanBuilder(std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 4}}), "p");
  }
}

void expect_small_arenas(Plan plan, const std::string& name) {
  const Plan before = plan;
  const Result<MemoryPlan> ordered = plan_memory(plan, Reuse::ordered);
  ASSERT_TRUE(ordered.has_value()) << name;
  for (size_t i = 0; i < plan.instructions.size(); ++i) {
    ASSERT_EQ(plan.instructions[i].waits, before.instructions[i].waits) << name << ": nothing waits for memory";
  }
  const Result<MemoryPlan> memory = plan_memory(plan, Reuse::tokens);
  ASSERT_TRUE(memory.has_value()) << name;
  EXPECT_TRUE(verify_plan(plan).empty()) << name;
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    const GroupMemory& arena = memory->groups[g];
    EXPECT_LE(arena.live, arena.bytes) << name;
    EXPECT_LE(arena.bytes, std::max<int64_t>(arena.live + kArenaAlignment, arena.live * 11 / 10)) << name;
    EXPECT_LE(arena.live, ordered->groups[g].bytes) << name;
  }
}

TEST(PlanArenas, OfTheCatalogueAreSmall) {
  isoshard::testing::for_each_catalogue_program([](const Module& module, ProgramId program, const std::string& name) {
    expect_small_arenas(lower(module, program), name);
  });
}

}  // namespace
}  // namespace isoshard::plan_buffers_test
