// Runs both programs of a pair step by step, each on the globals that it has updated itself. Where both are large,
// there is more than one core, and memory suffices for both, they run beside each other, each with the workers that it
// would have alone: results do not depend on threads, and a failure of the reference is reported first in either case.
// Inputs are drawn per global and step, the same for both. Opaque functions behind updates are applied between steps,
// on both sides. Cost: one run of each program per step.
#include "verify/compare/steps.h"

#include <algorithm>
#include <future>
#include <system_error>
#include <thread>
#include <utility>

#include "core/support/check.h"
#include "core/support/result.h"
#include "sim/domains/exact_ring.h"
#include "sim/engine/engine_index.h"
#include "sim/integers/integer_ops.h"
#include "sim/lockstep/run.h"
#include "sim/run/assemble.h"
#include "sim/run/memory_estimate.h"
#include "sim/run/steps.h"
#include "verify/compare/substitution.h"

namespace isoshard::verify {
namespace {

using Ran = Result<sim::RunResult>;

double bytes_of_run(const Pair& pair, const sim::Domain& domain, int workers) {
  double bytes = 0;
  for (const Plan* plan : {&pair.sharded.plan, &pair.reference.plan}) {
    bytes += sim::estimate_memory(*plan, domain, workers).total();
  }
  return bytes;
}

/// Both programs are worth a thread, there is more than one, and what both hold fits.
bool runs_beside(const Pair& pair, const sim::Domain& domain, int workers) {
  if (workers == 1 || std::thread::hardware_concurrency() < 2) return false;
  return both_are_large(pair) && bytes_of_run(pair, domain, workers) <= sim::machine_memory().bytes;
}

/// Runs in a thread of its own, or at once.
template <class Run>
std::future<Ran> start(bool beside, const Run& run) {
  if (beside) {
    try {
      return std::async(std::launch::async, run);
    } catch (const std::system_error&) {
      // The system gives no more threads.
    }
  }
  std::promise<Ran> done;
  done.set_value(run());
  return done.get_future();
}

}  // namespace

bool both_are_large(const Pair& pair) {
  constexpr double kLargeWork = 1e8;  // scalar operations: a few hundredths of a second
  const auto is_large = [](const Side& side) { return sim::PlanIndex(side.plan).work() >= kLargeWork; };
  return is_large(pair.sharded) && is_large(pair.reference);
}

size_t runs_at_once(const Pair& pair, const sim::Domain& domain, const sim::Workers& workers) {
  constexpr double kWithBounds = 2;  // an element and its bound
  const size_t most = workers.count > 0 ? static_cast<size_t>(workers.count) : std::thread::hardware_concurrency();
  if (most < 2) return 1;
  const double fit = sim::machine_memory().bytes / bytes_of_run(pair, domain, 1) - kWithBounds;
  return fit < 2 ? 1 : static_cast<size_t>(std::min(fit, static_cast<double>(most)));
}

PairRun::PairRun(const Pair& pair, const sim::Domain& domain, DrawGlobal draw, sim::Workers workers)
    : pair_(pair), domain_(domain), draw_(std::move(draw)) {
  options_.workers = workers;
}

Result<void> PairRun::next(PairObservers observers) {
  if (step_ > 0) {
    sharded_ = next_globals(pair_.sharded.plan, std::move(sharded_), result_.sharded);
    reference_ = next_globals(pair_.reference.plan, std::move(reference_), result_.reference);
  }
  ++step_;
  draw_globals();
  const auto run = [&](const Side& side, const std::vector<sim::Value>& globals, sim::ValueObserver* observer) {
    sim::RunOptions options = options_;
    const sim::Substitute& given = &side == &pair_.sharded ? sharded_values_ : reference_values_;
    options.substitute = given ? given : substitution(pair_, side, generic_, domain_);
    options.substitutes_alike = !given && substitutes_alike(side);
    options.observer = observer;
    return sim::run(side.plan, domain_, globals, options);
  };
  const bool beside = runs_beside(pair_, domain_, options_.workers.count);
  std::future<Ran> started = start(beside, [&] { return run(pair_.reference, reference_, observers.reference); });
  Ran sharded = run(pair_.sharded, sharded_, observers.sharded);
  Ran reference = started.get();
  if (!reference) return tl::unexpected<Diagnostic>(reference.error());
  if (!sharded) return tl::unexpected<Diagnostic>(sharded.error());
  result_ = PairResult{std::move(*sharded), std::move(*reference)};
  return {};
}

bool PairRun::began_in_range() const {
  for (size_t i = 0; i < reference_.size(); ++i) {
    const Global& global = pair_.module->globals[i];
    if (!pair_.used[i] || !global.range || !is_integer(global.type.dtype)) continue;
    std::vector<int64_t> numbers(static_cast<size_t>(reference_[i].size()));
    sim::integer::widen(global.type.dtype, reference_[i].size(), reference_[i].data.get(), numbers.data());
    const auto inside = [&](int64_t number) { return global.range->contains(number); };
    if (!std::all_of(numbers.begin(), numbers.end(), inside)) return false;
  }
  return true;
}

std::vector<sim::Value> PairRun::next_globals(const Plan& plan, std::vector<sim::Value> globals,
                                              const sim::RunResult& result) const {
  std::vector<sim::Value> next = sim::next_globals(plan, std::move(globals), result);
  const auto* ring = dynamic_cast<const sim::ExactRing*>(&domain_);
  for (const Output& output : plan.outputs) {
    if (ring == nullptr || generic_.updates.empty() || !output.updates.valid()) continue;
    const size_t global = output.updates.index();
    if (generic_.updates[global]) next[global] = ring->opaque_identity(next[global]);
  }
  return next;
}

/// All globals for the first step, inputs for every step; then the mapped ones from their sources.
void PairRun::draw_globals() {
  const std::vector<Global>& globals = pair_.module->globals;
  sharded_.resize(globals.size());
  reference_.resize(globals.size());
  const auto is_due = [&](GlobalId id) { return step_ == 1 || globals[id.index()].role == Role::input; };
  for (size_t i = 0; i < globals.size(); ++i) {
    if (!pair_.used[i] || !is_due(GlobalId(i))) continue;
    sharded_[i] = draw_(globals[i], step_);
    reference_[i] = sharded_[i];
  }
  for (const MappedGlobal& map : pair_.maps) {
    if (!pair_.used[map.global.index()] || !is_due(map.global)) continue;
    sharded_[map.global.index()] = read_map(map, sharded_);
    reference_[map.global.index()] = sharded_[map.global.index()];
  }
}

sim::Value PairRun::read_map(const MappedGlobal& map, const std::vector<sim::Value>& globals) const {
  const Result<sim::RunResult> read = sim::run(map.read, domain_, globals);
  ISOSHARD_CHECK(read.has_value(), "one device that reads a view always ends");
  return sim::assemble(map.read.outputs[0].type, read->outputs[0]).value;
}

}  // namespace isoshard::verify
