// Pipelined Plans that are wrong themselves: values of another micro-batch in the place of the right ones (what a wrong
// stash, a swapped send or receive brings), gradients that are not accumulated, blocks of the wrong rows, means that
// are not taken. The engine says which of them compute something else; check must say the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/plan/order/set_last_uses.h"
#include "core/plan/order/set_waits.h"
#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "sim/lockstep/run.h"
#include "tests/pipelines_testing.h"
#include "tests/sanitized.h"
#include "verify/compare/make_pair.h"
#include "verify/equivalence.h"
#include "verify/matching/pipeline_values.h"

namespace isoshard::testing::verify_pipeline_plan_test {
namespace {

/// A change of one instruction.
struct PlanMutant {
  std::string kind, what;
  std::function<void(Plan&)> apply;
};

Plan changed(const Plan& plan, const PlanMutant& mutant) {
  Plan result = plan;
  mutant.apply(result);
  for (const Instruction& i : result.instructions) {
    result.instructions.set_waits(i.id, {});
    result.instructions.set_last_uses(i.id, {});
  }
  set_waits(result);
  set_last_uses(result);
  return result;
}

/// All uses of `from` become `to`.
void replace_uses(Plan& plan, PlanValueId from, PlanValueId to) {
  for (size_t n = 0; n < plan.instructions.size(); ++n) {
    plan.instructions.change(InstructionId(n),
                             [&](NewInstruction& i) { std::replace(i.operands.begin(), i.operands.end(), from, to); });
  }
}

class PlanMutants {
 public:
  explicit PlanMutants(const Plan& plan) : plan_(plan), groups_(plan), definition_(plan.values.size()) {
    for (size_t i = 0; i < plan.instructions.size(); ++i) {
      for (const PlanValueId id : plan.instructions[i].results) definition_[id.index()] = InstructionId(i);
    }
  }

  std::vector<PlanMutant> all() {
    for (size_t i = 0; i < plan_.instructions.size(); ++i) {
      const InstructionId id(i);
      const Instruction& instruction = plan_.instructions[i];
      for (size_t o = 0; o < instruction.operands.size(); ++o) other_micro_batches(id, o);
      if (instruction.op() == "add") lost_terms(id);
      if (instruction.op() == "divide") lost_means(id);
      if (std::holds_alternative<TakeBlock>(instruction.data())) other_rows(id);
    }
    return std::move(mutants_);
  }

 private:
  std::string name(PlanValueId id) const { return plan_.value(id).name(); }
  std::string line(InstructionId id) const { return "#" + std::to_string(id.index()); }
  void add(const std::string& kind, const std::string& what, std::function<void(Plan&)> apply) {
    mutants_.push_back({kind, what, std::move(apply)});
  }

  /// The value of another micro-batch that is there already: a wrong stash, or in a send a wrong message.
  void other_micro_batches(InstructionId id, size_t operand) {
    const PlanValueId right = plan_.instruction(id).operands[operand];
    const std::vector<PlanValueId>& all = groups_.micro_batches(right);
    for (const PlanValueId wrong : all) {
      if (wrong == right || !(definition_[wrong.index()] < id)) continue;
      const InstructionId maker = definition_[right.index()];
      const bool send = std::holds_alternative<Send>(plan_.instruction(id).data());
      const bool received = std::holds_alternative<Recv>(plan_.instruction(maker).data());
      const std::string kind = send       ? "send of another micro-batch"
                               : received ? "receive of another micro-batch"
                                          : "stash of another micro-batch";
      add(kind, line(id) + " takes " + name(wrong) + " for " + name(right),
          [=](Plan& plan) { plan.instructions.change(id, [&](NewInstruction& i) { i.operands[operand] = wrong; }); });
      return;
    }
  }

  /// One of two terms does not arrive.
  void lost_terms(InstructionId id) {
    const Instruction& sum = plan_.instruction(id);
    const bool accumulates = name(sum.results[0]).find(".sum") != std::string::npos;
    for (const PlanValueId kept : sum.operands) {
      add(accumulates ? "gradient that is not accumulated" : "term that is lost",
          line(id) + " keeps " + name(kept) + " only",
          [=, result = sum.results[0]](Plan& plan) { replace_uses(plan, result, kept); });
    }
  }
  void lost_means(InstructionId id) {
    const Instruction& mean = plan_.instruction(id);
    add("mean that is not taken", line(id) + " gives " + name(mean.operands[0]),
        [from = mean.results[0], to = mean.operands[0]](Plan& plan) { replace_uses(plan, from, to); });
  }
  void other_rows(InstructionId id) {
    const auto& take = std::get<TakeBlock>(plan_.instruction(id).data());
    add("rows of another micro-batch", line(id), [=, count = take.count](Plan& plan) {
      plan.instructions.change(id, [&](NewInstruction& i) {
        TakeBlock& block = std::get<TakeBlock>(i.own_data());
        block.block = mod(block.block + Expr(1), Expr(count));
      });
    });
  }

