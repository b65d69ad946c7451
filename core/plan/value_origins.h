#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard {

/// Which instructions make a value, through what loops take and hand on. The plan must outlive it.
class ValueOrigins {
 public:
  explicit ValueOrigins(const Plan& plan);

  /// Tokens that order whatever reads `id` after what makes it; those of what a loop hands from one iteration to the
  /// next are of the iteration before.
  std::vector<Token> of(PlanValueId id) const;
  /// The innermost loop that both stand in, or null.
  const Repeat* common_loop(InstructionId a, InstructionId b) const;
  /// Whether an instruction stands in this loop, or in one inside of it.
  bool is_in(InstructionId id, const Repeat* repeat) const;
  /// The first instruction of a queue that is run in a loop; there is one.
  InstructionId first_in(const Repeat* repeat, QueueId queue) const { return first_on_.at({repeat, queue}); }

 private:
  enum class Role : uint8_t { argument, slice, result, stack };
  struct Place {
    Role role;
    const Repeat* repeat;
    size_t index;
  };
  using Visited = std::unordered_set<PlanValueId>;

  void add(const std::vector<Block>& blocks, const Repeat* loop, bool runs);
  void add(const std::vector<PlanValueId>& ids, Role role, const Repeat* repeat);
  void collect(PlanValueId id, Visited& visited, std::vector<Token>& tokens) const;
  /// The tokens of `id`, which is in the body of `repeat`, for what reads it in the next iteration, or behind the loop.
  void collect_inside(PlanValueId id, const Repeat* repeat, bool next_iteration, Visited& visited,
                      std::vector<Token>& tokens) const;

  std::vector<InstructionId> made_by_;                      ///< per value; not valid: a loop defines it
  std::vector<const Repeat*> loop_of_;                      ///< per instruction: the innermost one; null: none
  std::unordered_map<const Repeat*, const Repeat*> outer_;  ///< the loop around; null: none
  std::unordered_map<const Repeat*, InstructionId> first_;  ///< that is run in the loop
  std::map<std::pair<const Repeat*, QueueId>, InstructionId> first_on_;  ///< of each queue
  std::unordered_map<PlanValueId, Place> places_;                        ///< of what loops define
};

}  // namespace isoshard
