#pragma once  // internal

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace isoshard::sim {

/// How many devices are queued or running, counted for each lane of neighbours, so that workers seldom write to the
/// same place. All methods are thread-safe.
///
/// Whoever adds a device runs one that is counted, or nobody runs yet. So while a lane that has become busy is not
/// counted yet, that of the caller is, and the number of busy lanes is 0 only when no device is left.
class ActiveDevices {
 public:
  explicit ActiveDevices(size_t lanes) : lanes_(lanes) {}

  void add(size_t lane) {
    if (lanes_[lane].count.fetch_add(1, std::memory_order_acq_rel) == 0) {
      busy_.fetch_add(1, std::memory_order_acq_rel);
    }
  }
  /// True where it was the last one of all.
  bool remove(size_t lane) {
    return lanes_[lane].count.fetch_sub(1, std::memory_order_acq_rel) == 1 &&
           busy_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  /// About how many there are.
  int64_t count() const {
    int64_t sum = 0;
    for (const Lane& lane : lanes_) sum += lane.count.load(std::memory_order_relaxed);
    return sum;
  }

 private:
  struct alignas(64) Lane {
    std::atomic<int64_t> count = 0;
  };
  std::vector<Lane> lanes_;
  std::atomic<int64_t> busy_ = 0;  ///< lanes whose count is not 0
};

}  // namespace isoshard::sim
