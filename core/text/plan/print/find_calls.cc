// Finds the calls of a Plan that its text can have as functions. An instruction knows the calls that it stands in, and
// micro-batches tell apart by their action what they share; so a call in the text is all instructions and loops of one
// list of blocks with one call and one action. Two calls have one function where their bodies are the same text, once
// what comes from outside is counted by its first use: this compares all that a Plan holds but locations, and needs no
// trust in names. Outer calls are looked at first, and what stands in them only where no function takes it; a function
// has to make the text shorter. Cost: the length of the text per level of calls.
#include "core/text/plan/print/find_calls.h"

#include <algorithm>
#include <compare>
#include <map>
#include <optional>
#include <span>
#include <unordered_map>
#include <utility>

#include "core/text/plan/print/defined_values.h"
#include "core/text/plan/print/function_names.h"
#include "core/text/plan/print/print_blocks.h"
#include "core/text/plan/print/unique_names.h"

namespace isoshard::text {
namespace {

/// `1F0.stage.2`: the action and the name of a call, as far as it has them.
std::string call_name(const Plan& plan, CallId id, ActionId action) {
  const PlanCall& call = plan.calls[id.index()];
  if (!call.in_action || !action.valid()) return call.name;
  const std::string text = schedule::to_string(plan.action(action).action);
  return call.name.empty() ? text : text + "." + call.name;
}

/// What values are called without the name of the innermost call that makes them.
std::vector<std::string> results_of(const Plan& plan, const CallLine& line) {
  UniqueNames names;
  std::vector<std::string> results;
  visit_defined_values(plan, line.body, [&](std::span<const PlanValueId> ids, CallId call) {
    const std::string front = call.valid() ? dotted_name(call_name(plan, call, line.action)) + "." : "";
    for (const PlanValueId id : ids) {
      std::string name = dotted_name(plan.value(id).name());
      if (name.size() > front.size() && name.starts_with(front)) name.erase(0, front.size());
      results.push_back(names.add(name, "."));
    }
  });
  return results;
}

/// How many lines the blocks are, and how many of these name their queues.
struct LineCount {
  size_t all = 0, heads = 0;
};

LineCount line_count(const std::vector<isoshard::Block>& blocks) {
  LineCount result;
  for (const isoshard::Block& block : blocks) {
    for (const Queue& queue : block.queues) {
      if (queue.instructions.empty()) continue;
      ++result.heads;
      result.all += 1 + queue.instructions.size();
    }
    if (block.repeat) result.all += 3 + line_count(block.repeat->body).all;
  }
  return result;
}

class CallFinder {
 public:
  explicit CallFinder(const Plan& plan) : plan_(plan), line_of_(plan.instructions.size(), PlanCalls::kNone) {
    for (const PlanCall& call : plan.calls) {
      // An outer call was begun before those in it.
      chains_.push_back(call.outer.valid() ? chains_[call.outer.index()] : std::vector<CallId>());
      chains_.back().push_back(CallId(chains_.size() - 1));
      deepest_ = std::max(deepest_, chains_.back().size());
    }
  }

  PlanCalls run() {
    for (depth_ = 0; depth_ < deepest_; ++depth_) {
      found_.clear();
      for (group_ = 0; group_ < plan_.groups.size(); ++group_) collect(plan_.groups[group_].blocks);
      decide();
    }
    name_functions();
    return {std::move(functions_), std::move(lines_), std::move(line_of_)};
  }

 private:
  /// What is one line in the text: all with one call and one action.
  struct Key {
    CallId call;
    ActionId action;
    auto operator<=>(const Key&) const = default;
  };

  /// The call at this depth that the instruction is part of, as far as no outer one has a function.
  std::optional<Key> key_of(InstructionId id) const {
    const Instruction& instruction = plan_.instruction(id);
    if (!instruction.call().valid() || line_of_[id.index()] != PlanCalls::kNone) return std::nullopt;
    const std::vector<CallId>& chain = chains_[instruction.call().index()];
    if (chain.size() <= depth_) return std::nullopt;
    return Key{chain[depth_], instruction.action};
  }

  /// The call at this depth that the whole loop is part of.
  std::optional<Key> key_of(const Repeat& loop) const {
    if (!loop.call.valid() || chains_[loop.call.index()].size() <= depth_) return std::nullopt;
    std::optional<Key> result;
    bool alike = true;
    visit_instructions(loop.body, [&](InstructionId id) {
      const std::optional<Key> key = key_of(id);
      alike = alike && key && key->call == chains_[loop.call.index()][depth_] && (!result || *key == *result);
      result = key;
    });
    return alike ? result : std::nullopt;
  }

  /// Calls at this depth.
  void collect(const std::vector<isoshard::Block>& list) {
    std::map<Key, size_t> known;
    const auto add = [&](const Key& key, size_t b) {
      const auto [place, is_new] = known.emplace(key, found_.size());
      if (is_new) {
        found_.emplace_back();
        CallLine& line = found_.back();
        line.group = group_, line.call = key.call, line.action = key.action;
        line.list = &list, line.first_block = b;
      }
      found_[place->second].last_block = b;
    };
    for (size_t b = 0; b < list.size(); ++b) {
      for (const Queue& queue : list[b].queues) {
        for (const InstructionId id : queue.instructions) {
          if (const std::optional<Key> key = key_of(id)) add(*key, b);
        }
      }
      if (!list[b].repeat) continue;
      if (const std::optional<Key> key = key_of(*list[b].repeat)) {
        add(*key, b);
      } else {
        collect(list[b].repeat->body);
      }
    }
  }