  const Plan& plan_;
  const verify::GroupValues groups_;
  std::vector<InstructionId> definition_;
  std::vector<PlanMutant> mutants_;
};

/// Numbers of size 0.5 to 1.5 with both signs, no two alike: no effect is small.
std::vector<sim::Value> large_inputs(const Plan& plan) {
  std::vector<sim::Value> globals;
  uint32_t state = 1;
  for (const Global& global : plan.globals) {
    std::vector<float> numbers(static_cast<size_t>(element_count(global.type.shape)));
    for (float& number : numbers) {
      state = state * 1664525 + 1013904223;
      number = (0.5F + static_cast<float>(state >> 8) * 0x1p-24F) * ((state & 128) != 0 ? 1.0F : -1.0F);
    }
    globals.push_back(
        sim::from_tensor(Tensor::from<float>(DType::f32, global.type.shape, numbers), sim::float_domain()));
  }
  return globals;
}

std::vector<sim::Value> run_in_floats(const Plan& plan) {
  const Result<sim::RunResult> result = sim::run(plan, sim::float_domain(), large_inputs(plan));
  std::vector<sim::Value> blocks;
  if (!result) ADD_FAILURE() << result.error().message;
  for (size_t o = 0; result && o < plan.outputs.size(); ++o) {
    for (const auto& block : result->outputs[o]) blocks.push_back(block.value);
  }
  return blocks;
}

/// Far more than rounding apart.
bool differ(const std::vector<sim::Value>& a, const std::vector<sim::Value>& b) {
  for (size_t k = 0; k < a.size(); ++k) {
    const Tensor x = sim::to_tensor(a[k], sim::float_domain()), y = sim::to_tensor(b[k], sim::float_domain());
    const auto left = x.as<float>(), right = y.as<float>();
    for (size_t i = 0; i < left.size(); ++i) {
      if (!(std::abs(left[i] - right[i]) <= 1e-5F * (1 + std::abs(left[i])))) return true;
    }
  }
  return a.size() != b.size();
}

verify::Verdict verdict_of(verify::Pair pair, Plan plan) {
  pair.sharded.plan = std::move(plan);
  verify::CheckReport report;
  verify::decide_equivalence(pair, {}, report);
  return report.verdict();
}

TEST(WrongPlans, AreNotEqual) {
  if (kSanitized) GTEST_SKIP() << kLeftOut;
  std::map<std::string, int> wrong, harmless;
  for (const std::string schedule : {"GPipe", "1F1B", "ZB-H1"}) {
    PipelineFile f;
    f.stages = 3;
    f.micro_batches = 3;
    f.width = 2;
    f.hidden = 1;
    f.schedule = "schedule=\"" + schedule + "\"";
    const std::optional<Module> module = module_of(pipeline_text(f));
    ASSERT_TRUE(module);
    const verify::Pair pair = verify::make_pair_of(*module, module->checks.front());
    ASSERT_EQ(pair.sharded.plan.groups.size(), 3U);
    const Plan& right = pair.sharded.plan;
    EXPECT_EQ(verdict_of(pair, right), verify::Verdict::equal);
    const std::vector<sim::Value> expected = run_in_floats(right);
    int stashes = 0;
    for (const PlanMutant& mutant : PlanMutants(right).all()) {
      if (mutant.kind == "stash of another micro-batch" && stashes++ % 4 != 0) continue;  // there are hundreds
      const Plan plan = changed(right, mutant);
      const bool differs = differ(expected, run_in_floats(plan));
      ++(differs ? wrong : harmless)[mutant.kind];
      EXPECT_EQ(verdict_of(pair, plan), differs ? verify::Verdict::not_equal : verify::Verdict::equal)
          << schedule << ": " << mutant.kind << ", " << mutant.what;
    }
  }
  for (const std::string kind : {"send of another micro-batch", "receive of another micro-batch",
                                 "stash of another micro-batch", "gradient that is not accumulated",
                                 "term that is lost", "mean that is not taken", "rows of another micro-batch"}) {
    EXPECT_GE(wrong[kind], 9) << kind;
    RecordProperty("wrong, " + kind, wrong[kind]);
    RecordProperty("harmless, " + kind, harmless[kind]);
  }
}

}  // namespace
}  // namespace isoshard::testing::verify_pipeline_plan_test
