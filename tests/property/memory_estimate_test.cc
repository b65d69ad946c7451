// The estimate is at least what a run holds, in every interleaving, and close to it where programs are simple.

#include "sim/run/memory_estimate.h"
#include "core/support/result.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include "catalogue/catalogue.h"
#include "core/plan/passes/lower.h"
#include "sim/domains/floats/bounded.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/domains/residues/ring_a.h"
#include "sim/evaluate/conversion.h"
#include "sim/lockstep/run.h"
#include "sim/run/draw.h"
#include "tests/property/generator/random_program.h"

namespace isoshard::sim::memory_estimate_test {
namespace {

using isoshard::testing::random_program;
using isoshard::testing::RandomProgram;
using isoshard::testing::RandomProgramOptions;

/// Adds up the storage of all values that exist, each allocation once, whenever one comes into being: rows of an array
/// may lie in it. What lies in a global is none.
class HeldBytes final : public ValueObserver {
 public:
  explicit HeldBytes(const std::vector<Value>& globals) : globals_(globals) {}

  void on_value(int64_t, PlanValueId, const Value& value) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (value.bytes() == 0 || lies_in_global(value)) return;
    size_t& bytes = allocations_[value.data];
    bytes = std::max(bytes, value.bytes());
    double now = 0;
    for (auto it = allocations_.begin(); it != allocations_.end();) {
      now += it->first.expired() ? 0 : static_cast<double>(it->second);
      it = it->first.expired() ? allocations_.erase(it) : std::next(it);
    }
    most_ = std::max(most_, now);
  }
  double most() const { return most_; }

 private:
  using Owner = std::weak_ptr<const std::byte>;

  bool lies_in_global(const Value& value) const {
    const auto address = [](const std::byte* p) { return reinterpret_cast<uintptr_t>(p); };
    return std::any_of(globals_.begin(), globals_.end(), [&](const Value& global) {
      const uintptr_t begin = address(global.data.get()), at = address(value.data.get());
      return at >= begin && at < begin + global.bytes();
    });
  }

  const std::vector<Value>& globals_;
  std::map<Owner, size_t, std::owner_less<Owner>> allocations_;
  std::mutex mutex_;
  double most_ = 0;
};

/// The most bytes of values that a run holds at once.
double held(const Plan& plan, const Domain& domain, const RunOptions& options) {
  std::vector<Value> globals;
  for (const Global& global : plan.globals) globals.push_back(from_tensor(draw_global(global, 0), domain));
  HeldBytes observer(globals);
  RunOptions observed = options;
  observed.observer = &observer;
  EXPECT_TRUE(run(plan, domain, globals, observed).has_value());
  return observer.most();
}

RC_GTEST_PROP(MemoryEstimate, IsAnUpperBoundInEveryInterleaving, ()) {
  RandomProgramOptions options;
  options.seed = *rc::gen::arbitrary<uint64_t>();
  options.ops = *rc::gen::inRange<size_t>(0, 40);
  const RandomProgram random = random_program(options);
  const Plan plan = lower(random.module, random.program);
  RunOptions run_options;
  run_options.workers = *rc::gen::inRange(1, 4);
  if (*rc::gen::arbitrary<bool>()) run_options.interleave_seed = *rc::gen::arbitrary<uint64_t>();
  run_options.small_work = *rc::gen::element(0.0, kSmallWork);  // devices on their own, or in step
  RC_ASSERT(held(plan, float_domain(), run_options) <= estimate_memory(plan, float_domain()).values);
}

void expect_close(const std::string& model, std::vector<MeshAxis> mesh, const Domain& domain) {
  DiagnosticSink sink;
  const std::optional<Module> module =
      make_model(ModelRequest{model, std::move(mesh), {{"d", "96"}, {"f", "192"}}}, sink);
  ASSERT_TRUE(module.has_value());
  for (const ProgramId program : {module->checks[0].left, module->checks[0].right}) {
    const Plan plan = lower(*module, program);
    const double estimate = estimate_memory(plan, domain).values;
    double most = 0;
    for (uint64_t seed = 0; seed < 3; ++seed) {
      RunOptions options;
      options.workers = 2;
      options.small_work = 0;
      if (seed > 0) options.interleave_seed = seed;
      most = std::max(most, held(plan, domain, options));
    }
    EXPECT_GE(estimate, most) << model << " @" << plan.program;
    EXPECT_LE(estimate, 2 * most) << model << " @" << plan.program;
  }
}

TEST(MemoryEstimate, IsCloseForTheCatalogue) {
  for (const Domain* domain : {&float_domain(), &bounded_domain()}) {
    expect_close("tp_mlp", {{"data", 2}, {"model", 4}}, *domain);
    expect_close("tp_mlp", {{"data", 1}, {"model", 8}}, *domain);
    expect_close("ring_matmul", {{"model", 4}}, *domain);
  }
}

TEST(MemoryEstimate, CountsTheLanesOfADomain) {
  DiagnosticSink sink;
  const std::optional<Module> module = make_model(ModelRequest{"tp_mlp", {}, {}}, sink);
  ASSERT_TRUE(module.has_value());
  const Plan plan = lower(*module, module->checks[0].left);
  const MemoryEstimate one = estimate_memory(plan, RingDomain(1, 0)), two = estimate_memory(plan, RingDomain(2, 0)),
                       six = estimate_memory(plan, RingDomain(6, 0));
  EXPECT_EQ(3 * two.values, six.values);
  EXPECT_LT(2 * one.values, two.values) << "blocks of one lane lie in their globals";
  EXPECT_EQ(6 * one.globals, six.globals);
  EXPECT_EQ(6 * one.outputs, six.outputs);
  EXPECT_EQ(one.bookkeeping, six.bookkeeping);
  EXPECT_EQ(one.globals, 4.0 * (8 * 840 + 2 * 840 * 840 + 2 * 840));
  EXPECT_EQ(one.outputs, 4.0 * 8 * 840);
}

TEST(MemoryEstimate, IsReportedWithBothNumbers) {
  MemoryEstimate estimate;
  estimate.globals = 1024;
  estimate.values = 3 * 1024 * 1024;
  EXPECT_FALSE(exceeds_memory("@p", estimate, MemoryLimit{3146752, "its physical memory"}).has_value());
  const std::optional<Diagnostic> error = exceeds_memory("@p on 2 devices", estimate, MemoryLimit{3146751, "a limit"});
  ASSERT_TRUE(error.has_value());
  EXPECT_EQ(error->rule, "D-memory");
  EXPECT_EQ(error->message,
            "@p on 2 devices needs about 3 MiB (3146752 bytes: globals 1 KiB, values of the devices 3 MiB); this "
            "machine gives 3 MiB (3146751 bytes, a limit); try smaller sizes (--set) or fewer devices (--mesh)");
}

TEST(MachineMemory, IsThatOfAMachine) {
  const MemoryLimit limit = machine_memory();
  EXPECT_GT(limit.bytes, 1 << 20);
  EXPECT_LT(limit.bytes, 1e18);
  EXPECT_FALSE(limit.source.empty());
}

}  // namespace
}  // namespace isoshard::sim::memory_estimate_test
