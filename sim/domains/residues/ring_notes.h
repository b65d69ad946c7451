#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>

#include "core/support/rational.h"
#include "sim/domains/residues/opaque_lanes.h"

namespace isoshard::sim {

/// What a ring meets that is beyond it, the first of each kind, and how often it divides by 0. Thread-safe.
class RingNotes {
 public:
  std::string undecided() const;
  void note_undecided(const std::string& what);
  std::optional<Rational> unrepresentable() const;
  void note_unrepresentable(const Rational& constant);
  /// How many denominators were 0 in `lane` so far, over all devices.
  uint64_t non_units(size_t lane) const { return non_units_[lane].load(std::memory_order_relaxed); }
  void note_non_unit(size_t lane) { non_units_[lane].fetch_add(1, std::memory_order_relaxed); }

 private:
  mutable std::mutex mutex_;
  std::string undecided_;
  std::optional<Rational> unrepresentable_;
  std::array<std::atomic<uint64_t>, OpaqueLanes::kMaxLanes> non_units_{};
};

}  // namespace isoshard::sim
