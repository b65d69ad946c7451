// A Plan with some of its outputs stores in them what the whole Plan stores, bit for bit, and holds nothing else.

#include <gtest/gtest.h>

#include <rapidcheck/gtest.h>
#include <algorithm>

#include "core/plan/cone.h"
#include "core/plan/passes/keep_outputs.h"
#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "sim/domains/residues/ring_a.h"
#include "sim/lockstep/run.h"
#include "tests/domains_testing.h"
#include "tests/property/generator/random_program.h"

namespace isoshard::sim::keep_outputs_test {
namespace {

bool same_blocks(const std::vector<StoredBlock>& a, const std::vector<StoredBlock>& b) {
  for (size_t i = 0; i < a.size() && i < b.size(); ++i) {
    if (a[i].position != b[i].position || a[i].begin != b[i].begin || !same_bits(a[i].value, b[i].value)) return false;
  }
  return a.size() == b.size();
}

/// Every instruction is needed by an output or by an assert_equal.
bool nothing_is_dead(const Plan& plan) {
  std::vector<bool> roots;
  for (const Instruction& i : plan.instructions) {
    const Collective* c = std::get_if<Collective>(&i.data());
    roots.push_back(std::holds_alternative<StoreBlock>(i.data()) ||
                    (c != nullptr && c->kind == CollectiveKind::assert_equal));
  }
  const std::vector<bool> in = cone_of(plan, roots).instructions;
  return std::all_of(in.begin(), in.end(), [](bool b) { return b; });
}

RC_GTEST_PROP(KeepOutputs, StoreWhatTheyStoredAmongAll, ()) {
  testing::RandomProgramOptions options;
  options.seed = *rc::gen::arbitrary<uint64_t>();
  options.ops = 25;
  options.max_axis_size = 3;
  options.updates = *rc::gen::arbitrary<bool>();
  const testing::RandomProgram random = testing::random_program(options);
  const Plan whole = lower(random.module, random.program);
  std::vector<bool> wanted;
  for (size_t o = 0; o < whole.outputs.size(); ++o) wanted.push_back(*rc::gen::arbitrary<bool>());
  const Plan part = keep_outputs(whole, wanted);
  RC_ASSERT(nothing_is_dead(part));
  const RingDomain domain(2, 7);
  std::vector<Value> globals;
  for (const Global& global : whole.globals) {
    globals.push_back(testing_support::random_value(global.type, domain, globals.size() + 1));
  }
  const Result<RunResult> expected = run(whole, domain, globals);
  RunOptions run_options;
  run_options.workers = 2;
  run_options.small_work = 0;
  run_options.interleave_seed = options.seed;
  const Result<RunResult> result = run(part, domain, globals, run_options);
  RC_ASSERT(expected.has_value());
  RC_ASSERT(result.has_value());
  size_t next = 0;
  for (size_t o = 0; o < wanted.size(); ++o) {
    if (!wanted[o]) continue;
    RC_ASSERT(part.outputs[next].name == whole.outputs[o].name);
    RC_ASSERT(same_blocks(result->outputs[next++], expected->outputs[o]));
  }
  RC_ASSERT(next == part.outputs.size());
}

}  // namespace
}  // namespace isoshard::sim::keep_outputs_test
