// Buffers of random programs have no race; each token and each place that is needed is missed when it is gone.

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/plan/memory/plan_memory.h"
#include "core/plan/order/issue_order.h"
#include "core/plan/passes/plan_builder.h"
#include "core/plan/verify/verify_plan.h"
#include "core/support/result.h"
#include "tests/nightly.h"
#include "tests/property/generator/dice.h"
#include "tests/property/random_plan.h"
#include "verify/race/race_verdict.h"

namespace isoshard::race_test {
namespace {

using isoshard::testing::cases;
using isoshard::testing::Dice;
using isoshard::testing::random_plan;
using isoshard::verify::race_verdict;
using isoshard::verify::RaceLoops;
using isoshard::verify::RaceVerdict;

std::string in_words(const Plan& plan, const RaceVerdict& verdict) {
  return verdict.race ? "race " + to_diagnostic(plan, *verdict.race).message : "race none";
}

std::string found(const Plan& plan, const MemoryPlan& memory, RaceLoops loops = RaceLoops::few) {
  const Result<RaceVerdict> verdict = race_verdict(plan, memory, loops);
  return verdict ? in_words(plan, *verdict) : verdict.error().message;
}

TEST(Race, RandomProgramsHaveNone) {
  for (uint64_t seed = 0; seed < cases(400); ++seed) {
    for (const Reuse reuse : {Reuse::ordered, Reuse::tokens}) {
      Plan plan = random_plan(seed);
      const Result<MemoryPlan> memory = plan_memory(plan, reuse);
      ASSERT_TRUE(memory.has_value()) << seed;
      ASSERT_TRUE(verify_plan(plan).empty()) << seed;
      ASSERT_EQ(found(plan, *memory), "race none") << "seed " << seed << ", " << static_cast<int>(reuse);
    }
  }
}

/// Bytes that an instruction makes itself, not under another name.
bool has_bytes(const MemoryPlan& memory, PlanValueId id) {
  const ValueMemory& value = memory.values[id.index()];
  return (value.home == Home::own || value.home == Home::row) && value.bytes > 0;
}

bool makes(const Instruction& instruction, PlanValueId id) {
  return std::find(instruction.results.begin(), instruction.results.end(), id) != instruction.results.end();
}

/// Whether `reader` touches bytes that `token` is about: it reads what that instruction makes. Renaming touches
/// nothing.
bool is_about_bytes(const Plan& plan, const MemoryPlan& memory, const Instruction& reader, const Token& token) {
  const bool renames = reader.results.size() == 1 && memory.values[reader.results[0].index()].home == Home::operand;
  if (renames || token.previous) return false;
  return std::any_of(reader.operands.begin(), reader.operands.end(), [&](PlanValueId id) {
    return makes(plan.instruction(token.instruction), id) && has_bytes(memory, id);
  });
}

/// Instructions that run: those of loops without iterations do not.
void note_running(const std::vector<Block>& blocks, std::vector<bool>& running) {
  for (const Block& block : blocks) {
    for (const auto& [id, queue] : in_issue_order(block)) running[id.index()] = true;
    if (block.repeat && block.repeat->count > 0) note_running(block.repeat->body, running);
  }
}

/// Takes the bounds of loops away, which order things that tokens order, too.
void unbind(std::vector<Block>& blocks) {
  for (Block& block : blocks) {
    if (!block.repeat) continue;
    block.repeat->ahead = block.repeat->count;
    unbind(block.repeat->body);
  }
}

struct Mutants {
  size_t all = 0;
  size_t found = 0;
};

/// Tokens of an iteration before may imply others behind their loop, too.
bool has_previous(const Plan& plan) {
  return std::any_of(plan.instructions.begin(), plan.instructions.end(), [](const Instruction& i) {
    return std::any_of(i.waits.begin(), i.waits.end(), [](const Token& token) { return token.previous; });
  });
}

/// Takes each token away.
void lose_tokens(const Plan& plan, const MemoryPlan& memory, Mutants& mutants) {
  std::vector<bool> running(plan.instructions.size(), false);
  for (const RankGroup& group : plan.groups) note_running(group.blocks, running);
  const bool may_be_implied = has_previous(plan);
  for (size_t i = 0; i < plan.instructions.size(); ++i) {
    for (size_t t = 0; t < plan.instructions[i].waits.size(); ++t) {
      Plan mutant = plan;
      std::vector<Token> waits(plan.instructions[i].waits);
      const Token lost = waits[t];
      waits.erase(waits.begin() + static_cast<std::ptrdiff_t>(t));
      mutant.instructions.set_waits(InstructionId(i), waits);
      const bool race = found(mutant, memory) != "race none";
      ++mutants.all;
      if (race) ++mutants.found;
      if (may_be_implied || !running[i] || !is_about_bytes(plan, memory, plan.instructions[i], lost)) continue;
      ASSERT_TRUE(race) << "#" << i << " loses #" << lost.instruction.index();
    }
  }
}

/// The others are about names that have no bytes, are implied by tokens of an iteration before, or speak of
/// stacks as wholes where rows are apart (docs/spec/plan.md, "Races").
TEST(Race, ALostTokenIsFoundWhereItIsAboutBytes) {
  Mutants ordered, tokens;
  for (uint64_t seed = 0; seed < cases(120); ++seed) {
    for (const Reuse reuse : {Reuse::ordered, Reuse::tokens}) {
      Plan plan = random_plan(seed);
      for (RankGroup& group : plan.groups) unbind(group.blocks);
      const Result<MemoryPlan> memory = plan_memory(plan, reuse);
      ASSERT_TRUE(memory.has_value()) << seed;
      lose_tokens(plan, *memory, reuse == Reuse::ordered ? ordered : tokens);
      ASSERT_FALSE(HasFatalFailure()) << "seed " << seed;
    }
  }
  EXPECT_GT(ordered.all, 200U);
  EXPECT_GT(100 * ordered.found, 90 * ordered.all) << ordered.found << " of " << ordered.all;
  EXPECT_GT(100 * tokens.found, 90 * tokens.all) << tokens.found << " of " << tokens.all;
}

/// Two operands of one instruction in the same bytes.
TEST(Race, ValuesThatAreReadAtOnceInTheSameBytesAreFound) {
  size_t mutants = 0;
  for (uint64_t seed = 0; seed < cases(400); ++seed) {
    Plan plan = random_plan(seed);
    const Result<MemoryPlan> memory = plan_memory(plan, seed % 2 == 0 ? Reuse::ordered : Reuse::tokens);
    ASSERT_TRUE(memory.has_value()) << seed;
    std::vector<bool> running(plan.instructions.size(), false);
    for (const RankGroup& group : plan.groups) note_running(group.blocks, running);
    for (size_t i = 0; i < plan.instructions.size(); ++i) {
      const PlanValueIds& operands = plan.instructions[i].operands;
      if (!running[i] || operands.size() < 2 || operands[0] == operands[1]) continue;
      const ValueMemory &a = memory->values[operands[0].index()], &b = memory->values[operands[1].index()];
      const bool both = a.home == Home::own && b.home == Home::own && a.bytes > 0 && b.bytes > 0;
      if (!both || a.offsets.size() != b.offsets.size() || a.bytes < b.bytes) continue;
      MemoryPlan mutant = *memory;
      mutant.values[operands[1].index()].offsets = a.offsets;
      ASSERT_NE(found(plan, mutant), "race none") << "seed " << seed << ", #" << i;
      ++mutants;
    }
  }
  EXPECT_GT(mutants, 400U);
}

/// A loop with random queues, carries, stacks and tokens, for `trips` iterations.
class RandomLoop {
 public:
  explicit RandomLoop(uint64_t seed) : dice_(seed) {}