  /// Fills in what the call has of its blocks; whether it can be one line: no other blocks and loops stand in between,
  /// and lines of its first and last block go where their numbers say.
  bool complete(CallLine& line) const {
    const Key key{line.call, line.action};
    bool good = true;
    for (size_t b = line.first_block; b <= line.last_block; ++b) {
      isoshard::Block block = (*line.list)[b];
      if (block.repeat) good = good && key_of(*block.repeat) == key;
      for (Queue& queue : block.queues) {
        const auto theirs = std::stable_partition(queue.instructions.begin(), queue.instructions.end(),
                                                  [&](InstructionId id) { return key_of(id) == key; });
        good = good && (theirs == queue.instructions.end() || b == line.first_block || b == line.last_block);
        queue.instructions.erase(theirs, queue.instructions.end());
      }
      if (b == line.last_block && !block.repeat) block.last_uses.clear();
      line.body.push_back(std::move(block));
    }
    std::vector<InstructionId> own;
    visit_instructions(line.body, [&](InstructionId id) { own.push_back(id); });
    line.first = *std::min_element(own.begin(), own.end());
    return good && own.size() > 1;
  }

  void decide() {
    std::unordered_map<std::string, std::vector<size_t>> alike;
    for (size_t i = 0; i < found_.size(); ++i) {
      const std::string text = complete(found_[i]) ? text_of(found_[i]) : "";
      if (!text.empty()) alike[text].push_back(i);
    }
    std::vector<const std::pair<const std::string, std::vector<size_t>>*> in_order;
    for (const auto& entry : alike) in_order.push_back(&entry);
    std::sort(in_order.begin(), in_order.end(), [](auto* a, auto* b) { return a->second[0] < b->second[0]; });
    for (const auto* entry : in_order) {
      const auto known = texts_.find(entry->first);
      if (known == texts_.end() && !is_worth_it(entry->second)) continue;
      const size_t function = known == texts_.end() ? functions_.size() : known->second;
      if (known == texts_.end()) {
        functions_.push_back({{}, results_of(plan_, found_[entry->second[0]]), lines_.size()});
        texts_.emplace(entry->first, function);
      }
      for (const size_t i : entry->second) add(found_[i], function);
    }
  }

  /// Whether the text is shorter with a function: its head, end and an empty line, its lines, and one for each call.
  /// Without one, calls share what names their queues.
  bool is_worth_it(const std::vector<size_t>& calls) const {
    const LineCount count = line_count(found_[calls[0]].body);
    return calls.size() * (count.all - count.heads) > calls.size() + count.all + 3;
  }

  void add(CallLine& line, size_t function) {
    line.function = function;
    line.name = dotted_name(call_name(plan_, line.call, line.action));
    const auto number = static_cast<uint32_t>(lines_.size());
    visit_instructions(line.body, [&](InstructionId id) { line_of_[id.index()] = number; });
    CallFunction& of = functions_[function];
    if (of.example == lines_.size() || line.first < lines_[of.example].first) of.example = lines_.size();
    lines_.push_back(std::move(line));
  }

  /// The body of a function, with parameters and queues as numbers; nothing where it names a loop around the call,
  /// which stands for another one in each place.
  std::string text_of(CallLine& line) const {
    const std::vector<std::string> results = results_of(plan_, line), numbers;
    FunctionNames names(plan_, line, results, numbers, numbers);
    BlockPrinter printer(plan_, names, nullptr);
    std::string text = printer.print(line.body, "");
    line.arguments = names.arguments();
    line.given = names.given();
    return printer.names_outer_loop() ? "" : text;
  }

  /// By the order in which they are called first.
  void name_functions() {
    std::vector<size_t> order(functions_.size());
    for (size_t f = 0; f < order.size(); ++f) order[f] = f;
    const auto example = [&](size_t f) -> const CallLine& { return lines_[functions_[f].example]; };
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return example(a).first < example(b).first; });
    UniqueNames names;
    std::vector<CallFunction> sorted;
    std::vector<size_t> place(order.size());
    for (const size_t f : order) {
      functions_[f].name = names.add(dotted_name(plan_.calls[example(f).call.index()].function), ".");
      place[f] = sorted.size();
      sorted.push_back(std::move(functions_[f]));
    }
    for (CallLine& line : lines_) line.function = place[line.function];
    functions_ = std::move(sorted);
  }

  const Plan& plan_;
  std::vector<CallFunction> functions_;
  std::vector<CallLine> lines_;
  std::vector<uint32_t> line_of_;
  std::vector<std::vector<CallId>> chains_;  ///< by call: those it stands in, outermost first, and itself
  size_t deepest_ = 0, depth_ = 0, group_ = 0;
  std::vector<CallLine> found_;  ///< at this depth
  std::unordered_map<std::string, size_t> texts_;
};

}  // namespace

PlanCalls find_calls(const Plan& plan) { return CallFinder(plan).run(); }

}  // namespace isoshard::text
