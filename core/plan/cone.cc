// What a set of instructions depends on: all instructions and values from which theirs come. Instructions are walked
// from the last to the first, since values are computed before they are read. Loops and meetings break that order: a
// carry depends on what the iteration before yielded, and a collective on what other groups of ranks bring to it. So
// the walk is repeated until nothing is new. The cone is never too small; of loops it takes every carry that is read.
// Cost: the Plan, times the depth of such dependencies.
#include "core/plan/cone.h"

#include "core/plan/exchanges.h"

namespace isoshard {
namespace {

void collect_repeats(const std::vector<Block>& blocks, std::vector<const Repeat*>& out) {
  for (const Block& block : blocks) {
    if (!block.repeat) continue;
    collect_repeats(block.repeat->body, out);
    out.push_back(&*block.repeat);
  }
}

/// Marks what values of loops are made of: carries, slices, parts; true when something is new.
bool need_through(const std::vector<const Repeat*>& repeats, std::vector<bool>& needed) {
  bool changed = false;
  const auto need = [&](const std::vector<PlanValueId>& from, const std::vector<PlanValueId>& to) {
    for (size_t i = 0; i < from.size(); ++i) {
      if (!needed[from[i].index()] || needed[to[i].index()]) continue;
      needed[to[i].index()] = true;
      changed = true;
    }
  };
  for (const Repeat* repeat : repeats) {
    need(repeat->results, repeat->yields);
    need(repeat->results, repeat->initial);  // after 0 iterations
    need(repeat->arguments, repeat->yields);
    need(repeat->arguments, repeat->initial);
    need(repeat->slices, repeat->stacked);
    need(repeat->stacks, repeat->parts);
  }
  return changed;
}

}  // namespace

std::vector<const Repeat*> repeats_of(const Plan& plan) {
  std::vector<const Repeat*> repeats;
  for (const RankGroup& group : plan.groups) collect_repeats(group.blocks, repeats);
  return repeats;
}

Cone cone_of(const Plan& plan, const std::vector<bool>& roots) {
  Cone cone{roots, std::vector<bool>(plan.values.size(), false)};
  const Exchanges exchanges(plan);
  bool met = false;
  const std::vector<const Repeat*> repeats = repeats_of(plan);
  do {
    met = false;
    for (size_t i = plan.instructions.size(); i-- > 0;) {
      const Instruction& instruction = plan.instructions[i];
      bool in = cone.instructions[i];
      for (const PlanValueId id : instruction.results) in = in || cone.values[id.index()];
      if (!in) continue;
      cone.instructions[i] = true;
      for (const PlanValueId id : instruction.operands) cone.values[id.index()] = true;
      for (const InstructionId other : exchanges.met_by(InstructionId(i))) {
        met = met || (!cone.instructions[other.index()] && other.index() > i);
        cone.instructions[other.index()] = true;
      }
    }
  } while (need_through(repeats, cone.values) || met);
  return cone;
}

}  // namespace isoshard
