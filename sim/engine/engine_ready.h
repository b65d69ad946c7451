#pragma once

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

/// Devices that can go on, and operations in which those who wait for a device take part. Each worker has a lane of
/// devices that are next to each other, first in first out; one whose lane is empty takes half of another's. With a
/// seed there is one lane, in random order. All methods but the constructor are thread-safe.
class ReadyQueue {
 public:
  ReadyQueue(size_t workers, int64_t devices, std::optional<uint64_t> seed);

  void push(std::span<const int64_t> positions);
  /// Waits for a device and meanwhile helps with what is shared: spins for at most 50 us, then sleeps until there is
  /// something. False after stop().
  bool pop(size_t worker, ReadyDevice& device);
  /// Calls `part` with each number below `count`, here and in those who wait; returns when all calls have.
  void share(int64_t count, const std::function<void(int64_t)>& part);
  /// Lets every pop() return nothing from now on.
  void stop();

  size_t lane_of(int64_t position) const {
    return lanes_.size() == 1 ? 0 : static_cast<size_t>(position) * lanes_.size() / devices_;
  }
  size_t lane_count() const { return lanes_.size(); }

 private:
  /// Devices of one worker; those that other workers look at have cache lines of their own.
  struct alignas(64) Lane {
    std::mutex mutex;
    std::deque<int64_t> devices;
    std::atomic<size_t> size = 0;  ///< of `devices`
  };

  bool has_device() const;
  bool has_something() const { return stopped_ || sharing_ || has_device(); }
  void spin() const;
  bool take(Lane& lane, ReadyDevice& device);
  bool steal(size_t thief, ReadyDevice& device);
  bool help();
  void wake(size_t devices);
  uint64_t draw();
  SharedWork* open_work() const;

  const bool random_;
  uint64_t state_;  ///< of the random order
  const size_t devices_;
  std::vector<Lane> lanes_;
  std::mutex mutex_;  ///< of what is shared, and of those who sleep; never held together with a lane's
  std::condition_variable changed_;
  std::condition_variable helped_;
  std::vector<SharedWork*> shared_;
  std::atomic<size_t> sleeping_ = 0;
  std::atomic<bool> sharing_ = false;  ///< there is work that is open
  std::atomic<bool> stopped_ = false;
};

}  // namespace isoshard::sim
