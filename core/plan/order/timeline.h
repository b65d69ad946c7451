#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "core/plan/plan.h"
#include "core/support/id_table.h"

namespace isoshard {

/// Runs of instructions on one rank, in issue order, and which have certainly finished when another one starts: by the
/// order of queues, tokens, and the bound `ahead` of loops. The plan must outlive it.
class Timeline {
 public:
  static constexpr uint32_t kNone = 0xffffffffU;
  /// One run of an instruction.
  struct Moment {
    InstructionId instruction;
    uint32_t queue = 0;       ///< of those that the group uses
    uint32_t index = 0;       ///< on its queue
    uint32_t before = 0;      ///< the run of the instruction before, or kNone
    uint32_t iterations = 0;  ///< where those of the loops around begin in a list of all
    uint32_t loops = 0;       ///< around
  };

  /// What a timeline keeps by the ids of its Plan, to be used for one group after another.
  struct Tables {
    IdTable<QueueId, uint32_t> queue_of{kNone};  ///< of the Plan: of the group
    IdTable<InstructionId, uint32_t> nest_of{};  ///< the loops around; 0: none
    IdTable<InstructionId, uint32_t> last_run{kNone};
  };

  Timeline(const Plan& plan, const RankGroup& group, Tables& tables);

  /// The next run, in the iterations that have begun and not ended.
  size_t add(InstructionId id, QueueId queue);
  void begin_loop(const Repeat& repeat);
  void begin_iteration();
  void end_iteration();
  void end_loop() { runs_.pop_back(); }

  size_t queues() const { return queues_; }
  size_t size() const { return moments_.size(); }
  const Moment& moment(size_t m) const { return moments_[m]; }
  /// Of the loops around, outermost first.
  std::span<const int64_t> iterations(const Moment& moment) const {
    return std::span(iterations_).subspan(moment.iterations, moment.loops);
  }
  size_t at(size_t queue, uint32_t index) const { return on_queue_[queue][index]; }
  /// The first on a queue that is `moment` or later.
  std::optional<size_t> next_on(size_t queue, size_t moment) const;
  /// Per queue, how many runs have finished when this one starts.
  std::span<const uint32_t> started(size_t m) const { return std::span(started_).subspan(m * queues_, queues_); }
  /// The number of loops that are around both.
  size_t common_loops(InstructionId a, InstructionId b) const;

 private:
  using Clock = std::span<uint32_t>;
  using Loops = std::vector<const Repeat*>;
  /// A loop that is being run.
  struct Run {
    const Repeat* repeat = nullptr;
    int64_t iteration = -1;
    size_t begun = 0;                           ///< the first moment of the iteration
    uint32_t iterations = 0;                    ///< where its own and those of the loops around are
    std::vector<std::vector<uint32_t>> done{};  ///< by iteration: the clocks of all queues
  };
  void note(const std::vector<Block>& blocks, Loops around, bool runs);
  void wait_for(Clock clock, const Token& token, InstructionId id) const;
  void finish(Clock clock, size_t m) const;
  /// What has finished once all of a queue so far has.
  Clock now(size_t queue) { return Clock(now_).subspan(queue * queues_, queues_); }

  const Plan& plan_;
  Tables& tables_;
  size_t queues_ = 0;
  std::map<const Repeat*, std::vector<uint32_t>> through_;  ///< queues that go through a loop
  std::vector<Loops> nests_;                                ///< outermost first
  std::vector<Run> runs_;
  std::vector<Moment> moments_;
  std::vector<int64_t> iterations_;
  std::vector<uint32_t> started_;
  std::vector<std::vector<uint32_t>> on_queue_;
  std::vector<uint32_t> now_;
};

}  // namespace isoshard
