// Finds reversals of rows that need not be made: where a scan reads rows of a reversed array, or all that is done with
// the rows that it stacks is to reverse them, the engine takes or puts rows from the end instead. Backward programs are
// full of these, as a scan runs backward over what the forward one has saved. It counts how often each value is read,
// and how often as rows. Cost: one walk over the Plan.
#include "sim/engine/engine_rows.h"

#include <cstddef>
#include <span>
#include <variant>

namespace isoshard::sim {
namespace {

/// The result of an instruction that reverses rows and nothing else, otherwise an invalid id.
PlanValueId reversed_rows(const Instruction& instruction) {
  const auto* local = std::get_if<LocalOp>(&instruction.data());
  const Reverse* op = local == nullptr ? nullptr : std::get_if<Reverse>(&local->op);
  return op != nullptr && op->dims == std::vector<int64_t>{0} ? instruction.results[0] : PlanValueId();
}

/// Per value how often it is read, and how often as rows of a repeat.
struct RowUses {
  explicit RowUses(const Plan& plan)
      : all(plan.values.size()), as_rows(plan.values.size()), stacks(plan.values.size()) {
    for (const Instruction& instruction : plan.instructions) add(instruction.operands, all);
    for (const RankGroup& group : plan.groups) add_repeats(group.blocks);
  }

  static void add(std::span<const PlanValueId> ids, std::vector<size_t>& counts) {
    for (const PlanValueId id : ids) ++counts[id.index()];
  }
  void add_repeats(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      if (!block.repeat) continue;
      const Repeat& repeat = *block.repeat;
      for (const auto* ids : {&repeat.initial, &repeat.yields, &repeat.stacked, &repeat.parts}) add(*ids, all);
      add(repeat.stacked, as_rows);
      if (repeat.count > 0) add(repeat.stacks, stacks);
      add_repeats(repeat.body);
    }
  }

  std::vector<size_t> all, as_rows;
  std::vector<size_t> stacks;  ///< 1 where parts are stacked
};

}  // namespace

BackwardRows::BackwardRows(const Plan& plan) : taken_(plan.values.size()), put_(plan.values.size()) {
  const RowUses uses(plan);
  for (const Instruction& instruction : plan.instructions) {
    const PlanValueId result = reversed_rows(instruction);
    if (!result.valid()) continue;
    const size_t r = result.index(), x = instruction.operands[0].index();
    taken_[r] = uses.as_rows[r] > 0 && uses.as_rows[r] == uses.all[r];
    put_[x] = !taken_[r] && uses.stacks[x] > 0 && uses.all[x] == 1;
  }
}

}  // namespace isoshard::sim
