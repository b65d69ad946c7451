// Makes a Plan of the lines of a file. Numbers of instructions need not be dense: their order is the issue order, and
// ids follow it. Values belong to a group. A queue may read what another one, printed below it, defines; so all results
// of a group are declared first and operands looked up then. What loops define has the types of what they are given,
// which therefore stands above them. Whether a value may be read where it is read is for verify_plan to say. Cost: a
// sort of the instructions, and one walk.
#include "core/text/plan/read/link_plan.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/ir/types/size_limit.h"
#include "core/text/syntax/suggest.h"

namespace isoshard::text {
namespace {

constexpr size_t kMostErrors = 20;
constexpr size_t kMostQueues = 10'000'000;  ///< of all blocks, sixty bytes each

class Linker {
 public:
  Linker(const PlanHeader& header, const Scope& scope) : header_(header), scope_(scope) {
    result_.plan = header.file.plan;
  }

  std::optional<LinkedPlan> run(const std::vector<GroupLines>& groups) {
    for (const GroupLines& group : groups) collect(group.blocks);
    if (blocks_ * header_.queues.size() > kMostQueues) {
      error("L-limit", Span{},
            "the Plan has " + std::to_string(blocks_) + " blocks and " + std::to_string(header_.queues.size()) +
                " queues; expected at most " + std::to_string(kMostQueues) + " queues of all blocks");
      return std::nullopt;
    }
    number();
    for (const GroupLines& group : groups) {
      if (errors_ >= kMostErrors) break;
      names_.clear();
      pending_.clear();
      std::vector<isoshard::Block> made = blocks(group.blocks);
      for (const auto& [id, line] : pending_) fill(id, *line);
      result_.plan.groups.push_back(RankGroup{group.name, group.positions, std::move(made)});
    }
    if (errors_ > 0) return std::nullopt;
    for (const NewInstruction& instruction : made_) plan().instructions.add(instruction);
    return std::move(result_);
  }

 private:
  /// A value and where it is defined.
  struct Known {
    PlanValueId id;
    Span span;
  };

  Plan& plan() { return result_.plan; }

  void error(const char* rule, const Span& span, std::string message) {
    if (++errors_ <= kMostErrors) scope_.error(rule, span, std::move(message));
  }

  // Instructions.

  void collect(const std::vector<BlockLines>& list) {
    for (const BlockLines& block : list) {
      ++blocks_;
      if (block.loop) collect(block.loop->body);
      for (const auto* queues : {&block.queues, &block.called}) {
        for (const QueueLines& queue : *queues) {
          for (const InstructionLine& line : queue.lines) lines_.push_back(&line);
        }
      }
    }
  }

  void number() {
    std::stable_sort(lines_.begin(), lines_.end(), [](const auto* a, const auto* b) { return a->number < b->number; });
    for (size_t i = 0; i < lines_.size(); ++i) {
      const InstructionLine& line = *lines_[i];
      result_.numbers.push_back(line.number);
      if (!ids_.emplace(line.number, InstructionId(i)).second) {
        error("E-duplicate", line.span,
              "there are two instructions #" + std::to_string(line.number) +
                  "; expected a number of its own, which says when it is issued");
      }
    }
    made_.resize(lines_.size());
  }

  void fill(InstructionId id, const InstructionLine& line) {
    NewInstruction& made = made_[id.index()];
    made.operands = find(line.operands);
    made.last_uses = frees(line.frees);
    for (const TokenLine& token : line.waits) {
      const auto known = ids_.find(token.number);
      if (known == ids_.end()) {
        error("L-token", token.span, "there is no instruction #" + std::to_string(token.number) + " to wait for");
        continue;
      }
      made.waits.push_back({known->second, token.previous});
    }
  }

  // Values.

  PlanValueId define(const Word& name, TensorType type) {
    const PlanValueId id = plan().values.add(std::move(type), name.text);
    const auto [known, is_new] = names_.emplace(name.text, Known{id, name.span});
    if (!is_new) {
      error("E-duplicate", name.span,
            "%" + name.text + " is defined twice in this group, first in line " +
                std::to_string(known->second.span.line) + "; expected a new name");
    }
    return id;
  }

  /// The value; an invalid id after an error.
  PlanValueId find(const Word& name) {
    const auto known = names_.find(name.text);
    if (known != names_.end()) return known->second.id;
    std::vector<std::string> all;
    for (const auto& [other, value] : names_) all.push_back(other);
    std::sort(all.begin(), all.end());
    error("E-undefined", name.span,
          "there is no value %" + name.text + " here" + suggestion(name.text, all, "%", "values"));
    return {};
  }

  std::vector<PlanValueId> find(const std::vector<Word>& names) {
    std::vector<PlanValueId> ids;
    for (const Word& name : names) ids.push_back(find(name));
    return ids;
  }

  std::vector<PlanValueId> frees(const std::vector<Word>& names) {
    result_.frees = result_.frees || !names.empty();
    return find(names);
  }

  // Blocks.

