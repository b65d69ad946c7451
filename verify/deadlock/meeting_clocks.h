#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/plan/order/value_origins.h"
#include "core/plan/plan.h"

namespace isoshard::verify {

/// So many meetings of another queue of the rank come before.
struct MeetingNeed {
  uint32_t queue = 0;
  uint32_t meetings = 0;
};

/// Which meetings of a rank's queues have certainly finished, while its instructions are gone through in issue order.
class MeetingClocks {
 public:
  /// For the ranks of `group`; `queue_of` numbers the queues that it uses.
  MeetingClocks(const Plan& plan, const ValueOrigins& origins, const RankGroup& group,
                const std::unordered_map<QueueId, uint32_t>& queue_of);

  void begin_iteration(const Repeat& repeat, int64_t iteration);
  void end_iteration(const Repeat& repeat);
  /// `queue` comes to `id`, and waits for what its tokens say.
  void begin(InstructionId id, uint32_t queue);
  /// What the meeting that has begun needs of other queues, beyond what the queue has needed before.
  std::vector<MeetingNeed> needs(uint32_t queue);
  /// The meeting that has begun is over.
  void meet(uint32_t queue) { ++clocks_[queue][queue]; }
  void finish(InstructionId id, uint32_t queue);

 private:
  using Clock = std::vector<uint32_t>;  ///< meetings per queue
  using Queues = std::unordered_map<QueueId, uint32_t>;
  struct Loop {
    std::vector<uint32_t> queues{};                     ///< that go through it
    std::vector<std::pair<size_t, size_t>> previous{};  ///< slots: of the iteration before, and latest
    std::deque<Clock> ends{};                           ///< of the last iterations, all queues together
  };

  void add(const std::vector<Block>& blocks, const Queues& queue_of, std::vector<Loop*>& around);
  void add_tokens(const Plan& plan, const ValueOrigins& origins, const std::vector<Block>& blocks);
  size_t latest(InstructionId id);
  static void join(Clock& clock, const Clock& other);

  std::vector<Clock> clocks_;  ///< per queue: when its latest instruction has finished
  std::vector<Clock> known_;   ///< per queue: what its last meeting needed
  std::vector<Clock> slots_;   ///< what tokens look at
  std::unordered_map<InstructionId, size_t> latest_;
  std::unordered_map<InstructionId, std::vector<size_t>> waits_;
  std::map<const Repeat*, Loop> loops_;
};

}  // namespace isoshard::verify
