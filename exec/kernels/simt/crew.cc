// Blocks whose threads work together, on one OS thread: each thread is a fibre that runs until it waits, and those that
// can go on take turns. The last lane that comes to a shuffle serves all of its lanes and goes on; a barrier opens when
// all threads wait at it. So a block that cannot go on shows at once, as a round without a turn, and its message says
// who waits where for whom. Crews are kept for the next kernel of whatever OS thread, since making one costs more than
// most blocks; the fibres of a block that failed are thrown away with all that is on their stacks. Cost: two switches
// for each wait, about 20 ns each.
#include "exec/kernels/simt/crew.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>

#include "exec/kernels/simt/grid.h"
#include "exec/kernels/simt/trial.h"

namespace isoshard::exec {
namespace {

/// Crews that run no kernel.
class IdleCrews {
 public:
  static IdleCrews& get() {
    static auto* crews = new IdleCrews;  // threads that end after main() still use it
    return *crews;
  }
  std::unique_ptr<Crew> take() {
    const std::lock_guard lock(mutex_);
    if (crews_.empty()) return std::make_unique<Crew>();
    std::unique_ptr<Crew> crew = std::move(crews_.back());
    crews_.pop_back();
    return crew;
  }
  void give_back(std::unique_ptr<Crew> crew) {
    const std::lock_guard lock(mutex_);
    crews_.push_back(std::move(crew));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Crew>> crews_;
};

}  // namespace

Crew*& Crew::current() {
  thread_local Crew* crew = nullptr;
  return crew;
}

void Crew::live(void* crew) {
  Crew& self = *static_cast<Crew*>(crew);
  for (;;) {
    (*self.body_)();
    self.pause(Doing::done, {});
  }
}

void Crew::pause(Doing doing, Site site) {
  Worker& worker = workers_[static_cast<size_t>(current_)];
  worker.doing = doing, worker.site = site;
  worker.fibre->pause();
}

void Crew::fail(std::string what) {
  failure_ = std::move(what);
  for (;;) pause(Doing::waits_for_all, {});
}

void Crew::wait(Site site) {
#if defined(ISOSHARD_WATCHED)
  trial().barriers.insert(site);
  if (trial().barrier_left_out == site) return;
#endif
  pause(Doing::waits_for_all, site);
}

bool Crew::all_lanes_there(int warp, unsigned lanes, Site site) const {
  for (int lane = 0; lane < kWarp; ++lane) {
    if ((lanes >> lane & 1U) == 0) continue;
    const Worker& worker = workers_[static_cast<size_t>(warp * kWarp + lane)];
    if (worker.doing != Doing::waits_for_lanes || worker.lanes != lanes || worker.site != site) return false;
  }
  return true;
}

uint64_t Crew::exchange(unsigned lanes, uint64_t bits, int source, Site site) {
  const int warp = current_ / kWarp, own = current_ % kWarp;
  if ((lanes >> own & 1U) == 0)
    fail("lane " + std::to_string(own) + " is none of those of its shuffle at " + to_string(site));
  if ((lanes >> source & 1U) == 0) {
    fail("lane " + std::to_string(own) + " asks lane " + std::to_string(source) +
         ", which is none of those of the shuffle at " + to_string(site));
  }
  Worker& self = workers_[static_cast<size_t>(current_)];
  self.doing = Doing::waits_for_lanes, self.site = site, self.lanes = lanes, self.bits = bits, self.source = source;
  if (!all_lanes_there(warp, lanes, site)) {
    pause(Doing::waits_for_lanes, site);
    return self.received;
  }
  for (int lane = 0; lane < kWarp; ++lane) {
    if ((lanes >> lane & 1U) == 0) continue;
    Worker& worker = workers_[static_cast<size_t>(warp * kWarp + lane)];
    worker.received = workers_[static_cast<size_t>(warp * kWarp + worker.source)].bits;
    worker.doing = Doing::runs;
  }
  return self.received;
}

void Crew::meet(unsigned lanes, Site site) {
#if defined(ISOSHARD_WATCHED)
  trial().barriers.insert(site);
  if (trial().barrier_left_out == site) return;
#endif
  exchange(lanes, 0, current_ % kWarp, site);
  Meeting& meeting = workers_[static_cast<size_t>(current_)].meeting;
  meeting = {lanes, meeting.count + 1};
}

void Crew::turn(int thread, int64_t first, int64_t count) {
  current_ = thread;
  this_thread = ThreadPlace{first + thread, count};
  workers_[static_cast<size_t>(thread)].fibre->resume();
}

/// Whether any thread could go on.
bool Crew::take_turns(int64_t first, int64_t count) {
  if (trial().order != 0) std::shuffle(order_.begin(), order_.end(), random_);
  bool any = false;
  for (const int thread : order_) {
    if (workers_[static_cast<size_t>(thread)].doing != Doing::runs) continue;
    any = true;
    turn(thread, first, count);
    if (!failure_.empty()) return false;
  }
  return any;
}

bool Crew::open_barrier() {
  const Site site = workers_[0].site;
  const bool all = std::all_of(workers_.begin(), workers_.end(), [&](const Worker& worker) {
    return worker.doing == Doing::waits_for_all && worker.site == site;
  });
  if (!all) return false;
  ++barrier_;
  for (Worker& worker : workers_) worker.doing = Doing::runs;
  return true;
}

std::string Crew::why_stuck() const {
  const auto there = [&](Doing doing) {
    return std::find_if(workers_.begin(), workers_.end(), [&](const Worker& worker) { return worker.doing == doing; });
  };
  const auto number = [&](auto worker) { return std::to_string(worker - workers_.begin()); };
  const auto waits = there(Doing::waits_for_lanes), at = there(Doing::waits_for_all), done = there(Doing::done);
  if (waits != workers_.end()) {
    const auto warp = (waits - workers_.begin()) / kWarp * kWarp;
    for (int lane = 0; lane < kWarp; ++lane) {
      const Worker& worker = workers_[static_cast<size_t>(warp + lane)];
      const bool is_there = worker.doing == Doing::waits_for_lanes && worker.site == waits->site;
      if ((waits->lanes >> lane & 1U) == 0 || (is_there && worker.lanes == waits->lanes)) continue;
      return "thread " + number(waits) + " waits in the shuffle at " + to_string(waits->site) + " for lane " +
             std::to_string(lane) + ", which never comes there";
    }
  }
  if (done != workers_.end()) {
    return "thread " + number(at) + " waits at the barrier of " + to_string(at->site) + ", and thread " + number(done) +
           " has ended";
  }
  const auto other = std::find_if(at, workers_.end(), [&](const Worker& worker) { return worker.site != at->site; });
  return "thread " + number(at) + " waits at the barrier of " + to_string(at->site) + ", and thread " + number(other) +
         " at that of " + to_string(other->site);
}

bool Crew::run_block(int64_t first, int64_t count) {
  shared_.clear();
  ++barrier_;
  for (Worker& worker : workers_) worker.doing = Doing::runs, worker.meeting = {};
  const auto is_done = [](const Worker& worker) { return worker.doing == Doing::done; };
  for (;;) {
    while (take_turns(first, count)) continue;
    if (!failure_.empty()) return false;
    if (std::all_of(workers_.begin(), workers_.end(), is_done)) return true;
    if (!open_barrier()) {
      failure_ = why_stuck();
      return false;
    }
  }
}

std::string Crew::run(unsigned blocks, const std::function<void()>& thread) {
  if (workers_.empty()) {
    workers_.resize(kThreads);
    for (Worker& worker : workers_) worker.fibre = std::make_unique<Fibre>(live, this);
    order_.resize(kThreads);
    std::iota(order_.begin(), order_.end(), 0);
  }
  random_.seed(trial().order);
  body_ = &thread;
  const int64_t count = int64_t{blocks} * kThreads;
  for (int64_t first = 0; first < count; first += kThreads) {
    if (run_block(first, count)) continue;
    workers_.clear();
    return std::exchange(failure_, "");
  }
  return "";
}

void run_together(const char* kernel, unsigned blocks, const std::function<void()>& thread) {
  std::unique_ptr<Crew> crew = IdleCrews::get().take();
  Crew::current() = crew.get();
  const std::string wrong = crew->run(blocks, thread);
  Crew::current() = nullptr;
  IdleCrews::get().give_back(std::move(crew));
  if (!wrong.empty()) standin_kernel_failed("kernel " + std::string(kernel) + ": " + wrong);
}

}  // namespace isoshard::exec
