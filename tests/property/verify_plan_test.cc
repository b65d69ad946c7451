// Plans of random programs are right after every pass, and each of their tokens is needed.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/plan/passes/keep_outputs.h"
#include "core/plan/passes/lower.h"
#include "core/plan/passes/unroll.h"
#include "core/plan/verify/verify_plan.h"
#include "core/support/diagnostic.h"
#include "tests/property/generator/random_program.h"

namespace isoshard::verify_plan_test {
namespace {

using isoshard::testing::random_program;
using isoshard::testing::RandomProgram;
using isoshard::testing::RandomProgramOptions;

std::string found(const Plan& plan) {
  std::string text;
  for (const Diagnostic& d : verify_plan(plan)) text += d.rule + " " + d.message + "\n";
  return text;
}

Plan random_plan() {
  RandomProgramOptions options;
  options.seed = *rc::gen::arbitrary<uint64_t>();
  options.ops = *rc::gen::inRange<size_t>(0, 40);
  const RandomProgram random = random_program(options);
  return lower(random.module, random.program);
}

RC_GTEST_PROP(VerifyPlan, PlansAreRightAfterEveryPass, ()) {
  const Plan plan = random_plan();
  RC_ASSERT(found(plan) == "");
  std::vector<bool> wanted;
  for (size_t o = 0; o < plan.outputs.size(); ++o) wanted.push_back(*rc::gen::arbitrary<bool>());
  RC_ASSERT(found(keep_outputs(plan, wanted)) == "");
  const std::optional<Plan> flat = unroll(plan, 100000);
  if (flat) RC_ASSERT(found(*flat) == "");
}

RC_GTEST_PROP(VerifyPlan, EachTokenIsNeeded, ()) {
  Plan plan = random_plan();
  std::vector<std::pair<size_t, size_t>> tokens;
  for (size_t i = 0; i < plan.instructions.size(); ++i) {
    for (size_t t = 0; t < plan.instructions[i].waits.size(); ++t) tokens.emplace_back(i, t);
  }
  RC_PRE(!tokens.empty());
  const auto [i, t] = *rc::gen::elementOf(tokens);
  std::vector<Token> waits(plan.instructions[i].waits);
  const Token lost = waits[t];
  waits.erase(waits.begin() + static_cast<std::ptrdiff_t>(t));
  plan.instructions.set_waits(InstructionId(i), waits);
  RC_LOG() << "#" << i << " loses #" << lost.instruction.index() << (lost.previous ? " previous" : "");
  RC_ASSERT(found(plan).find("L-order") == 0);
}

}  // namespace
}  // namespace isoshard::verify_plan_test
