// The part of a Plan that some of its outputs need. The cone of their stores, and of asserts, which must not vanish, is
// kept (cone.cc); everything else goes, also carries, slices and stacks of loops that nothing needs, and blocks that
// are empty then. Outputs and instructions are numbered again in the same order, values keep their ids, and tokens and
// last uses are made anew (order_blocks.cc), since they follow from what is there. Cost: linear in the Plan, but for
// the cone.
#include "core/plan/passes/keep_outputs.h"

#include <algorithm>
#include <utility>

#include "core/plan/cone.h"
#include "core/plan/order/set_last_uses.h"
#include "core/plan/order/set_waits.h"

namespace isoshard {
namespace {

/// Instructions that stay whatever reads their results.
std::vector<bool> roots_of(const Plan& plan, const std::vector<bool>& wanted) {
  std::vector<bool> roots(plan.instructions.size(), false);
  for (size_t i = 0; i < roots.size(); ++i) {
    const InstructionData& data = plan.instructions[i].data();
    const StoreBlock* store = std::get_if<StoreBlock>(&data);
    const Collective* collective = std::get_if<Collective>(&data);
    roots[i] = (store != nullptr && wanted[store->output]) ||
               (collective != nullptr && collective->kind == CollectiveKind::assert_equal);
  }
  return roots;
}

class Removal {
 public:
  Removal(Plan plan, const std::vector<bool>& wanted) : plan_(std::move(plan)), wanted_(wanted) {
    cone_ = cone_of(plan_, roots_of(plan_, wanted));
  }

  Plan run() {
    renumber_outputs();
    renumber_instructions();
    for (RankGroup& group : plan_.groups) keep_in(group.blocks);
    set_waits(plan_);
    set_last_uses(plan_);
    return std::move(plan_);
  }

 private:
  bool needed(PlanValueId id) const { return cone_.values[id.index()]; }

  void renumber_outputs() {
    std::vector<Output> outputs;
    new_output_.assign(plan_.outputs.size(), 0);
    for (size_t o = 0; o < plan_.outputs.size(); ++o) {
      new_output_[o] = static_cast<uint32_t>(outputs.size());
      if (wanted_[o]) outputs.push_back(std::move(plan_.outputs[o]));
    }
    plan_.outputs = std::move(outputs);
  }

  void renumber_instructions() {
    const InstructionList all = plan_.instructions;
    plan_.instructions.clear();
    new_id_.resize(all.size());
    for (size_t i = 0; i < all.size(); ++i) {
      if (!cone_.instructions[i]) continue;
      NewInstruction kept = all.copy(InstructionId(i));
      kept.waits.clear();
      if (std::holds_alternative<StoreBlock>(kept.data())) {
        StoreBlock& store = std::get<StoreBlock>(kept.own_data());
        store.output = new_output_[store.output];
      }
      new_id_[i] = plan_.instructions.add(kept);
    }
  }

  void keep_in(std::vector<Block>& blocks) {
    for (Block& block : blocks) {
      if (block.repeat) keep_in(*block.repeat);
      for (Queue& queue : block.queues) keep_in(queue);
    }
    blocks.erase(std::remove_if(blocks.begin(), blocks.end(), &is_empty), blocks.end());
  }

  void keep_in(Queue& queue) const {
    std::vector<InstructionId> kept;
    for (const InstructionId id : queue.instructions) {
      if (cone_.instructions[id.index()]) kept.push_back(new_id_[id.index()]);
    }
    queue.instructions = std::move(kept);
  }

  void keep_in(Repeat& r) {
    keep_in(r.body);
    std::vector<bool> carried, sliced, stacked;
    for (size_t i = 0; i < r.results.size(); ++i) carried.push_back(needed(r.results[i]) || needed(r.arguments[i]));
    for (const PlanValueId id : r.slices) sliced.push_back(needed(id));
    for (const PlanValueId id : r.stacks) stacked.push_back(needed(id));
    for (auto* ids : {&r.initial, &r.arguments, &r.yields, &r.results}) select(carried, *ids);
    for (auto* ids : {&r.stacked, &r.slices}) select(sliced, *ids);
    for (auto* ids : {&r.parts, &r.stacks}) select(stacked, *ids);
  }

  static void select(const std::vector<bool>& which, std::vector<PlanValueId>& ids) {
    std::vector<PlanValueId> kept;
    for (size_t i = 0; i < ids.size(); ++i) {
      if (which[i]) kept.push_back(ids[i]);
    }
    ids = std::move(kept);
  }

  static bool is_empty(const Block& block) {
    if (block.repeat)
      return block.repeat->body.empty() && block.repeat->results.empty() && block.repeat->stacks.empty();
    return std::all_of(block.queues.begin(), block.queues.end(), [](const Queue& q) { return q.instructions.empty(); });
  }

  Plan plan_;
  const std::vector<bool>& wanted_;
  Cone cone_;
  std::vector<uint32_t> new_output_;
  std::vector<InstructionId> new_id_;
};

}  // namespace

Plan keep_outputs(const Plan& plan, const std::vector<bool>& wanted) { return Removal(plan, wanted).run(); }

}  // namespace isoshard
