// Which instructions make a value. An instruction makes its results. What stands for a carried value in a loop was made
// before the loop and then by the iteration before; a slice by what made the whole; what a loop leaves behind, carried
// or stacked, by its last iteration. Followed from name to name until instructions are reached. Of the loops around who
// asks it is known which outermost one has been left backwards, into an earlier iteration: what is made inside of that
// was made in an iteration before. The same name may be met with and without, and counts as two, each once, so that
// carries that change places end. Cost per question: the names between, times the loops around.
#include "core/plan/order/value_origins.h"

#include <algorithm>

#include "core/plan/order/issue_order.h"

namespace isoshard {

ValueOrigins::ValueOrigins(const Plan& plan) : made_by_(plan.values.size()), instructions_(plan.instructions.size()) {
  for (size_t i = 0; i < plan.instructions.size(); ++i) {
    for (const PlanValueId id : plan.instructions[i].results) made_by_[id.index()] = InstructionId(i);
  }
  for (const RankGroup& group : plan.groups) add(group.blocks, nullptr, true);
}

void ValueOrigins::add(const std::vector<Block>& blocks, const Repeat* loop, bool runs) {
  for (const Block& block : blocks) {
    for (const auto& [id, queue] : in_issue_order(block)) {
      note_loop(id, loop);
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

/// A Plan without loops, as that of a pipeline, needs no table.
void ValueOrigins::note_loop(InstructionId id, const Repeat* loop) {
  if (loop == nullptr && loop_of_.empty()) return;
  loop_of_.resize(instructions_, nullptr);
  loop_of_[id.index()] = loop;
}

void ValueOrigins::add(const std::vector<PlanValueId>& ids, Role role, const Repeat* repeat) {
  for (size_t i = 0; i < ids.size(); ++i) places_.emplace(ids[i], Place{role, repeat, i});
}

std::vector<Token> ValueOrigins::of(PlanValueId id) const {
  Search search{loop_around(id)};
  collect(id, nullptr, search);
  std::vector<Token>& tokens = search.tokens;
  std::sort(tokens.begin(), tokens.end());
  tokens.erase(std::unique(tokens.begin(), tokens.end()), tokens.end());
  return std::move(tokens);
}

const Repeat* ValueOrigins::loop_around(PlanValueId id) const {
  if (made_by_[id.index()].valid()) return loop_of(made_by_[id.index()]);
  const auto place = places_.find(id);
  if (place == places_.end()) return nullptr;
  const bool inside = place->second.role == Role::argument || place->second.role == Role::slice;
  return inside ? place->second.repeat : outer_.at(place->second.repeat);
}

void ValueOrigins::collect(PlanValueId id, const Repeat* crossed, Search& search) const {
  if (made_by_[id.index()].valid()) return add(made_by_[id.index()], crossed, search);
  const auto place = places_.find(id);
  if (place == places_.end() || !search.visited.emplace(id, crossed).second) return;
  const auto& [role, repeat, i] = place->second;
  const bool runs = repeat->count > 0;
  switch (role) {
    case Role::argument: {
      collect(repeat->initial[i], crossed, search);
      const bool around = is_inside(search.asks_in, repeat), further_out = is_inside(crossed, repeat);
      return collect(repeat->yields[i], around && (crossed == nullptr || further_out) ? repeat : crossed, search);
    }
    case Role::slice:
      return collect(repeat->stacked[i], crossed, search);
    case Role::result:
      if (!runs) return collect(repeat->initial[i], crossed, search);
      return collect_last(repeat->yields[i], repeat, crossed, search);
    case Role::stack:
      if (runs) collect_last(repeat->parts[i], repeat, crossed, search);
  }
}

/// What was only handed on inside is there when the last iteration has begun.
void ValueOrigins::collect_last(PlanValueId id, const Repeat* repeat, const Repeat* crossed, Search& search) const {
  collect(id, crossed, search);
  const auto first = first_.find(repeat);
  if (!made_by_[id.index()].valid() && first != first_.end()) add(first->second, crossed, search);
}

void ValueOrigins::add(InstructionId id, const Repeat* crossed, Search& search) const {
  search.tokens.push_back({id, crossed != nullptr && is_in(id, crossed)});
}

bool ValueOrigins::is_inside(const Repeat* loop, const Repeat* repeat) const {
  while (loop != nullptr && loop != repeat) loop = outer_.at(loop);
  return loop == repeat;
}

bool ValueOrigins::is_in(InstructionId id, const Repeat* repeat) const { return is_inside(loop_of(id), repeat); }

const Repeat* ValueOrigins::common_loop(InstructionId a, InstructionId b) const {
  const Repeat* loop = loop_of(a);
  while (loop != nullptr && !is_in(b, loop)) loop = outer_.at(loop);
  return loop;
}

}  // namespace isoshard
