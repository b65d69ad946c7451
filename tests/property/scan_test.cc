// A scan computes what its iterations, one after another, compute: bit for bit, in every domain, in every order.

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "core/plan/passes/lower.h"
#include "core/plan/passes/unroll.h"
#include "core/support/result.h"
#include "sim/lockstep/run.h"
#include "tests/domains_testing.h"
#include "tests/property/generator/random_program.h"
#include "tests/runs_testing.h"

namespace isoshard::sim::scan_test {
namespace {

using isoshard::testing::random_program;
using isoshard::testing::RandomProgram;
using isoshard::testing::RandomProgramOptions;
using isoshard::testing::same_outputs;

bool has_loop(const Plan& plan) {
  for (const Block& block : plan.groups.empty() ? std::vector<Block>() : plan.groups[0].blocks) {
    if (block.repeat) return true;
  }
  return false;
}

void check_scans(const Domain& domain) {
  RandomProgramOptions options;
  options.seed = *rc::gen::arbitrary<uint64_t>();
  options.ops = 25;
  options.max_axis_size = 3;
  const RandomProgram random = random_program(options);
  const Plan plan = lower(random.module, random.program);
  RC_PRE(has_loop(plan));
  const std::optional<Plan> flat = unroll(plan, 100000);
  RC_ASSERT(flat.has_value());
  RC_ASSERT(!has_loop(*flat));
  std::vector<Value> globals;
  for (const Global& global : plan.globals) {
    globals.push_back(testing_support::random_value(global.type, domain, globals.size() + 1));
  }
  const Result<RunResult> expected = run(*flat, domain, globals);
  RC_ASSERT(expected.has_value());
  for (const int workers : {1, 2, 8}) {
    RunOptions run_options;
    run_options.workers = workers;
    run_options.small_work = 0;
    if (workers > 1) run_options.interleave_seed = options.seed + static_cast<uint64_t>(workers);
    const Result<RunResult> result = run(plan, domain, globals, run_options);
    RC_ASSERT(result.has_value());
    RC_ASSERT(same_outputs(*result, *expected));
  }
}

RC_GTEST_PROP(Scan, IsItsIterationsInFloats, ()) { check_scans(float_domain()); }
RC_GTEST_PROP(Scan, IsItsIterationsInTheRing, ()) { check_scans(RingDomain(3, 7)); }
RC_GTEST_PROP(Scan, IsItsIterationsWithBounds, ()) { check_scans(bounded_domain()); }

}  // namespace
}  // namespace isoshard::sim::scan_test
