// The most bytes that a device holds at once, by walking a group's instructions in issue order and counting what is
// defined and freed (docs/adr/0025-memory-of-a-plan.md). Several values may be names of the same bytes (reshape,
// carries that do not change), so names are counted per root, and bytes leave with the last name. Of a loop one
// iteration is walked that has others before and behind it, which holds most. What is held is listed at the peak only,
// so there are two walks, one to find the place. Dtypes as written, whatever the simulator's domain stores. Cost: two
// walks over the instructions.
#include "core/plan/memory/live_memory.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>

#include "core/plan/order/issue_order.h"
#include "core/plan/renames.h"

namespace isoshard {
namespace {

/// Where the walk is.
struct Place {
  size_t number = 0;  ///< of the places so far
  std::optional<InstructionId> instruction{};
  const Repeat* loop = nullptr;
};

/// What is held; several values may be names of the same bytes.
class Held {
 public:
  explicit Held(const Plan& plan) : plan_(plan) {}

  void define(PlanValueId value, std::optional<GlobalId> global = std::nullopt) {
    const double bytes = bytes_of(plan_.value(value).type());
    bytes_ += bytes;
    root_[value] = value;
    roots_[value] = Root{HeldValue{value, bytes, global}, 1};
  }
  /// `value` is another name of what `of` holds.
  void rename(PlanValueId value, PlanValueId of) {
    const auto known = root_.find(of);
    if (known == root_.end()) return define(value);
    const PlanValueId root = known->second;
    root_[value] = root;
    ++roots_.at(root).names;
  }
  /// What `value` holds stays to the end.
  void keep(PlanValueId value) {
    const auto known = root_.find(value);
    if (known != root_.end() && kept_.insert(known->second).second) ++roots_.at(known->second).names;
  }
  void release(PlanValueId value) {
    const auto known = root_.find(value);
    if (known == root_.end()) return;
    const auto root = roots_.find(known->second);
    root_.erase(known);
    if (--root->second.names > 0) return;
    bytes_ -= root->second.held.bytes;
    roots_.erase(root);
  }

  double bytes() const { return bytes_; }
  std::vector<HeldValue> list() const {
    std::vector<HeldValue> values;
    for (const auto& [id, root] : roots_) values.push_back(root.held);
    std::stable_sort(values.begin(), values.end(),
                     [](const HeldValue& a, const HeldValue& b) { return a.bytes > b.bytes; });
    return values;
  }

 private:
  struct Root {
    HeldValue held;
    size_t names = 0;
  };
  const Plan& plan_;
  double bytes_ = 0;
  std::unordered_map<PlanValueId, PlanValueId> root_;
  std::map<PlanValueId, Root> roots_;
  std::set<PlanValueId> kept_;
};

/// One walk over the blocks of a group. What is held is listed at one place only, known from a walk before.
class Walk {
 public:
  Walk(const Plan& plan, std::optional<size_t> listed) : plan_(plan), held_(plan), listed_(listed) {}

  void run(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      if (block.repeat) {
        loop(block);
      } else {
        queues(block);
      }
    }
  }

  const Place& most() const { return most_; }
  std::vector<MemoryMoment> take_moments() { return std::move(moments_); }
  MemoryPeak peak() const { return peak_; }

 private:
  void queues(const Block& block) {
    for (const auto& [id, queue] : in_issue_order(block)) {
      const Instruction& instruction = plan_.instruction(id);
      const LoadBlock* load = std::get_if<LoadBlock>(&instruction.data());
      for (const PlanValueId result : instruction.results) {
        if (only_renames(instruction)) {
          held_.rename(result, instruction.operands[0]);
        } else {
          held_.define(result, load == nullptr ? std::nullopt : std::optional(load->global));
        }
      }
      look(id);
      if (std::holds_alternative<StoreBlock>(instruction.data())) held_.keep(instruction.operands[0]);
      release(instruction.last_uses);
    }
    release(block.last_uses);
  }

  /// One iteration that has others before and behind it.
  void loop(const Block& block) {
    const Repeat& repeat = *block.repeat;
    const std::vector<PlanValueId> before = enter(block);
    const Repeat* const around = loop_;
    loop_ = &repeat;
    look(std::nullopt);
    if (repeat.count > 0) {
      for (const PlanValueId slice : repeat.slices) held_.define(slice);
      run(repeat.body);
    }
    loop_ = around;
    for (size_t i = 0; i < repeat.results.size(); ++i) {
      held_.rename(repeat.results[i], repeat.count > 0 ? repeat.yields[i] : repeat.arguments[i]);
    }
    for (const auto* ids : {&repeat.arguments, &repeat.slices, &repeat.yields, &repeat.parts, &before}) release(*ids);
  }

  /// Carries take over what they start from where nothing reads that any more; what else the loop frees is returned.
  std::vector<PlanValueId> enter(const Block& block) {
    const Repeat& repeat = *block.repeat;
    const std::set<PlanValueId> stays(repeat.stacked.begin(), repeat.stacked.end());
    const auto changes = [&](size_t i) { return repeat.yields[i] != repeat.arguments[i]; };
    for (size_t i = 0; i < repeat.arguments.size(); ++i) {
      if (!changes(i)) held_.rename(repeat.arguments[i], repeat.initial[i]);
    }
    std::vector<PlanValueId> later;
    for (const PlanValueId id : block.last_uses) {
      const bool starts = std::find(repeat.initial.begin(), repeat.initial.end(), id) != repeat.initial.end();
      if (starts && !stays.contains(id)) {
        held_.release(id);
      } else {
        later.push_back(id);
      }
    }
    for (size_t i = 0; i < repeat.arguments.size(); ++i) {
      if (changes(i)) held_.define(repeat.arguments[i]);
    }
    for (const PlanValueId stack : repeat.stacks) held_.define(stack);
    return later;
  }

  void release(std::span<const PlanValueId> values) {
    for (const PlanValueId value : values) held_.release(value);
  }

  void look(std::optional<InstructionId> instruction) {
    const Place here{places_++, instruction, loop_};
    moments_.push_back({held_.bytes(), instruction, loop_});
    if (held_.bytes() > peak_.bytes) {
      most_ = here;
      peak_ = MemoryPeak{held_.bytes(), 0, here.instruction, here.loop, {}};
    }
    if (listed_ == here.number) list();
  }

  void list() {
    peak_.held = held_.list();
    for (const HeldValue& value : peak_.held) peak_.globals += value.global ? value.bytes : 0;
  }

  const Plan& plan_;
  Held held_;
  std::optional<size_t> listed_;
  size_t places_ = 0;
  const Repeat* loop_ = nullptr;
  Place most_{};
  MemoryPeak peak_{};
  std::vector<MemoryMoment> moments_;
};

}  // namespace

MemoryPeak memory_peak(const Plan& plan, const RankGroup& group) {
  Walk first(plan, std::nullopt);
  first.run(group.blocks);
  Walk second(plan, first.most().number);
  second.run(group.blocks);
  return second.peak();
}

std::vector<MemoryMoment> memory_over_time(const Plan& plan, const RankGroup& group) {
  Walk walk(plan, std::nullopt);
  walk.run(group.blocks);
  return walk.take_moments();
}

}  // namespace isoshard
