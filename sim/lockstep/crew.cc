// Shares the work of one instruction: devices are independent of each other there, so that each class of them is a
// part. Few large parts are done one after another instead, each by all workers (split_product.cc), as a thread with
// one part more than the others would be waited for. Cost: two locks for each worker that takes part; waits are short,
// as threads spin for some time before they sleep.
#include "sim/lockstep/crew.h"

#include <algorithm>
#include <system_error>

#include "sim/engine/float_environment.h"
#include "sim/engine/run_options.h"

namespace isoshard::sim {
namespace {

constexpr double kSharedWork = 1e5;  ///< scalar operations from which on it pays to tell others: some 50 us
constexpr double kEach = 100;        ///< that any part takes, however small
constexpr size_t kManyParts = 4;     ///< per worker: the last one is soon done

}  // namespace

Crew::Crew(size_t workers)
    : queue_(workers, static_cast<int64_t>(workers), std::nullopt), here_(workers > 1 ? this : nullptr) {
  try {
    while (threads_.size() + 1 < workers) {
      threads_.emplace_back([this, worker = threads_.size() + 1] { wait_for_work(worker); });
    }
  } catch (const std::system_error&) {
    // The system gives no more threads: those that there are do the work, results do not depend on their number.
  }
}

Crew::~Crew() {
  queue_.stop();
  for (std::thread& thread : threads_) thread.join();
}

void Crew::wait_for_work(size_t worker) {
  const DefaultFloatEnvironment environment;
  for (ReadyDevice none; queue_.pop(worker, none);) {
  }
}

bool Crew::is_shared(size_t count, double work) const {
  const size_t workers = threads_.size() + 1;
  if (workers == 1 || count == 1 || (work + kEach) * static_cast<double>(count) < kSharedWork) return false;
  return work < kSmallWork || count % workers == 0 || count >= kManyParts * workers;
}

void Crew::each(size_t count, double work, const std::function<void(size_t begin, size_t end)>& part) {
  if (!is_shared(count, work)) return part(0, count);
  const size_t shares = std::min(count, kManyParts * (threads_.size() + 1));
  sharing_ = true;
  try {
    queue_.share(static_cast<int64_t>(shares), [&](int64_t share) {
      const auto s = static_cast<size_t>(share);
      part(count * s / shares, count * (s + 1) / shares);
    });
  } catch (...) {
    sharing_ = false;
    throw;
  }
  sharing_ = false;
}

}  // namespace isoshard::sim
