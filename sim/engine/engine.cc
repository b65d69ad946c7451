// Runs a Plan on virtual devices: a device is a set of program counters (engine_device.h), not a thread, and a fixed
// pool of workers runs whichever devices are ready, so that 8 or 4096 devices take the same code
// (docs/adr/0007-devices-are-program-counters.md). Devices meet in the Fabric only, where nobody waits: a device that
// cannot go on goes to sleep and is woken when a meeting of its group is complete. One atomic count of devices that are
// queued or running says when nothing can go on: at 0, either all are done, or it is a deadlock, at once and without
// timeouts. Sums are added in member order, so bits depend neither on workers nor on interleaving; a seed draws random
// legal interleavings, for tests. Small runs stay on the calling thread; in large operations workers without a device
// take part. Cost over the work itself: one queue operation per sleep and wake.
#include "sim/engine/engine.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

#include "core/support/check.h"
#include "core/support/result.h"
#include "sim/engine/active_devices.h"
#include "sim/engine/engine_deadlock.h"
#include "sim/engine/engine_device.h"
#include "sim/engine/engine_ready.h"
#include "sim/engine/float_environment.h"
#include "sim/kernels/helpers.h"

namespace isoshard::sim {
namespace {

/// Where a device is. A wake of a running device is remembered, so that it looks again before it goes to sleep.
enum class Phase : uint8_t { queued, running, running_woken, asleep };

uint64_t mix_words(uint64_t a, uint64_t b) {
  uint64_t z = a * 0x9e3779b97f4a7c15ULL + b;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

/// One run: devices, the workers that run them, and the count by which they notice that nothing can go on.
class Engine : private Helpers {
 public:
  Engine(const Plan& plan, const Domain& domain, const std::vector<Value>& globals, const RunOptions& options)
      : index_(plan),
        backward_(is_watched(options) ? BackwardRows() : BackwardRows(plan)),
        fabric_(plan, domain),
        context_{{plan, index_, backward_, domain, globals, options}, fabric_},
        options_(options),
        phases_(static_cast<size_t>(plan.mesh->device_count())),
        ready_(worker_count(), plan.mesh->device_count(), options.interleave_seed),
        active_(ready_.lane_count()) {}

  Result<RunResult> run() {
    options_.workers.begin_run(context_.plan);
    make_devices();
    if (active_.count() != 0) run_workers();
    if (failure_) std::rethrow_exception(failure_);
    if (std::optional<Diagnostic> mismatch = fabric_.mismatch()) return tl::unexpected(std::move(*mismatch));
    const bool finished = std::all_of(devices_.begin(), devices_.end(), [](const auto& d) { return d->done(); });
    if (!finished) return tl::unexpected(explain_deadlock(context_, devices_));
    return collect();
  }

 private:
  struct WorkerState {
    StepLists lists;
    uint64_t steps = 0;  ///< made, from a number of the worker's own on
    uint64_t digest = 0;
  };

  void make_devices() {
    std::vector<int64_t> all;
    for (int64_t position = 0; position < context_.plan.mesh->device_count(); ++position) {
      devices_.push_back(std::make_unique<Device>(context_, position));
      if (!devices_.back()->done()) all.push_back(position);
    }
    for (const int64_t position : all) active_.add(ready_.lane_of(position));
    ready_.push(all);
  }

  /// No more than devices, but where one of them alone has work for several.
  size_t worker_count() const {
    const size_t wanted = index_.worker_count(options_);
    return index_.largest_work() < kSmallWork ? std::min(wanted, phases_.size()) : wanted;
  }

  int64_t spare() const override { return workers_ - active_.count(); }
  void share(int64_t count, const std::function<void(int64_t)>& part) override { ready_.share(count, part); }

  void run_workers() {
    std::vector<std::thread> threads;
    const size_t count = worker_count();
    workers_ = static_cast<int64_t>(count);
    try {
      while (threads.size() + 1 < count) threads.emplace_back([this, worker = threads.size() + 1] { work(worker); });
    } catch (const std::system_error&) {
      // The system gives no more threads: those that there are do the work, results do not depend on their number.
    }
    work(0);
    for (std::thread& thread : threads) thread.join();
  }

  void work(size_t worker) {
    const DefaultFloatEnvironment environment;
    const HelpersHere helpers(workers_ > 1 ? this : nullptr);
    WorkerState state;
    state.steps = static_cast<uint64_t>(worker) << 48;
    try {
      for (ReadyDevice ready; ready_.pop(worker, ready);) run_device(ready, state);
    } catch (...) {
      const std::lock_guard<std::mutex> lock(failure_mutex_);
      if (!failure_) failure_ = std::current_exception();
      ready_.stop();
    }
    digest_.fetch_add(state.digest, std::memory_order_relaxed);
  }

  /// Steps the device until no queue of it can go on; in random order one step, then another device has its chance.
  void run_device(const ReadyDevice& ready, WorkerState& state) {
    Device& device = *devices_[static_cast<size_t>(ready.position)];
    std::atomic<Phase>& phase = phases_[static_cast<size_t>(ready.position)];
    phase.exchange(Phase::running, std::memory_order_acq_rel);
    while (true) {
      const DeviceStep step = device.step(ready, state.lists);
      if (step.kind == DeviceStep::Kind::none) {
        if (device.done() || go_to_sleep(phase)) return retire(ready.position);
        continue;
      }
      // One number for all workers would be what they wait for most.
      const uint64_t ticket = ready.is_drawn ? ticket_.fetch_add(1, std::memory_order_relaxed) : state.steps++;
      state.digest +=
          mix_words(ticket, mix_words(static_cast<uint64_t>(ready.position),
                                      mix_words(step.instruction.index(), 0) + static_cast<uint64_t>(step.kind)));
      options_.workers.go_on();
      if (step.completed.valid()) wake_group(step.completed, ready.position);
      wake_peers(step.met);
      if (ready.is_drawn) {
        phase.exchange(Phase::queued, std::memory_order_acq_rel);
        return ready_.push(std::span(&ready.position, 1));
      }
    }
  }

  /// False when a wake came in between: the device must look again.
  static bool go_to_sleep(std::atomic<Phase>& phase) {
    Phase expected = Phase::running;
    if (phase.compare_exchange_strong(expected, Phase::asleep, std::memory_order_acq_rel)) return true;
    phase.exchange(Phase::running, std::memory_order_acq_rel);
    return false;
  }

  /// The device is neither runnable nor running any more; with the last one, nothing can go on.
  void retire(int64_t position) {
    if (active_.remove(ready_.lane_of(position))) ready_.stop();
  }

  void wake_group(CommunicatorId communicator, int64_t position) {
    const Mesh& mesh = *context_.plan.mesh;
    const Communicator& over = context_.plan.communicators[communicator.index()];
    const int64_t size = over.size(mesh);
    std::vector<int64_t> woken;
    woken.reserve(static_cast<size_t>(size));
    for (int64_t i = 0; i < size; ++i) {
      const int64_t member = over.member(mesh, position, i);
      if (wake(member)) woken.push_back(member);
    }
    ready_.push(woken);
  }

  void wake_peers(const std::array<int64_t, 2>& peers) {
    for (const int64_t peer : peers) {
      if (peer >= 0 && wake(peer)) ready_.push(std::span(&peer, 1));
    }
  }

  /// True when the device slept and must be queued. Always a read-modify-write, so that a device that is just about to
  /// run sees what was finished before.
  bool wake(int64_t position) {
    std::atomic<Phase>& phase = phases_[static_cast<size_t>(position)];
    Phase seen = phase.load(std::memory_order_relaxed);
    Phase next = seen;
    do {
      next = seen == Phase::asleep ? Phase::queued : seen == Phase::running ? Phase::running_woken : seen;
    } while (!phase.compare_exchange_weak(seen, next, std::memory_order_acq_rel, std::memory_order_relaxed));
    if (seen != Phase::asleep) return false;
    active_.add(ready_.lane_of(position));
    return true;
  }

  RunResult collect() {
    RunResult result;
    result.outputs.resize(context_.plan.outputs.size());
    for (const auto& device : devices_) {
      for (auto& [output, block] : device->stored()) result.outputs[output].push_back(std::move(block));
    }
    result.order_digest = digest_;
    return result;
  }

  PlanIndex index_;
  BackwardRows backward_;
  Fabric fabric_;
  EngineContext context_;
  RunOptions options_;
  std::vector<std::atomic<Phase>> phases_;  ///< by position
  ReadyQueue ready_;
  ActiveDevices active_;                          ///< queued or running
  std::vector<std::unique_ptr<Device>> devices_;  ///< by position
  int64_t workers_ = 1;
  std::atomic<uint64_t> ticket_ = 0;
  std::atomic<uint64_t> digest_ = 0;
  std::mutex failure_mutex_;
  std::exception_ptr failure_;
};

}  // namespace

Result<RunResult> run_on_engine(const Plan& plan, const Domain& domain, const std::vector<Value>& globals,
                                const RunOptions& options) {
  ISOSHARD_CHECK(globals.size() == plan.globals.size(), "one value per global");
  return Engine(plan, domain, globals, options).run();
}

}  // namespace isoshard::sim
