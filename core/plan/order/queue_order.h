#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard {

/// The `index`-th instruction of `queue`.
struct QueuePlace {
  uint32_t queue = 0;
  uint32_t index = 0;
  bool operator==(const QueuePlace&) const = default;
};

/// For each queue that has instructions, in the order of their first, how many have certainly finished; 0 of those
/// that it does not reach.
using QueueClock = std::vector<uint32_t>;

/// The happens-before order of queues, from their own order and tokens, as vector clocks.
///
/// Instructions are added in issue order. Space: instructions x queues that have any.
class QueueOrder {
 public:
  explicit QueueOrder(size_t queues) : lane_(queues, kNoLane) {}

  /// The fewest tokens that order `needs` (instructions added before) before the next instruction of `queue`; what
  /// queue order and earlier tokens imply is left out.
  std::vector<InstructionId> fewest_waits(QueueId queue, const std::vector<InstructionId>& needs) const;
  /// Appends `id` to `queue`, after the instructions `waits` of other queues.
  void add(InstructionId id, QueueId queue, const std::vector<InstructionId>& waits);

  size_t queues() const { return lane_.size(); }
  /// How many were added; the last one has the number one less.
  size_t size() const { return rows_.size(); }
  InstructionId id(size_t number) const { return rows_[number].id; }
  /// Whether the one with this number has certainly finished when the last one starts.
  bool is_before_last(size_t number) const {
    const Row& row = rows_[number];
    return number + 1 < size() && at(finished(rows_.back()), lane_[row.place.queue]) > row.place.index;
  }
  bool contains(InstructionId id) const { return find(id) != kNone; }
  QueuePlace place(InstructionId id) const { return rows_[find(id)].place; }
  /// Whether `earlier` has certainly finished when `later` starts.
  bool is_before(InstructionId earlier, InstructionId later) const {
    const QueuePlace made = place(earlier);
    return earlier != later && at(finished(rows_[find(later)]), lane_[made.queue]) > made.index;
  }
  /// The first instruction in issue order after which all of `uses` have finished, one of them where possible; nothing
  /// when only the end is ordered after all of them.
  std::optional<InstructionId> first_after(const std::vector<InstructionId>& uses) const;

 private:
  static constexpr size_t kNone = static_cast<size_t>(-1);
  static constexpr uint32_t kNoLane = static_cast<uint32_t>(-1);
  struct Row {
    InstructionId id;
    QueuePlace place;
    uint32_t lanes;  ///< of its clock
    size_t clock;    ///< where that begins in clocks_
  };
  using Clock = std::span<const uint32_t>;
  static uint32_t at(Clock clock, uint32_t lane) { return lane < clock.size() ? clock[lane] : 0; }
  size_t find(InstructionId id) const;
  /// What has finished once this instruction has, itself included.
  Clock finished(const Row& row) const { return Clock(clocks_).subspan(row.clock, row.lanes); }
  Clock latest(QueueId queue) const;
  std::optional<InstructionId> first_on(const std::vector<size_t>& lane, const QueueClock& needed) const;

  std::vector<Row> rows_;                   ///< in issue order
  std::vector<uint32_t> clocks_;            ///< of all rows
  QueueClock next_;                         ///< that of the row being added
  std::vector<uint32_t> lane_;              ///< per queue: its place in clocks, or kNoLane
  std::vector<std::vector<size_t>> lanes_;  ///< rows, by place in clocks
};

}  // namespace isoshard
