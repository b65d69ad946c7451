#pragma once  // internal

#include <cstdint>
#include <optional>
#include <vector>

#include "core/plan/plan.h"
#include "verify/deadlock/folded_ranks.h"
#include "verify/deadlock/meeting_clocks.h"

namespace isoshard::verify {

/// How the queues of a rank go on: all as one, in issue order, or each by itself.
enum class QueueOrdering : uint8_t { launch_order, side_by_side };

/// What a rank does that others take part in, in one iteration.
struct Meeting {
  InstructionId instruction;
  uint32_t iterations = 0;  ///< where those of the loops around begin in GroupMeetings::iterations, outermost first
  uint32_t loops = 0;       ///< how many there are
  uint32_t needs = 0;  ///< where its needs begin in GroupMeetings::needs, which the queue's earlier ones do not imply
  uint32_t need_count = 0;
};

/// The meetings of the ranks of one group, queue by queue in the order in which they begin.
struct GroupMeetings {
  std::vector<std::vector<Meeting>> queues;
  std::vector<std::optional<uint32_t>> queue_of;  ///< per communicator: an index into `queues`
  std::vector<int64_t> iterations;
  std::vector<MeetingNeed> needs;
};

/// Per group of `plan`; nothing where its ranks go through more than `most` steps, all together.
std::optional<std::vector<GroupMeetings>> list_meetings(const Plan& plan, const FoldedRanks& ranks,
                                                        QueueOrdering ordering, double most);

}  // namespace isoshard::verify
