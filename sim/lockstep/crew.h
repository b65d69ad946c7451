#pragma once  // internal

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "sim/engine/engine_ready.h"
#include "sim/kernels/helpers.h"

namespace isoshard::sim {

/// The workers of a run in step: the calling thread, and threads that wait for what it shares.
class Crew : private Helpers {
 public:
  /// Starts no thread for one worker, nor where the system gives none.
  explicit Crew(size_t workers);
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Calls `part` with ranges [begin, end) that cover the numbers below `count`, each of which takes about `work`
  /// scalar operations: with one range where that is little, or where a thread would wait for the last one; then what
  /// is done for a number may be shared itself.
  void each(size_t count, double work, const std::function<void(size_t begin, size_t end)>& part);

 private:
  int64_t spare() const override { return sharing_ ? 0 : static_cast<int64_t>(threads_.size()); }
  void share(int64_t count, const std::function<void(int64_t)>& part) override { queue_.share(count, part); }
  bool is_shared(size_t count, double work) const;
  void wait_for_work(size_t worker);

  ReadyQueue queue_;  ///< without devices
  std::vector<std::thread> threads_;
  std::atomic<bool> sharing_ = false;
  HelpersHere here_;
};

}  // namespace isoshard::sim
