// The happens-before order of some queues, by vector clocks (C. Fidge 1988, F. Mattern 1989): per instruction,
// how many instructions of each queue have certainly finished once it has. Instructions are added in issue order, so
// that a clock is the maximum of the one before on the queue and of those of its tokens, and one comparison answers
// whether a token is implied. Fewest tokens are found from the latest need back, since a later instruction may imply an
// earlier one and never the other way round. Clocks only grow along a queue, so the first instruction behind some uses
// is found by bisection. Queues get their places in clocks with their first instruction, so that a Plan of many queues,
// of which each group uses a few, has short ones. Space: instructions times queues in use.
#include "core/plan/order/queue_order.h"

#include <algorithm>

#include "core/support/check.h"

namespace isoshard {
namespace {

void join_clock(QueueClock& clock, std::span<const uint32_t> other) {
  if (clock.size() < other.size()) clock.resize(other.size(), 0);
  for (size_t q = 0; q < other.size(); ++q) clock[q] = std::max(clock[q], other[q]);
}

bool covers(std::span<const uint32_t> clock, const QueueClock& needed) {
  for (size_t q = 0; q < needed.size(); ++q) {
    if ((q < clock.size() ? clock[q] : 0) < needed[q]) return false;
  }
  return true;
}

}  // namespace

/// The clock of the queue's last instruction.
QueueOrder::Clock QueueOrder::latest(QueueId queue) const {
  const uint32_t lane = lane_[queue.index()];
  return lane == kNoLane ? Clock() : finished(rows_[lanes_[lane].back()]);
}

size_t QueueOrder::find(InstructionId id) const {
  const auto row =
      std::lower_bound(rows_.begin(), rows_.end(), id, [](const Row& r, InstructionId i) { return r.id < i; });
  return row == rows_.end() || row->id != id ? kNone : static_cast<size_t>(row - rows_.begin());
}

std::vector<InstructionId> QueueOrder::fewest_waits(QueueId queue, const std::vector<InstructionId>& needs) const {
  if (needs.empty()) return {};
  const Clock start = latest(queue);
  QueueClock known(start.begin(), start.end());
  std::vector<size_t> rows;
  for (const InstructionId id : needs) rows.push_back(find(id));
  // From the latest back: a later instruction may imply an earlier one, never the other way round.
  std::sort(rows.rbegin(), rows.rend());
  std::vector<InstructionId> waits;
  for (const size_t i : rows) {
    ISOSHARD_CHECK(i != kNone, "an instruction waits for a later one");
    const Row& row = rows_[i];
    if (row.place.queue == queue.index() || at(known, lane_[row.place.queue]) > row.place.index) continue;
    waits.push_back(row.id);
    join_clock(known, finished(row));
  }
  std::sort(waits.begin(), waits.end());
  return waits;
}

void QueueOrder::add(InstructionId id, QueueId queue, const std::vector<InstructionId>& waits) {
  ISOSHARD_CHECK(rows_.empty() || rows_.back().id < id, "instructions are added in issue order");
  const Clock start = latest(queue);
  next_.assign(start.begin(), start.end());
  for (const InstructionId wait : waits) join_clock(next_, finished(rows_[find(wait)]));
  uint32_t& lane = lane_[queue.index()];
  if (lane == kNoLane) {
    lane = static_cast<uint32_t>(lanes_.size());
    lanes_.emplace_back();
  }
  std::vector<size_t>& own = lanes_[lane];
  const auto index = static_cast<uint32_t>(own.size());
  next_.resize(std::max<size_t>(next_.size(), lane + 1), 0);
  next_[lane] = index + 1;
  own.push_back(rows_.size());
  rows_.push_back(Row{id, {queue.value, index}, static_cast<uint32_t>(next_.size()), clocks_.size()});
  clocks_.insert(clocks_.end(), next_.begin(), next_.end());
}

/// Clocks only grow along a queue, so the first instruction that covers `needed` is found by bisection.
std::optional<InstructionId> QueueOrder::first_on(const std::vector<size_t>& lane, const QueueClock& needed) const {
  const auto found =
      std::partition_point(lane.begin(), lane.end(), [&](size_t row) { return !covers(finished(rows_[row]), needed); });
  if (found == lane.end()) return std::nullopt;
  return rows_[*found].id;
}

std::optional<InstructionId> QueueOrder::first_after(const std::vector<InstructionId>& uses) const {
  QueueClock needed(lanes_.size(), 0);
  for (const InstructionId use : uses) {
    const QueuePlace where = place(use);
    uint32_t& least = needed[lane_[where.queue]];
    least = std::max(least, where.index + 1);
  }
  std::optional<InstructionId> first;
  for (const std::vector<size_t>& lane : lanes_) {
    const std::optional<InstructionId> candidate = first_on(lane, needed);
    if (candidate && (!first || *candidate < *first)) first = candidate;
  }
  return first;
}

}  // namespace isoshard
