#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard {

/// Which instructions make a value, through what loops take and hand on. The plan must outlive it.
class ValueOrigins {
 public:
  explicit ValueOrigins(const Plan& plan);

  /// The instruction with the value among its results; not valid: a loop takes it or hands it on.
  InstructionId made_by(PlanValueId id) const { return made_by_[id.index()]; }

  /// Tokens that order whatever reads `id` after what makes it. Those for what comes from an earlier iteration of a
  /// loop around the reader are of the iteration before; the same instruction may be needed in both ways.
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
  /// The search of one question: for a name in iterations of the loops around who asks, or in earlier ones of
  /// `crossed` and the loops inside of it (null: none).
  struct Search {
    const Repeat* asks_in = nullptr;  ///< the innermost loop around who asks; null: none
    std::set<std::pair<PlanValueId, const Repeat*>> visited{};
    std::vector<Token> tokens{};
  };

  void add(const std::vector<Block>& blocks, const Repeat* loop, bool runs);
  void note_loop(InstructionId id, const Repeat* loop);
  const Repeat* loop_of(InstructionId id) const { return loop_of_.empty() ? nullptr : loop_of_[id.index()]; }
  void add(const std::vector<PlanValueId>& ids, Role role, const Repeat* repeat);
  void collect(PlanValueId id, const Repeat* crossed, Search& search) const;
  /// The tokens of `id`, which the last iteration of `repeat` leaves behind.
  void collect_last(PlanValueId id, const Repeat* repeat, const Repeat* crossed, Search& search) const;
  void add(InstructionId id, const Repeat* crossed, Search& search) const;
  const Repeat* loop_around(PlanValueId id) const;
  /// Whether a loop is this one, or inside of it.
  bool is_inside(const Repeat* loop, const Repeat* repeat) const;

  std::vector<InstructionId> made_by_;                      ///< per value; not valid: a loop defines it
  size_t instructions_;                                     ///< of the Plan
  std::vector<const Repeat*> loop_of_;                      ///< per instruction, or empty: the innermost; null: none
  std::unordered_map<const Repeat*, const Repeat*> outer_;  ///< the loop around; null: none
  std::unordered_map<const Repeat*, InstructionId> first_;  ///< that is run in the loop
  std::map<std::pair<const Repeat*, QueueId>, InstructionId> first_on_;  ///< of each queue
  std::unordered_map<PlanValueId, Place> places_;                        ///< of what loops define
};

}  // namespace isoshard
