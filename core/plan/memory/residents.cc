// What stays on a rank between steps, from loads and stores alone: the blocks of a global that a rank loads are what it
// has to hold when a step begins, and the update of the global is there when the step ends. A rank that stores all that
// it loads has the next step's global already; one that does not needs others. Blocks are evaluated on every
// rank and, in loops, in every iteration, and compared as sets of boxes. Loads and stores are both on the queue
// `compute`, in issue order, so that a store behind all loads may overwrite what they have read. Cost: blocks on all
// ranks, times blocks of a rank.
#include "core/plan/memory/residents.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/plan/block_box.h"
#include "core/plan/order/issue_order.h"
#include "core/plan/renames.h"

namespace isoshard {
namespace {

constexpr double kMostBlocks = 1 << 22;

/// The loads and stores of a group.
class LoadsAndStores {
 public:
  LoadsAndStores(const Plan& plan, const RankGroup& group) : plan_(plan), group_(group) {
    for (const Output& output : plan.outputs) {
      if (output.updates.valid()) updated_.insert(output.updates);
    }
    find(group.blocks, 1);
  }

  double count() const { return count_ * static_cast<double>(group_.size(*plan_.mesh)); }

  std::vector<Resident> residents() {
    for (const auto& [global, behind] : late_) {
      residents_[global] = {global, 0, updated_.contains(global) ? NextStep::stays : NextStep::same, !behind};
    }
    for (int64_t rank = 0; rank < group_.size(*plan_.mesh); ++rank) visit_rank(group_.position(rank));
    std::vector<Resident> result;
    for (auto& [global, resident] : residents_) {
      resident.in_place = resident.in_place && resident.next == NextStep::stays;
      result.push_back(std::move(resident));
    }
    return result;
  }

 private:
  /// Of one rank, by global.
  struct Held {
    std::map<GlobalId, BoxSet> loaded, stored;
    std::map<GlobalId, std::vector<IndexRange>> needed;
  };

  void find(const std::vector<Block>& blocks, double times) {
    for (const Block& block : blocks) {
      for (const auto& [id, queue] : in_issue_order(block)) {
        const InstructionData& data = plan_.instruction(id).data();
        if (const auto* load = std::get_if<LoadBlock>(&data)) {
          late_[load->global] = late_[load->global] || stored_.contains(load->global);
          count_ += times;
        }
        const GlobalId updates = updated_by(data);
        if (updates.valid()) {
          stored_.insert(updates);
          count_ += times;
        }
      }
      if (block.repeat) find_in_loop(*block.repeat, times);
    }
  }

  /// What a loop loads comes behind what it stores, but for the first iteration.
  void find_in_loop(const Repeat& repeat, double times) {
    const double before = count_;
    const std::set<GlobalId> stored = stored_;
    find(repeat.body, times * static_cast<double>(repeat.count));
    if (count_ > before) entered_.insert(&repeat);
    if (stored_ != stored && repeat.count > 1) find(repeat.body, 0);
  }

  /// The global whose update is stored; invalid where none is.
  GlobalId updated_by(const InstructionData& data) const {
    const auto* store = std::get_if<StoreBlock>(&data);
    return store == nullptr ? GlobalId() : plan_.outputs[store->output].updates;
  }

  void visit_rank(int64_t position) {
    Held held;
    visit(group_.blocks, position, held);
    for (auto& [global, resident] : residents_) {
      const double element = bytes_of(TensorType{plan_.globals[global.index()].type.dtype, {}});
      const double bytes = held.loaded[global].size() * element;
      resident.bytes = std::max(resident.bytes, bytes);
      if (resident.next != NextStep::stays) continue;
      for (const IndexRange& box : held.needed[global]) {
        const std::vector<IndexRange> missing = held.stored[global].missing(box);
        if (missing.empty()) continue;
        resident.next = NextStep::moves;
        resident.moved = MovedBlock{position, missing[0]};
        break;
      }
    }
  }

  void visit(const std::vector<Block>& blocks, int64_t position, Held& held) {
    for (const Block& block : blocks) {
      for (const auto& [id, queue] : in_issue_order(block)) note(plan_.instruction(id).data(), position, held);
      if (!block.repeat || !entered_.contains(&*block.repeat)) continue;
      for (int64_t i = 0; i < block.repeat->count; ++i) {
        loops_.push_back(i);
        visit(block.repeat->body, position, held);
        loops_.pop_back();
      }
    }
  }

  void note(const InstructionData& data, int64_t position, Held& held) {
    if (const auto* load = std::get_if<LoadBlock>(&data)) {
      const Shape& whole = plan_.globals[load->global.index()].type.shape;
      IndexRange box = loaded_box(plan_, *load, position, loops_);
      held.loaded[load->global].add(box);
      for (size_t d = 0; d < whole.size(); ++d) box.end[d] = std::min(box.end[d], whole[d]);  // padding is nobody's
      held.needed[load->global].push_back(std::move(box));
    }
    const GlobalId updates = updated_by(data);
    if (!updates.valid()) return;
    const auto& store = std::get<StoreBlock>(data);
    held.stored[updates].add(stored_box(plan_, store, position, loops_));
  }

  const Plan& plan_;
  const RankGroup& group_;
  double count_ = 0;                 ///< blocks that a rank loads and stores
  std::map<GlobalId, bool> late_;    ///< of globals that are loaded: also behind a store of the update
  std::set<GlobalId> stored_;        ///< whose updates the group has stored, up to where it is
  std::set<GlobalId> updated_;       ///< that anybody updates
  std::set<const Repeat*> entered_;  ///< in which something is loaded or stored
  std::map<GlobalId, Resident> residents_;
  std::vector<int64_t> loops_;
};

}  // namespace

std::optional<std::vector<Resident>> residents_of(const Plan& plan, const RankGroup& group) {
  LoadsAndStores all(plan, group);
  if (all.count() > kMostBlocks) return std::nullopt;
  return all.residents();
}

}  // namespace isoshard
