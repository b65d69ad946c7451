// Random programs on the stand-in: the calls of all ranks, issued by the sources that issue them to CUDA and NCCL, give
// what sim gives, bit for bit or within what rounding can do, with all queues at once and from a graph, with ranks that
// are threads and with some that are processes. What runs next is drawn by the stand-in, so that an order that is
// missing shows.

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/plan/calls/writing/make_call_list.h"
#include "core/plan/memory/plan_memory.h"
#include "core/support/result.h"
#include "exec/load_backend.h"
#include "exec/run/crew.h"
#include "exec/run/steps.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/domains/floats/run_bound.h"
#include "sim/evaluate/conversion.h"
#include "sim/lockstep/run.h"
#include "sim/run/array_difference.h"
#include "sim/run/assemble.h"
#include "sim/run/draw.h"
#include "tests/nightly.h"
#include "tests/property/random_plan.h"
#include "tests/sanitized.h"

namespace isoshard::device_runs_test {
namespace {

using isoshard::testing::cases;
using isoshard::testing::random_plan;
using Answer = sim::ArrayDifference::Answer;

struct Counts {
  size_t ran = 0, refused = 0, equal = 0, within = 0, unbounded = 0;
  std::set<std::string> reasons;  ///< of refusals
};

std::vector<sim::Value> to_values(const std::vector<Tensor>& globals, const sim::Domain& domain) {
  std::vector<sim::Value> values;
  for (const Tensor& global : globals) values.push_back(sim::from_tensor(global, domain));
  return values;
}

/// The outputs of a run of sim as whole arrays, in the domain.
std::vector<sim::Value> outputs_of(const Plan& plan, const sim::Domain& domain, const std::vector<Tensor>& globals) {
  const Result<sim::RunResult> result = sim::run(plan, domain, to_values(globals, domain));
  std::vector<sim::Value> outputs;
  for (size_t o = 0; result && o < plan.outputs.size(); ++o) {
    outputs.push_back(sim::assemble(plan.outputs[o].type, result->outputs[o]).value);
  }
  return outputs;
}

/// The lists of all ranks, or nothing where one is refused.
std::optional<std::vector<calls::CallList>> lists_of(const Plan& plan, Reuse reuse, Counts& counts) {
  Plan ordered = plan;
  const Result<MemoryPlan> memory = plan_memory(ordered, reuse);
  std::vector<calls::CallList> lists;
  for (int64_t position = 0; position < plan.mesh->device_count(); ++position) {
    Result<calls::CallList> list = calls::make_call_list(ordered, memory.value(), position);
    if (!list) {
      ++counts.refused;
      counts.reasons.insert(list.error().rule);
      return std::nullopt;
    }
    lists.push_back(std::move(*list));
  }
  return lists;
}

exec::Outcome<std::unique_ptr<exec::RankHost>> start_processes_of(const std::shared_ptr<const exec::Job>& job) {
  exec::Outcome<std::unique_ptr<exec::SharedDevices>> devices = exec::SharedDevices::share(exec::Device::cpu_standin);
  if (!devices) return tl::unexpected(devices.error());
  return exec::start_processes(
      job, [](size_t) { return exec::Environment(); }, std::move(*devices));
}

exec::Outcome<std::unique_ptr<exec::Crew>> crew_of(const Plan& plan, std::vector<calls::CallList> lists, bool graph,
                                                   bool processes) {
  auto job = std::make_shared<exec::Job>();
  job->open_backend = [] { return exec::load_backend(exec::Device::cpu_standin); };
  job->options.deadline = 60;
  job->options.graph = graph;
  for (size_t rank = 0; rank < lists.size(); ++rank) job->devices.push_back(static_cast<int>(rank));
  exec::Outcome<std::shared_ptr<exec::Desk>> desk = exec::Desk::make(plan, lists);
  if (!desk) return tl::unexpected(desk.error());
  job->desk = std::move(*desk);
  job->lists = std::move(lists);
  job->updated = exec::updated_globals(plan);
  exec::Outcome<std::unique_ptr<exec::RankHost>> host = processes ? start_processes_of(job) : exec::start_threads(job);
  if (!host) return tl::unexpected(host.error());
  return std::make_unique<exec::Crew>(job, std::move(*host));
}

/// Why an output is not what sim gives; empty where it is.
std::string compare(const Plan& plan, const std::vector<Tensor>& globals, const std::vector<Tensor>& arrays,
                    Counts& counts) {
  const sim::Domain& domain = sim::float_domain(sim::Precision::as_written);
  const std::vector<sim::Value> expected = outputs_of(plan, domain, globals);
  if (expected.size() != arrays.size()) return "sim fails";
  std::optional<std::vector<sim::Value>> bounds;
  const sim::RunBoundDomain bounded(plan.mesh->device_count());
  for (size_t o = 0; o < arrays.size(); ++o) {
    const Tensor of_sim = sim::to_tensor(expected[o], domain);
    sim::ArrayDifference difference = sim::difference_of(arrays[o], of_sim, std::nullopt);
    if (difference.answer == Answer::unbounded && is_float(plan.outputs[o].type.dtype)) {
      if (!bounds) bounds = outputs_of(plan, bounded, globals);
      const auto value = bounds->at(o).plane<double>(0), error = bounds->at(o).plane<double>(1);
      const sim::ElementBounds of{{value.begin(), value.end()}, {error.begin(), error.end()}};
      difference = sim::difference_of(arrays[o], of_sim, bounded.ties() == 0 ? std::optional(of) : std::nullopt);
    }
    if (difference.answer == Answer::differs && bounded.ties() == 0) return "@" + plan.outputs[o].name + " differs";
    counts.equal += difference.answer == Answer::equal_bits ? 1 : 0;
    counts.within += difference.answer == Answer::within_bound ? 1 : 0;
    counts.unbounded += difference.answer == Answer::unbounded ? 1 : 0;
  }
  return "";
}

/// What is wrong with a run of the Plan on the stand-in.
std::string wrong(const Plan& plan, Reuse reuse, bool graph, bool processes, Counts& counts) {
  std::optional<std::vector<calls::CallList>> lists = lists_of(plan, reuse, counts);
  if (!lists) return "";
  std::vector<Tensor> globals;
  for (const Global& global : plan.globals) globals.push_back(sim::draw_global(global, 0));
  exec::Outcome<std::unique_ptr<exec::Crew>> crew = crew_of(plan, std::move(*lists), graph, processes);
  if (!crew) return crew.error().message;
  if (const exec::Outcome<> opened = (*crew)->open(); !opened) return opened.error().message;
  for (int time = 0; time < (graph ? 3 : 1); ++time) {
    const exec::Outcome<exec::StepOutputs> outputs = exec::run_step(**crew, plan, globals, true);
    if (!outputs) return outputs.error().message;
    if (const std::string found = compare(plan, globals, outputs->arrays, counts); !found.empty()) return found;
  }
  ++counts.ran;
  const exec::Outcome<> finished = (*crew)->finish();
  return finished ? "" : finished.error().message;
}

constexpr uint64_t kPrograms = kSanitized ? 12 : 200;

TEST(DeviceRuns, RandomProgramsGiveWhatSimGives) {
  Counts counts;
  for (uint64_t seed = 0; seed < cases(kPrograms); ++seed) {
    const Plan plan = random_plan(seed);
    const bool graph = seed % 3 == 1;
    const Reuse reuse = seed % 2 == 0 ? Reuse::ordered : Reuse::tokens;
    ASSERT_EQ(wrong(plan, reuse, graph, seed % 32 == 3, counts), "") << "seed " << seed;
  }
  EXPECT_GT(counts.ran, cases(kPrograms) / 2);
  EXPECT_GT(counts.equal, 5 * counts.unbounded);
  EXPECT_GT(counts.equal + counts.within, counts.ran);
  for (const std::string& reason : counts.reasons) EXPECT_EQ(reason, "X-unsupported");
}

}  // namespace
}  // namespace isoshard::device_runs_test
