#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "core/plan/plan.h"

namespace isoshard::sim {

/// From `begin` to `end` (inclusive), in places of the compute queue: at place p it is done with the first p of its
/// instructions and loops.
struct PlaceInterval {
  size_t begin = 0, end = 0;
};

/// When each instruction and loop of a list of blocks can be running at the earliest and at the latest, whatever the
/// queues do that tokens leave open.
class ScopeTimes {
 public:
  ScopeTimes(const Plan& plan, const std::vector<Block>& blocks);

  PlaceInterval when(InstructionId id) const { return nodes_[of_instruction_.at(id)].when; }
  /// From the first queue that enters the loop of this block to the last that leaves it; from the start for a loop that
  /// is idle.
  PlaceInterval when(const Block& loop) const;
  /// No queue has anything to do in it, and what it makes is there as soon as what it is made of.
  bool is_idle(const Block& loop) const { return idle_.count(&loop) != 0; }
  /// How many queues go through it.
  size_t queues_through(const Block& loop) const { return of_loop_.at(&loop).size(); }
  /// When the first instruction of `queue` ends that cannot run before a place behind `place`.
  std::optional<size_t> end_of_next(QueueId queue, size_t place) const;
  /// The last place.
  size_t end() const { return end_; }

 private:
  /// An instruction, or what one queue does of a loop.
  struct Node {
    PlaceInterval when;
    bool on_compute = false;
    bool is_loop = false;
    std::optional<size_t> beside{};   ///< of a loop: what compute does of it, if that begins before this one ends
    std::vector<size_t> before{};     ///< nodes that have finished when this one begins
    std::vector<size_t> meanwhile{};  ///< nodes that have finished when this one ends
  };

  size_t add(size_t queue, bool is_loop);
  void add_instructions(const Plan& plan, const Block& block);
  void add_loop(const Plan& plan, const Block& loop);
  void enter_inside(const std::vector<Block>& blocks, const Block& loop, std::vector<InstructionId>& inside);
  void set_times();

  std::vector<Node> nodes_;                                   ///< in issue order
  std::map<InstructionId, size_t> of_instruction_;            ///< of those in loops what their queue does of the loop
  std::map<const Block*, std::map<size_t, size_t>> of_loop_;  ///< by queue
  std::set<const Block*> idle_;
  std::map<size_t, std::vector<size_t>> on_queue_;
  size_t end_ = 0;
};

}  // namespace isoshard::sim
