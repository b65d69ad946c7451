#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace isoshard::sim {

/// Which devices hold the same: classes, numbered in the order of their first devices.
struct Partition {
  std::vector<uint32_t> class_of;  ///< by position
  std::vector<uint32_t> first;     ///< by class: its first device

  size_t count() const { return first.size(); }
  size_t devices() const { return class_of.size(); }
};

/// The partitions of a run's devices; equal ones are one object, which stays where it is.
class Partitions {
 public:
  explicit Partitions(size_t devices);

  /// All devices hold the same.
  const Partition& together() const { return *together_; }
  /// Each its own.
  const Partition& apart() const { return *apart_; }
  /// Devices with equal numbers hold the same.
  const Partition& by(std::span<const int64_t> numbers);
  /// Those hold the same that do in both.
  const Partition& meet(const Partition& a, const Partition& b);

 private:
  const Partition& intern(std::vector<uint32_t> labels);

  std::unordered_multimap<uint64_t, std::unique_ptr<const Partition>> all_;  ///< by hash
  std::map<std::pair<const Partition*, const Partition*>, const Partition*> meets_;
  const Partition* together_;
  const Partition* apart_;
};

}  // namespace isoshard::sim
