// Races that Plans with wrong buffers or without a token have, what is said of them, and right twins without.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "catalogue/catalogue.h"
#include "core/plan/memory/plan_memory.h"
#include "core/plan/passes/lower.h"
#include "core/plan/passes/plan_builder.h"
#include "core/support/diagnostic.h"
#include "core/support/result.h"
#include "core/text/text.h"
#include "verify/race/race_verdict.h"

namespace isoshard::verify::verify_race_test {
namespace {

const TensorType kRow{DType::f32, {100}};

/// `race none`, or the race as its message has it.
std::string in_words(const Plan& plan, const RaceVerdict& verdict) {
  return verdict.race ? "race " + to_diagnostic(plan, *verdict.race).message : "race none";
}

/// Two ranks: a row goes to the other one while the next is made.
class RaceTest : public ::testing::Test {
 protected:
  PlanValueId constant(const std::string& name) {
    return b_.local(Constant{Rational(1), DType::f32, {100}}, {}, kRow, name);
  }
  PlanValueId permute(PlanValueId x, const std::string& name) { return b_.permute(ring_, x, 1 - x_, 1 - x_, name); }
  PlanValueId reverse(PlanValueId x, const std::string& name) { return b_.local(Reverse{{0}}, {x}, kRow, name); }
  void store(PlanValueId x) { b_.store(x, b_.add_output("y" + b_.name(x), kRow), {Expr(0)}, {1}); }

  void plan(Reuse reuse = Reuse::tokens) {
    plan_ = b_.finish();
    Result<MemoryPlan> memory = plan_memory(plan_, reuse);
    ASSERT_TRUE(memory.has_value());
    memory_ = *memory;
    EXPECT_EQ(line(), "race none");
  }
  Result<RaceVerdict> verdict() const { return race_verdict(plan_, memory_); }
  std::string line() const {
    const Result<RaceVerdict> found = verdict();
    return found ? in_words(plan_, *found) : found.error().rule + " " + found.error().message;
  }
  void set_waits_of(size_t i, const std::vector<Token>& waits) {
    plan_.instructions.set_waits(InstructionId(i), waits);
  }
  ValueMemory& of(PlanValueId id) { return memory_.values[id.index()]; }

  const Expr x_ = Expr::coordinate(AxisId(0));
  PlanBuilder b_{std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 2}}), "p"};
  const CommunicatorId ring_ = b_.add_communicator(Group{{AxisId(0)}}, "ring");
  Plan plan_;
  MemoryPlan memory_;
};

class StraightRaceTest : public RaceTest {
 protected:
  StraightRaceTest() {
    store(moved_);
    store(flipped_);
    plan();
  }
  const PlanValueId first_ = constant("a"), moved_ = permute(first_, "moved"), second_ = constant("b"),
                    flipped_ = reverse(second_, "flipped");
};

TEST_F(StraightRaceTest, AReaderOnAnotherQueueIsWaitedFor) {
  ASSERT_EQ(std::vector<Token>(plan_.instructions[2].waits), (std::vector<Token>{{InstructionId(1), false}}));
  set_waits_of(2, {});
  EXPECT_EQ(line(), "race #2 constant writes %b while #1 collective_permute reads %a, in bytes " +
                        std::to_string(of(first_).offsets[0]) + " to " + std::to_string(of(first_).offsets[0] + 399) +
                        "; #2 has to wait for #1");
  const Result<RaceVerdict> found = verdict();
  ASSERT_TRUE(found->race.has_value());
  EXPECT_EQ(found->race->missing, (Token{InstructionId(1), false}));
  const Diagnostic error = to_diagnostic(plan_, *found->race);
  EXPECT_EQ(error.rule, "L-race");
  EXPECT_NE(error.location.line(), 0U);
  ASSERT_EQ(error.notes.size(), 1U);
  EXPECT_EQ(error.notes[0].message, "#1 collective_permute reads %a");
  EXPECT_EQ(found->runs, 6U);
}

TEST_F(StraightRaceTest, AWriterOnAnotherQueueIsWaitedFor) {
  set_waits_of(2, {});
  set_waits_of(4, {{InstructionId(1), false}});
  memory_ = *plan_memory(plan_, Reuse::ordered);
  EXPECT_EQ(line(), "race none");
  set_waits_of(4, {});
  EXPECT_EQ(line().substr(0, 76), "race #4 return reads %moved while #1 collective_permute writes %moved, in by");
}

