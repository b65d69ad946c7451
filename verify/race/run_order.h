#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/plan/plan.h"
#include "core/support/id_table.h"
#include "verify/race/rank_runs.h"

namespace isoshard::verify {

/// Which runs of a rank have certainly finished when another one starts: by queues, tokens, and `ahead` of loops.
class RunOrder {
 public:
  static constexpr uint32_t kNone = 0xffffffffU;
  /// What an order keeps by the ids of its Plan, to be used for one group after another.
  struct Tables {
    IdTable<QueueId, uint32_t> queue_of{kNone};  ///< of the Plan: of the group
    IdTable<InstructionId, uint32_t> nest_of{};  ///< the loops around; 0: none
    IdTable<InstructionId, uint32_t> last_run{kNone};
  };

  RunOrder(const Plan& plan, const RankGroup& group, const RankRuns& runs, Tables& tables);

  /// Whether run `a` has finished when run `b` starts; behind the last run stands the end, when all have.
  bool is_before(size_t a, size_t b) const {
    return b == places_.size() || (a != b && starts_[b * queues_ + places_[a].queue] > places_[a].index);
  }
  size_t queue(size_t run) const { return places_[run].queue; }
  size_t queues() const { return queues_; }
  /// The number of loops that are around both instructions.
  size_t loops_around_both(InstructionId a, InstructionId b) const;

 private:
  struct Place {
    uint32_t queue = 0;
    uint32_t index = 0;
    uint32_t before = kNone;  ///< the run of the instruction before
  };
  /// A loop at an iteration; what the last run of each queue was at the end of each iteration before.
  struct OpenLoop {
    const Repeat* repeat = nullptr;
    std::vector<std::vector<uint32_t>> ends{};
  };
  using Loops = std::vector<const Repeat*>;
  void note(const std::vector<Block>& blocks, const Loops& around, bool runs);
  void pass(const RankRuns::Mark& mark);
  void start(const Run& run, uint32_t number);
  void join(size_t queue, uint32_t run);
  /// What a token is for, or kNone.
  uint32_t waited_for(const Run& run, const Token& token) const;

  const Plan& plan_;
  const RankRuns& runs_;
  Tables& tables_;
  size_t queues_ = 0;
  std::vector<Loops> nests_;  ///< outermost first
  std::unordered_map<const Repeat*, std::vector<uint32_t>> through_;
  std::vector<Place> places_;
  std::vector<uint32_t> starts_;  ///< per run and queue: so many have finished
  std::vector<uint32_t> done_;    ///< per queue: what has finished when its last run so far has, queue by queue
  std::vector<uint32_t> last_;    ///< per queue, or kNone
  std::vector<OpenLoop> open_;
};

}  // namespace isoshard::verify
