#pragma once  // internal

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "sim/engine/shared_work.h"

namespace isoshard::sim {

/// A device to run next and, in random order, the number that decides which of its queues goes on.
struct ReadyDevice {
  int64_t position = 0;
  uint64_t draw = 0;
  bool is_drawn = false;
};

/// Devices that can go on, first in first out or, with a seed, in random order, and operations in which those who wait
/// for a device take part. All methods are thread-safe.
class ReadyQueue {
 public:
  explicit ReadyQueue(std::optional<uint64_t> seed) : random_(seed.has_value()), state_(seed.value_or(0)) {}

  void push(std::span<const int64_t> positions);
  /// Waits for a device and meanwhile helps with what is shared: spins for at most 50 us, then sleeps until there is
  /// something. False after stop().
  bool pop(ReadyDevice& device);
  /// Calls `part` with each number below `count`, here and in those who wait; returns when all calls have.
  void share(int64_t count, const std::function<void(int64_t)>& part);
  /// Lets every pop() return nothing from now on.
  void stop();

 private:
  void spin() const;
  bool pick(ReadyDevice& device);
  uint64_t draw();
  SharedWork* open_work() const;
  void help(std::unique_lock<std::mutex>& lock, SharedWork& work);
  void set_attention();

  const bool random_;
  uint64_t state_;  ///< of the random order
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable helped_;
  std::deque<int64_t> devices_;
  std::vector<SharedWork*> shared_;
  size_t sleeping_ = 0;
  std::atomic<bool> attention_ = false;  ///< there is something to do, or it is time to stop: what spinners watch
  bool stopped_ = false;
};

}  // namespace isoshard::sim