TEST_F(StraightRaceTest, ValuesThatAreNeededAtOnceHaveBytesOfTheirOwn) {
  of(flipped_).offsets = of(moved_).offsets;
  const std::string begin = std::to_string(of(moved_).offsets[0]), end = std::to_string(of(moved_).offsets[0] + 399);
  EXPECT_EQ(line(), "race #4 return reads %moved from bytes " + begin + " to " + end +
                        ", where %flipped is, which #3 reverse wrote; give the two values bytes of their own");
}

TEST_F(StraightRaceTest, OnlyOpsElementByElementWriteTheirOperands) {
  of(flipped_).offsets = of(second_).offsets;
  const std::string begin = std::to_string(of(second_).offsets[0]), end = std::to_string(of(second_).offsets[0] + 399);
  EXPECT_EQ(line(), "race #3 reverse writes %flipped while #3 reverse reads %b, in bytes " + begin + " to " + end +
                        "; give the two values bytes of their own");
  plan_.instructions.change(InstructionId(3), [](NewInstruction& i) { i.own_data() = LocalOp{Negate{}}; });
  EXPECT_EQ(line(), "race none");
  of(flipped_).offsets[0] += 4;
  EXPECT_NE(line(), "race none") << "element n + 1 is lost";
}

TEST_F(StraightRaceTest, PlacesThatCannotBeThoseOfTheValues) {
  const ValueMemory right = of(flipped_);
  of(flipped_).offsets[0] = memory_.groups[0].bytes;
  EXPECT_EQ(line(), "L-buffer the buffers of @p cannot be looked at: %flipped lies outside of the arena");
  of(flipped_).offsets.clear();
  EXPECT_EQ(line(), "L-buffer the buffers of @p cannot be looked at: %flipped has not one place per copy");
  of(flipped_) = right;
  of(flipped_).home = Home::operand;
  EXPECT_EQ(line(), "L-buffer the buffers of @p cannot be looked at: %flipped is no other name of its operand");
  of(flipped_).home = Home::row;
  EXPECT_EQ(line(), "L-buffer the buffers of @p cannot be looked at: %flipped is no part of a stack where it is made");
  of(flipped_).home = Home::none;
  EXPECT_EQ(line(), "L-buffer the buffers of @p cannot be looked at: %flipped has no bytes");
  memory_.values.pop_back();
  EXPECT_EQ(line(), "L-buffer the buffers of @p cannot be looked at: it is of another Plan");
}

/// A block goes round while it is turned.
class RingRaceTest : public RaceTest, public ::testing::WithParamInterface<int64_t> {
 protected:
  void ring(Reuse reuse) {
    const auto in = b_.begin_repeat(GetParam(), {constant("x"), constant("zero")}, {}, {"now", "sum"});
    next_ = permute(in[0], "next");
    sum_ = b_.local(Add{}, {in[1], reverse(in[0], "turned")}, kRow, "more");
    store(b_.end_repeat({next_, sum_}, {}, {"last", "all"})[1]);
    plan(reuse);
  }
  Repeat& loop() { return *plan_.groups[0].blocks[1].repeat; }
  PlanValueId next_, sum_;
};

TEST_P(RingRaceTest, TheReaderOfTheIterationBeforeIsWaitedFor) {
  ring(Reuse::tokens);
  EXPECT_EQ(of(next_).copies, std::vector<int64_t>{2});
  std::vector<Token> waits(plan_.instructions[2].waits);
  const auto token = std::find(waits.begin(), waits.end(), Token{InstructionId(3), true});
  ASSERT_NE(token, waits.end());
  waits.erase(token);
  set_waits_of(2, waits);
  const std::string found = line();
  EXPECT_EQ(found.substr(0, 87),
            "race #2 collective_permute (iteration 1) writes %next while #3 reverse (iteration 0) re");
  EXPECT_EQ(found.substr(found.size() - 47), "; #2 has to wait for #3 of the iteration before");
}

TEST_P(RingRaceTest, AsManyIterationsAsMayOverlapHaveBytes) {
  ring(Reuse::ordered);
  EXPECT_EQ(of(next_).copies, std::vector<int64_t>{3});
  loop().ahead = 2;  // the third block has the bytes of the initial value
  EXPECT_EQ(line().substr(0, 78), "race #2 collective_permute (iteration 2) writes %next while #3 reverse (iterat");
  loop().ahead = 0;
  EXPECT_EQ(line(), "race none");
  of(next_).copies = {2};
  of(next_).offsets.pop_back();
  EXPECT_EQ(line(), "race none") << "iterations do not overlap";
  loop().ahead = 1;
  EXPECT_NE(line(), "race none");
}

