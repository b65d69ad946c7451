#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "core/plan/plan.h"
#include "verify/race/rank_runs.h"

namespace isoshard::verify {

/// Which runs of a rank have certainly finished when another one starts: by queues, tokens, and `ahead` of loops.
class RunOrder {
 public:
  RunOrder(const Plan& plan, const RankGroup& group, const RankRuns& runs);

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
  };
  /// A loop at an iteration; what the last run of each queue was at the end of each iteration before.
  struct OpenLoop {
    const Repeat* repeat = nullptr;
    std::vector<std::vector<size_t>> ends{};
  };
  void note(const std::vector<Block>& blocks, const std::vector<const Repeat*>& around, bool runs);
  void pass(const RankRuns::Mark& mark);
  void start(const Run& run, size_t number);
  void join(size_t queue, size_t run);
  const size_t* waited_for(const Run& run, const Token& token) const;

  const Plan& plan_;
  const RankRuns& runs_;
  size_t queues_ = 0;
  std::unordered_map<uint32_t, uint32_t> queue_of_;
  std::unordered_map<InstructionId, std::vector<const Repeat*>> around_;
  std::unordered_map<const Repeat*, std::vector<uint32_t>> through_;
  std::unordered_map<InstructionId, std::vector<size_t>> of_;
  std::vector<Place> places_;
  std::vector<uint32_t> starts_;             ///< per run and queue: so many have finished
  std::vector<std::vector<uint32_t>> done_;  ///< per queue: what has finished when its last run so far has
  std::vector<size_t> last_;                 ///< per queue; all ones: none yet
  std::vector<OpenLoop> open_;
};

}  // namespace isoshard::verify
