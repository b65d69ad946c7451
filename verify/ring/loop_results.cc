#include "verify/ring/loop_results.h"

#include <utility>

namespace isoshard::verify {
namespace {

class LoopResults {
 public:
  explicit LoopResults(const Plan& plan) : plan_(plan), uses_(plan.values.size(), 0) {
    for (const Instruction& i : plan.instructions) {
      for (const PlanValueId id : i.operands) ++uses_[id.index()];
    }
  }

  std::vector<PlanValueId> find() {
    for (const RankGroup& group : plan_.groups) look_into(group.blocks);
    return std::move(found_);
  }

 private:
  /// Whether there are loops among `blocks`.
  bool look_into(const std::vector<Block>& blocks) {
    bool any = false;
    for (const Block& block : blocks) {
      if (!block.repeat) continue;
      any = true;
      if (!look_into(block.repeat->body)) take(*block.repeat);
    }
    return any;
  }

  void take(const Repeat& innermost) {
    for (size_t c = 0; c < innermost.arguments.size(); ++c) {
      const PlanValueId start = innermost.arguments[c], end = innermost.yields[c];
      if (end == start || uses_[start.index()] < 2 || !is_float(plan_.value(end).type().dtype)) continue;
      found_.push_back(end);
    }
  }

  const Plan& plan_;
  std::vector<int> uses_;  ///< per value, by instructions
  std::vector<PlanValueId> found_;
};

}  // namespace

std::vector<PlanValueId> find_loop_results(const Plan& plan) { return LoopResults(plan).find(); }

}  // namespace isoshard::verify