TEST_P(RingRaceTest, LongLoopsAreDecidedFromAFewIterations) {
  ring(Reuse::ordered);
  EXPECT_LE(verdict()->runs, 3U * 40U);
}

INSTANTIATE_TEST_SUITE_P(Trips, RingRaceTest, ::testing::Values(8, 9, 100, 101, 102, 1000000007));

/// In the first iteration of the inner loop its argument is what the last iteration before made, in the outer one
/// before.
TEST_F(RaceTest, CarriesOfTwoLoopsAreWaitedFor) {
  const auto outer = b_.begin_repeat(4, {constant("x")}, {}, {"outer"});
  const auto inner = b_.begin_repeat(3, {outer[0]}, {}, {"inner"});
  const PlanValueId moved = permute(inner[0], "moved"), turned = reverse(moved, "turned");
  store(b_.end_repeat({b_.end_repeat({turned}, {}, {"once"})[0]}, {}, {"last"})[0]);
  plan(Reuse::ordered);
  EXPECT_EQ(std::vector<Token>(plan_.instructions[1].waits),
            (std::vector<Token>{{InstructionId(0), false}, {InstructionId(2), true}}));
  set_waits_of(1, {{InstructionId(0), false}});
  EXPECT_EQ(line().substr(0, 81), "race #1 collective_permute (iteration 0, 1) reads %inner while #2 reverse (iterat");
}

/// The last value of a loop is behind the loop where the number of its iterations says.
TEST_F(RaceTest, AnotherCopyThanTheLastIsNotRead) {
  for (const int64_t trips : {50, 51, 52, 1000, 1001, 1002}) {
    const auto in = b_.begin_repeat(trips, {constant("x")}, {}, {"now"});
    const PlanValueId next = permute(in[0], "next"), seen = reverse(in[0], "seen");
    const PlanValueId last = b_.end_repeat({next}, {}, {"last"})[0];
    const PlanValueId other = constant("other");
    store(last);
    store(other);
    plan(Reuse::ordered);
    ASSERT_EQ(of(next).copies, std::vector<int64_t>{3});
    std::string races;
    for (size_t copy = 0; copy < 3; ++copy) {
      of(other).offsets[0] = of(next).offsets[copy];
      set_waits_of(3, {{InstructionId(1), false}});
      races += line() == "race none" ? "." : "x";
    }
    std::string expected("...");
    expected[static_cast<size_t>((trips - 1) % 3)] = 'x';
    EXPECT_EQ(races, expected) << trips << of(seen).bytes;
    b_ = PlanBuilder(std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 2}}), "p");
    ASSERT_EQ(b_.add_communicator(Group{{AxisId(0)}}, "ring"), ring_);
  }
}

void expect_none(const Module& module, const std::string& name) {
  for (size_t p = 0; p < module.programs.size(); ++p) {
    if (module.programs[p].kind() != ProgramKind::program) continue;
    for (const Reuse reuse : {Reuse::ordered, Reuse::tokens}) {
      Plan plan = lower(module, ProgramId(p));
      const Result<MemoryPlan> memory = plan_memory(plan, reuse);
      ASSERT_TRUE(memory.has_value()) << name;
      const Result<RaceVerdict> verdict = race_verdict(plan, *memory);
      ASSERT_TRUE(verdict.has_value()) << name << ": " << verdict.error().message;
      EXPECT_EQ(in_words(plan, *verdict), "race none") << name << " @" << plan.program;
    }
  }
}

TEST(RacesOf, TheCatalogueAreNone) {
  for (const ModelInfo& model : catalogue()) {
    DiagnosticSink sink;
    const std::optional<Module> module = make_model(ModelRequest{model.name, {}, {}}, sink);
    ASSERT_TRUE(module.has_value()) << model.name;
    expect_none(*module, model.name);
  }
}

TEST(RacesOf, TheExamplesAreNone) {
  size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("examples")) {
    if (entry.path().extension() != ".shard") continue;
    const Result<std::shared_ptr<const SourceFile>> source = text::read_source(entry.path().string());
    ASSERT_TRUE(source.has_value()) << entry.path();
    DiagnosticSink sink;
    const std::optional<Module> module = text::parse_module(*source, {}, sink);
    if (!module) continue;  // some of examples/wrong are no programs
    expect_none(*module, entry.path().string());
    ++files;
  }
  EXPECT_GT(files, 30U);
}

}  // namespace
}  // namespace isoshard::verify::verify_race_test
