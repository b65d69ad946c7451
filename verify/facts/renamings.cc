// Values that go on under another id: through the entry, the next iteration and the end of a loop, and by messages
// between rank groups. A fact about values that follows operands stops at these, where no instruction makes the one
// from the other, and so every dataflow of this room closes over them. `earlier_names` is the closure backwards. Cost:
// one pass; the closure one pass per loop that nests in another.
#include "verify/facts/renamings.h"

#include "core/plan/exchanges.h"

namespace isoshard::verify {
namespace {

void collect(const std::vector<Block>& blocks, std::vector<Renaming>& result) {
  const auto pair = [&](const std::vector<PlanValueId>& from, const std::vector<PlanValueId>& to) {
    for (size_t i = 0; i < to.size(); ++i) result.push_back(Renaming{from[i], to[i]});
  };
  for (const Block& block : blocks) {
    if (!block.repeat) continue;
    const Repeat& r = *block.repeat;
    pair(r.initial, r.arguments);
    pair(r.yields, r.arguments);
    pair(r.count == 0 ? r.initial : r.yields, r.results);
    pair(r.stacked, r.slices);
    pair(r.parts, r.stacks);
    collect(r.body, result);
  }
}

}  // namespace

std::set<PlanValueId> earlier_names(PlanValueId id, const std::vector<Renaming>& renamed) {
  std::set<PlanValueId> names{id};
  for (bool grown = true; grown;) {
    grown = false;
    for (const Renaming& r : renamed) {
      if (names.count(r.to) != 0) grown = names.insert(r.from).second || grown;
    }
  }
  return names;
}

std::vector<Renaming> renamings(const Plan& plan) {
  std::vector<Renaming> result;
  for (const RankGroup& group : plan.groups) collect(group.blocks, result);
  const Exchanges exchanges(plan);
  for (size_t i = 0; i < plan.instructions.size() && !exchanges.empty(); ++i) {
    for (const PlanValueId from : exchanges.brought_to(InstructionId(i))) {
      for (const PlanValueId to : plan.instructions[i].results) result.push_back(Renaming{from, to});
    }
  }
  return result;
}

}  // namespace isoshard::verify
