// Prints the blocks of a group or of a function. A call that is one line stands among the lines of its block, or, where
// it holds loops, behind those of its first block; what is left of its last one follows. Cost: the length of the text.
#include "core/text/plan/print/print_blocks.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/text/plan/print/defined_values.h"
#include "core/text/plan/print/print_instruction.h"

namespace isoshard::text {
namespace {

/// Whether only a word tells where a block begins: behind another one, or without instructions.
bool needs_word(const std::vector<isoshard::Block>& list, size_t b) {
  if (b > 0 && !list[b - 1].repeat) return true;
  return std::all_of(list[b].queues.begin(), list[b].queues.end(),
                     [](const Queue& q) { return q.instructions.empty(); });
}

/// The largest number in `loop(2)` of the line; -1: it names no loop.
int64_t outermost_loop(std::string_view line) {
  constexpr std::string_view kWord = "loop(";
  int64_t result = -1;
  for (size_t at = line.find(kWord); at != std::string_view::npos; at = line.find(kWord, at + 1)) {
    int64_t number = 0;
    std::from_chars(line.data() + at + kWord.size(), line.data() + line.size(), number);
    result = std::max(result, number);
  }
  return result;
}

}  // namespace

std::string BlockPrinter::print(const std::vector<isoshard::Block>& list, const std::string& indent) {
  out_.clear();
  blocks(list, indent);
  return std::move(out_);
}

void BlockPrinter::blocks(const std::vector<isoshard::Block>& list, const std::string& indent) {
  bool goes_on = false;  // behind a call that ends in this block
  for (size_t b = 0; b < list.size();) {
    const CallLine* call = call_from(list, b);
    if (list[b].repeat) {
      if (call == nullptr) repeat(list[b], indent);
    } else {
      if (!goes_on && needs_word(list, b)) out_ += indent + "block\n";
      queues(list[b], indent);
      if (call == nullptr && !list[b].last_uses.empty()) out_ += indent + "frees " + values(list[b].last_uses) + "\n";
    }
    if (call != nullptr) out_ += indent + invoke(*call) + "\n";
    goes_on = call != nullptr && !list[call->last_block].repeat;
    b = call == nullptr ? b + 1 : call->last_block + (goes_on ? 0 : 1);
  }
}

/// The call over several blocks, or loops, that begins in this one and is a line of its own.
const CallLine* BlockPrinter::call_from(const std::vector<isoshard::Block>& list, size_t b) const {
  const CallLine* result = nullptr;
  const auto look = [&](InstructionId id) {
    const CallLine* call = calls_->calls.of(id);
    if (call != nullptr && !call->is_in_block() && call->list == &list && call->first_block == b) result = call;
  };
  if (calls_ == nullptr || calls_->calls.lines().empty()) return nullptr;
  for (const Queue& queue : list[b].queues) std::for_each(queue.instructions.begin(), queue.instructions.end(), look);
  if (list[b].repeat) visit_instructions(list[b].repeat->body, look);
  return result;
}

void BlockPrinter::repeat(const isoshard::Block& block, const std::string& indent) {
  const Repeat& loop = *block.repeat;
  std::vector<PlanValueId> results = loop.results;
  results.insert(results.end(), loop.stacks.begin(), loop.stacks.end());
  out_ += indent + values(results) + (results.empty() ? "" : " = ") + "repeat " + std::to_string(loop.count) + " (" +
          bindings(loop.arguments, loop.initial) + ")" +
          (loop.slices.empty() ? "" : " over (" + bindings(loop.slices, loop.stacked) + ")") +
          (loop.ahead == 1 ? "" : " {ahead=" + std::to_string(loop.ahead) + "}") +
          (block.last_uses.empty() ? "" : "  frees " + values(block.last_uses)) + " {\n";
  ++loops_;
  blocks(loop.body, indent + "  ");
  --loops_;
  out_ += indent + "  yield" + (loop.yields.empty() ? "" : " " + values(loop.yields)) +
          (loop.parts.empty() ? "" : " stack " + values(loop.parts)) + "\n" + indent + "}\n";
}

/// `%c = %h, %d = %g`: what stands inside for what outside.
std::string BlockPrinter::bindings(const std::vector<PlanValueId>& inside, const std::vector<PlanValueId>& outside) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < inside.size(); ++i) {
    parts.push_back(names_.value(inside[i]) + " = " + names_.value(outside[i]));
  }
  return comma_list(parts);
}

void BlockPrinter::queues(const isoshard::Block& block, const std::string& indent) {
  for (size_t q = 0; q < block.queues.size(); ++q) {
    std::string lines;
    for (const InstructionId id : block.queues[q].instructions) {
      const CallLine* call = calls_ == nullptr ? nullptr : calls_->calls.of(id);
      if (call == nullptr) lines += indent + "  " + line(id) + "\n";
      if (call != nullptr && call->is_in_block() && call->first == id) lines += indent + "  " + invoke(*call) + "\n";
    }
    if (!lines.empty()) out_ += indent + "queue " + names_.queue(QueueId(q)) + "\n" + lines;
  }
}

std::string BlockPrinter::line(InstructionId id) {
  if (calls_ != nullptr) return print_instruction(plan_, id, names_);
  std::string text = print_in_function(plan_, id, names_);
  names_outer_loop_ = names_outer_loop_ || outermost_loop(text) >= static_cast<int64_t>(loops_);
  return text;
}

/// `#7 %layer.3 = invoke @layer(%x, %w)  action "2F0"  given #3`.
std::string BlockPrinter::invoke(const CallLine& call) {
  std::vector<std::string> given;
  for (const isoshard::Token& token : call.given) given.push_back(names_.token(token));
  return names_.number(call.first) + " " + prefixed('%', calls_->names.call(calls_->calls.index(call))) +
         " = invoke @" + calls_->calls.functions()[call.function].name + enclosed('(', values(call.arguments), ')') +
         print_action(plan_, call.action) + (given.empty() ? "" : "  given " + comma_list(given));
}

std::string BlockPrinter::values(const std::vector<PlanValueId>& ids) {
  std::vector<std::string> parts;
  for (const PlanValueId id : ids) parts.push_back(names_.value(id));
  return comma_list(parts);
}

}  // namespace isoshard::text
