// Devices that take each instruction together compute what they compute on their own, bit for bit: each value on each
// device, whatever is put in the place of some of them.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "core/plan/passes/lower.h"
#include "core/support/mix.h"
#include "core/support/result.h"
#include "sim/engine/engine_index.h"
#include "sim/lockstep/run.h"
#include "sim/value/new_value.h"
#include "tests/domains_testing.h"
#include "tests/property/generator/random_program.h"
#include "tests/runs_testing.h"

namespace isoshard::sim::lockstep_test {
namespace {

using isoshard::testing::random_program;
using isoshard::testing::RandomProgram;
using isoshard::testing::RandomProgramOptions;
using isoshard::testing::same_outputs;

/// What each device computes and somebody reads, in its order. (The engine cuts no slices of what comes behind a loop
/// that does not read them.)
class Seen : public ValueObserver {
 public:
  explicit Seen(const PlanIndex& index) : index_(index) {}
  void on_value(int64_t position, PlanValueId id, const Value& value) override {
    if (index_.reads(id) == 0) return;
    const std::lock_guard<std::mutex> lock(mutex_);
    values_[{position, id.index()}].push_back(value);
  }
  bool operator==(const Seen& other) const {
    const auto same = [](const auto& a, const auto& b) {
      return a.first == b.first &&
             std::equal(a.second.begin(), a.second.end(), b.second.begin(), b.second.end(), same_bits);
    };
    return std::equal(values_.begin(), values_.end(), other.values_.begin(), other.values_.end(), same);
  }

 private:
  const PlanIndex& index_;
  std::mutex mutex_;
  std::map<std::pair<int64_t, size_t>, std::vector<Value>> values_;
};

/// Zeros for some values on some devices.
Substitute some_zeros(uint64_t seed) {
  return [seed](int64_t position, PlanValueId id, Value value) {
    if (mix(seed + mix(id.index()) % 7) % 4 != 0 || mix(seed + static_cast<uint64_t>(position)) % 3 != 0) return value;
    NewValue zeros(value.type, value.storage);
    if (zeros.bytes() > 0) std::memset(zeros.plane(0), 0, zeros.bytes());
    return std::move(zeros).finish();
  };
}

void check(const Domain& domain) {
  RandomProgramOptions options;
  options.seed = *rc::gen::arbitrary<uint64_t>();
  options.ops = *rc::gen::inRange<size_t>(0, 40);
  const RandomProgram random = random_program(options);
  const Plan plan = lower(random.module, random.program);
  std::vector<Value> globals;
  for (const Global& global : plan.globals) {
    globals.push_back(testing_support::random_value(global.type, domain, globals.size() + 1));
  }
  RunOptions run_options;
  run_options.padding_seed = options.seed;
  const Result<RunResult> apart = run_on_engine(plan, domain, globals, run_options);
  const Result<RunResult> together = run(plan, domain, globals, run_options);
  RC_ASSERT(apart.has_value() && together.has_value());
  RC_ASSERT(same_outputs(*apart, *together));

  if (*rc::gen::arbitrary<bool>()) run_options.substitute = some_zeros(options.seed);
  const PlanIndex index(plan);
  Seen seen_apart(index), seen_together(index);
  run_options.observer = &seen_apart;
  const Result<RunResult> watched_apart = run_on_engine(plan, domain, globals, run_options);
  run_options.observer = &seen_together;
  const Result<RunResult> watched_together = run(plan, domain, globals, run_options);
  RC_ASSERT(watched_apart.has_value() == watched_together.has_value());
  if (!watched_apart) return;
  RC_ASSERT(same_outputs(*watched_apart, *watched_together));
  RC_ASSERT(seen_apart == seen_together);
}

RC_GTEST_PROP(Lockstep, IsTheEngineInFloats, ()) { check(float_domain()); }
RC_GTEST_PROP(Lockstep, IsTheEngineInTheRing, ()) { check(RingDomain(3, 7)); }
RC_GTEST_PROP(Lockstep, IsTheEngineWithBounds, ()) { check(bounded_domain()); }

}  // namespace
}  // namespace isoshard::sim::lockstep_test