  Plan make(int64_t trips) {
    const CommunicatorId queues[2] = {b_.add_communicator(Group{{AxisId(0)}}, "a"),
                                      b_.add_communicator(Group{{AxisId(0)}}, "b")};
    std::vector<PlanValueId> initial;
    for (int64_t i = dice_.in(1, 3); i > 0; --i) initial.push_back(constant());
    std::vector<PlanValueId> values = b_.begin_repeat(trips, initial), yields, parts;
    for (int64_t i = dice_.in(2, 6); i > 0; --i) {
      const PlanValueId x = dice_.pick(values);
      const int64_t kind = dice_.in(0, 3);
      if (kind < 2) {
        values.push_back(b_.collective(CollectiveKind::all_reduce_max, queues[kind], x));
      } else {
        values.push_back(kind == 2 ? b_.local(Reverse{{0}}, {x}, kType)
                                   : b_.local(Add{}, {x, dice_.pick(values)}, kType));
      }
    }
    for (size_t i = 0; i < initial.size(); ++i) yields.push_back(dice_.pick(values));
    for (int64_t i = dice_.in(0, 2); i > 0; --i) parts.push_back(dice_.pick(values));
    const std::vector<PlanValueId> out = b_.end_repeat(yields, parts);
    const PlanValueId other = constant();
    b_.store(out[0], b_.add_output("y", kType), {Expr(0)}, {1});
    b_.store(other, b_.add_output("z", kType), {Expr(0)}, {1});
    Plan plan = b_.finish();
    for (Block& block : plan.groups[0].blocks) {
      if (block.repeat) block.repeat->ahead = dice_.in(0, 2);
    }
    return plan;
  }

