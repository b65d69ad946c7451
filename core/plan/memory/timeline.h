#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard {

/// Runs of instructions on one rank, in issue order, and which have certainly finished when another one starts: by the
/// order of queues, tokens, and the bound `ahead` of loops. The plan must outlive it.
class Timeline {
 public:
  /// One run of an instruction.
  struct Moment {
    InstructionId instruction;
    uint32_t queue = 0;  ///< of those that the group uses
    uint32_t index = 0;  ///< on its queue
    std::vector<int64_t> iterations{};
  };

  Timeline(const Plan& plan, const RankGroup& group);

  /// The next run, in the iterations that have begun and not ended.
  size_t add(InstructionId id, QueueId queue);
  void begin_loop(const Repeat& repeat);
  void begin_iteration();
  void end_iteration();
  void end_loop() { runs_.pop_back(); }

  size_t queues() const { return queues_.size(); }
  size_t size() const { return moments_.size(); }
  const Moment& moment(size_t m) const { return moments_[m]; }
  size_t at(size_t queue, uint32_t index) const { return on_queue_[queue][index]; }
  /// The first on a queue that is `moment` or later.
  std::optional<size_t> next_on(size_t queue, size_t moment) const;
  /// Per queue, how many runs have finished when this one starts.
  std::span<const uint32_t> started(size_t m) const {
    return std::span(started_).subspan(m * queues_.size(), queues_.size());
  }
  /// The number of loops that are around both.
  size_t common_loops(InstructionId a, InstructionId b) const;

 private:
  using Clock = std::vector<uint32_t>;
  /// A loop that is being run.
  struct Run {
    const Repeat* repeat = nullptr;
    int64_t iteration = -1;
    size_t begun = 0;                        ///< the first moment of the iteration
    std::vector<std::vector<Clock>> done{};  ///< by iteration and queue
  };
  void note(const std::vector<Block>& blocks, bool runs);
  void wait_for(Clock& clock, const Token& token, InstructionId id) const;
  void finish(Clock& clock, size_t m) const;

  const Plan& plan_;
  std::unordered_map<uint32_t, uint32_t> queues_;                           ///< of the Plan: of this group
  std::map<const Repeat*, std::vector<uint32_t>> through_;                  ///< queues that go through a loop
  std::unordered_map<InstructionId, std::vector<const Repeat*>> loops_of_;  ///< outermost first
  std::vector<const Repeat*> around_;
  std::vector<Run> runs_;
  std::vector<Moment> moments_;
  std::vector<uint32_t> started_;
  std::vector<std::vector<size_t>> on_queue_;
  std::vector<Clock> now_;  ///< per queue: what has finished once all of it so far has
  std::unordered_map<InstructionId, std::vector<size_t>> of_;
};

}  // namespace isoshard