  std::vector<isoshard::Block> blocks(const std::vector<BlockLines>& list) {
    std::vector<isoshard::Block> made;
    for (const BlockLines& lines : list) {
      isoshard::Block block;
      if (lines.loop) {
        block.repeat = repeat(*lines.loop);
      } else {
        block.queues.resize(header_.queues.size());
        for (size_t q = 0; q < block.queues.size(); ++q) block.queues[q].name = header_.queues[q];
        for (const QueueLines& queue : lines.queues) declare(queue, block.queues[queue.queue.index()]);
        for (const QueueLines& queue : lines.called) declare(queue, block.queues[queue.queue.index()]);
        if (!lines.called.empty()) put_between(lines, block.queues);
      }
      block.last_uses = frees(lines.frees);
      made.push_back(std::move(block));
    }
    return made;
  }

  void declare(const QueueLines& lines, Queue& queue) {
    for (const InstructionLine& line : lines.lines) {
      const InstructionId id = ids_.at(line.number);
      NewInstruction& made = made_[id.index()];
      made = line.instruction;
      for (size_t i = 0; i < line.results.size(); ++i) made.results.push_back(define(line.results[i], line.types[i]));
      queue.instructions.push_back(id);
      pending_.emplace_back(id, &line);
    }
  }

  /// What calls have put behind the lines of their queues, to where it belongs; those lines keep their order, which is
  /// for verify_plan to judge.
  void put_between(const BlockLines& lines, std::vector<Queue>& queues) {
    std::vector<std::ptrdiff_t> written(queues.size());
    for (const QueueLines& queue : lines.queues) {
      written[queue.queue.index()] += static_cast<std::ptrdiff_t>(queue.lines.size());
    }
    for (size_t q = 0; q < queues.size(); ++q) {
      std::vector<InstructionId>& ids = queues[q].instructions;
      std::vector<InstructionId> merged;
      const auto called = ids.begin() + written[q];
      std::sort(called, ids.end());
      auto next = called;
      for (auto id = ids.begin(); id != called; ++id) {
        while (next != ids.end() && *next < *id) merged.push_back(*next++);
        merged.push_back(*id);
      }
      merged.insert(merged.end(), next, ids.end());
      ids = std::move(merged);
    }
  }

  TensorType type_of(PlanValueId id) { return id.valid() ? plan().value(id).type() : TensorType{}; }

  Repeat repeat(const LoopLines& lines) {
    Repeat loop;
    loop.count = lines.count;
    loop.ahead = lines.ahead;
    loop.location = lines.location;
    loop.call = lines.call;
    for (const BindingLine& carry : lines.carries) {
      loop.initial.push_back(find(carry.outside));
      loop.arguments.push_back(define(carry.inside, type_of(loop.initial.back())));
    }
    for (const BindingLine& slice : lines.slices) {
      loop.stacked.push_back(find(slice.outside));
      loop.slices.push_back(define(slice.inside, slice_of(slice.outside, loop.stacked.back())));
    }
    loop.body = blocks(lines.body);
    loop.yields = find(lines.yields);
    loop.parts = find(lines.parts);
    if (lines.results.size() != loop.yields.size() + loop.parts.size() || loop.yields.size() != loop.initial.size()) {
      error("L-loop", lines.span,
            "the repeat takes " + std::to_string(loop.initial.size()) + " values, yields " +
                std::to_string(loop.yields.size()) + ", stacks " + std::to_string(loop.parts.size()) + " and has " +
                std::to_string(lines.results.size()) +
                " results; expected a yield for each value taken, and a result for each yield and stack");
      return loop;
    }
    for (size_t i = 0; i < loop.yields.size(); ++i) {
      loop.results.push_back(define(lines.results[i], type_of(loop.initial[i])));
    }
    for (size_t i = 0; i < loop.parts.size(); ++i) {
      const Word& name = lines.results[loop.yields.size() + i];
      loop.stacks.push_back(define(name, stack_of(name, loop.count, loop.parts[i])));
    }
    return loop;
  }

  TensorType slice_of(const Word& name, PlanValueId stacked) {
    TensorType type = type_of(stacked);
    if (!type.shape.empty()) return Scan::slice(std::move(type));
    if (stacked.valid()) {
      error("L-loop", name.span,
            "%" + name.text + " is " + to_string(type) + "; expected a dimension to take slices of");
    }
    return type;
  }

  TensorType stack_of(const Word& name, int64_t count, PlanValueId part) {
    const TensorType type = Scan{count, 0}.stack(type_of(part));
    if (is_countable(type.shape)) return type;
    error("E-size", name.span, "%" + name.text + " is " + to_string(type) + "; expected at most 2^40 elements");
    return type_of(part);
  }

  const PlanHeader& header_;
  const Scope& scope_;
  LinkedPlan result_;
  std::vector<const InstructionLine*> lines_;
  std::vector<NewInstruction> made_;                ///< of these lines
  std::unordered_map<int64_t, InstructionId> ids_;  ///< by the number that is written
  std::unordered_map<std::string, Known> names_;    ///< of the group
  std::vector<std::pair<InstructionId, const InstructionLine*>> pending_;
  size_t errors_ = 0;
  size_t blocks_ = 0;
};

}  // namespace

std::optional<LinkedPlan> link_plan(const PlanHeader& header, const std::vector<GroupLines>& groups,
                                    const Scope& scope) {
  return Linker(header, scope).run(groups);
}

}  // namespace isoshard::text