  /// Takes a token away, or a copy, or moves a value, at times.
  void spoil(Plan& plan, MemoryPlan& memory) {
    const InstructionId id(dice_.below(plan.instructions.size()));
    plan.instructions.change(id, [&](NewInstruction& instruction) {
      if (dice_.chance(40) && !instruction.waits.empty()) instruction.waits.pop_back();
    });
    ValueMemory& value = memory.values[dice_.below(memory.values.size())];
    if (value.home != Home::own) return;
    if (dice_.chance(50) && value.copies.size() == 1 && value.copies[0] > 1) {
      --value.copies[0];
      value.offsets.pop_back();
    } else if (dice_.chance(50)) {
      value.offsets[dice_.below(value.offsets.size())] = kArenaAlignment * dice_.in(0, 2);
    }
  }

 private:
  PlanValueId constant() { return b_.local(Constant{Rational(1), DType::f32, {4}}, {}, kType); }

  const TensorType kType{DType::f32, {4}};
  Dice dice_;
  PlanBuilder b_{std::make_shared<Mesh>("m", std::vector<MeshAxis>{{"x", 2}}), "p"};
};

/// The argument for a few iterations (verify/race/rank_runs.cc), against all of them.
TEST(Race, AFewIterationsTellWhatAllDo) {
  size_t races = 0, none = 0, shorter = 0;
  for (uint64_t seed = 0; seed < cases(3000); ++seed) {
    RandomLoop loop(seed);
    Plan plan = loop.make(60 + static_cast<int64_t>(seed % 13));
    const Result<MemoryPlan> planned = plan_memory(plan, seed % 3 == 0 ? Reuse::tokens : Reuse::ordered);
    ASSERT_TRUE(planned.has_value()) << planned.error().message;
    ASSERT_EQ(found(plan, *planned), "race none") << "seed " << seed;
    MemoryPlan memory = *planned;
    loop.spoil(plan, memory);
    const Result<RaceVerdict> few = race_verdict(plan, memory), all = race_verdict(plan, memory, RaceLoops::all);
    ASSERT_EQ(few.has_value(), all.has_value()) << "seed " << seed;
    if (!few) continue;
    ASSERT_EQ(few->race.has_value(), all->race.has_value()) << "seed " << seed << in_words(plan, *all);
    ++(few->race ? races : none);
    if (few->runs < all->runs) ++shorter;
  }
  EXPECT_GT(races, 200U);
  EXPECT_GT(none, 200U);
  EXPECT_GT(shorter, 1000U);
}

}  // namespace
}  // namespace isoshard::race_test
