#pragma once  // internal

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>

namespace isoshard::sim {

/// A device to run next and, in random order, the number that decides which of its queues goes on.
struct ReadyDevice {
  int64_t position = 0;
  std::optional<uint64_t> draw;
};

/// Devices that can go on, first in first out or, with a seed, in random order. All methods are thread-safe.
class ReadyQueue {
 public:
  explicit ReadyQueue(std::optional<uint64_t> seed) : random_(seed.has_value()), state_(seed.value_or(0)) {}

  void push(std::span<const int64_t> positions);
  /// Waits for a device: spins for at most 50 us, then sleeps until push() or stop(). Nothing after stop().
  std::optional<ReadyDevice> pop();
  /// Lets every pop() return nothing from now on.
  void stop();

 private:
  void spin() const;
  std::optional<ReadyDevice> pick();
  uint64_t draw();

  const bool random_;
  uint64_t state_;  ///< of the random order
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<int64_t> devices_;
  size_t sleeping_ = 0;
  std::atomic<bool> attention_ = false;  ///< there is a device, or it is time to stop: what spinning workers watch
  bool stopped_ = false;
};

}  // namespace isoshard::sim
