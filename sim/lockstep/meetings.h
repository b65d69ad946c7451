#pragma once  // internal

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/plan/plan.h"
#include "sim/lockstep/partition.h"

namespace isoshard::sim {

/// The groups of a communicator, as lists of positions in the order of members.
struct Groups {
  std::vector<std::vector<uint32_t>> members;
  std::vector<uint32_t> group_of;  ///< by position
  std::vector<uint32_t> place_in;  ///< by position: its index among the members
};

/// Who leaves a collective with the same, where its operand is cut into some classes.
struct Meeting {
  const Partition* groups = nullptr;  ///< devices whose groups bring the same in the same order
  const Partition* places = nullptr;  ///< and that have the same place in them
};

/// What collectives are between devices, each looked up once per run.
class Meetings {
 public:
  Meetings(const Plan& plan, Partitions& partitions) : plan_(plan), partitions_(partitions) {}

  /// Null where some device is in no group.
  const Groups* groups(CommunicatorId communicator);
  const Meeting& meeting(CommunicatorId communicator, const Groups& groups, const Partition& operand);

 private:
  std::optional<Groups> find_groups(const Communicator& over) const;
  Meeting find_meeting(const Groups& groups, const Partition& operand);

  const Plan& plan_;
  Partitions& partitions_;
  std::map<CommunicatorId, std::optional<Groups>> groups_;
  std::map<std::pair<CommunicatorId, const Partition*>, Meeting> meetings_;
};

}  // namespace isoshard::sim
