// Which instructions make a value. An instruction makes its results. What stands for a carried value in a loop was made
// before the loop and then by the iteration before; a slice by what made the whole; what a loop leaves behind, carried
// or stacked, by its last iteration. Followed from name to name until instructions are reached, each name once, so that
// carries that change places end. Cost per question: the names between.
#include "core/plan/value_origins.h"

#include <algorithm>

#include "core/plan/issue_order.h"

namespace isoshard {

ValueOrigins::ValueOrigins(const Plan& plan)
    : made_by_(plan.values.size()), loop_of_(plan.instructions.size(), nullptr) {
  for (size_t i = 0; i < plan.instructions.size(); ++i) {
    for (const PlanValueId id : plan.instructions[i].results) made_by_[id.index()] = InstructionId(i);
  }
  for (const RankGroup& group : plan.groups) add(group.blocks, nullptr, true);
}

void ValueOrigins::add(const std::vector<Block>& blocks, const Repeat* loop, bool runs) {
  for (const Block& block : blocks) {
    for (const auto& [id, queue] : in_issue_order(block)) {
      loop_of_[id.index()] = loop;
      for (const Repeat* l = loop; runs && l != nullptr; l = outer_.at(l)) {
        first_.try_emplace(l, id);
        first_on_.try_emplace({l, queue}, id);
      }
    }
    if (!block.repeat) continue;
    const Repeat* repeat = &*block.repeat;
    outer_[repeat] = loop;
    add(repeat->arguments, Role::argument, repeat);
    add(repeat->slices, Role::slice, repeat);
    add(repeat->results, Role::result, repeat);
    add(repeat->stacks, Role::stack, repeat);
    add(repeat->body, repeat, runs && repeat->count > 0);
  }
}

void ValueOrigins::add(const std::vector<PlanValueId>& ids, Role role, const Repeat* repeat) {
  for (size_t i = 0; i < ids.size(); ++i) places_.emplace(ids[i], Place{role, repeat, i});
}

std::vector<Token> ValueOrigins::of(PlanValueId id) const {
  Visited visited;
  std::vector<Token> tokens;
  collect(id, visited, tokens);
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  return tokens;
}

void ValueOrigins::collect(PlanValueId id, Visited& visited, std::vector<Token>& tokens) const {
  if (made_by_[id.index()].valid()) return tokens.push_back({made_by_[id.index()], false});
  const auto place = places_.find(id);
  if (place == places_.end() || !visited.insert(id).second) return;
  const auto& [role, repeat, i] = place->second;
  const bool runs = repeat->count > 0;
  switch (role) {
    case Role::argument:
      collect(repeat->initial[i], visited, tokens);
      return collect_inside(repeat->yields[i], repeat, true, visited, tokens);
    case Role::slice:
      return collect(repeat->stacked[i], visited, tokens);
    case Role::result:
      if (!runs) return collect(repeat->initial[i], visited, tokens);
      return collect_inside(repeat->yields[i], repeat, false, visited, tokens);
    case Role::stack:
      if (runs) collect_inside(repeat->parts[i], repeat, false, visited, tokens);
  }
}

/// What is behind a loop and was only handed on inside is there when the last iteration has begun.
void ValueOrigins::collect_inside(PlanValueId id, const Repeat* repeat, bool next_iteration, Visited& visited,
                                  std::vector<Token>& tokens) const {
  const size_t before = tokens.size();
  collect(id, visited, tokens);
  const auto first = first_.find(repeat);
  const bool handed_on = !made_by_[id.index()].valid();
  if (!next_iteration && handed_on && first != first_.end()) tokens.push_back({first->second, false});
  for (size_t t = before; t < tokens.size(); ++t) {
    if (is_in(tokens[t].instruction, repeat)) tokens[t].previous = next_iteration;
  }
}

bool ValueOrigins::is_in(InstructionId id, const Repeat* repeat) const {
  const Repeat* loop = loop_of_[id.index()];
  while (loop != nullptr && loop != repeat) loop = outer_.at(loop);
  return loop == repeat;
}

const Repeat* ValueOrigins::common_loop(InstructionId a, InstructionId b) const {
  const Repeat* loop = loop_of_[a.index()];
  while (loop != nullptr && !is_in(b, loop)) loop = outer_.at(loop);
  return loop;
}

}  // namespace isoshard
