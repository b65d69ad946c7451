// Looks, value by value, for what a value of the sharded program is in the reference (docs/spec/diagnosis.md,
// "Counterparts"). Values of constants only have no counterpart, as they would match anything. Otherwise the matcher is
// asked first; what it does not find may be a block whose place follows from its operands (diagonal_blocks.cc), or what
// a load reads. Values of all micro-batches are looked for together. The plan is walked in order, so operands have
// their answers before. Cost: that of the matcher per value.
#include "verify/evidence/examine.h"

#include <algorithm>

#include "verify/evidence/diagonal_blocks.h"
#include "verify/facts/producers.h"

namespace isoshard::verify {
namespace {

bool is_constant(const Instruction& i, const std::vector<char>& constant) {
  const bool local = std::holds_alternative<LocalOp>(i.data());
  return local &&
         std::all_of(i.operands.begin(), i.operands.end(), [&](PlanValueId id) { return constant[id.index()] != 0; });
}

/// On every device, where the trace has its values.
bool holds_numbers(const Trace& trace, const Fingerprinter& fingerprinter, PlanValueId id, int64_t devices) {
  if (!trace.keeps_values() || !trace.computed(id)) return false;
  for (int64_t p = 0; p < devices; ++p) {
    if (!fingerprinter.is_constant(trace.value(id, p))) return false;
  }
  return true;
}

/// Of the values for all micro-batches the first one is looked for together with the others.
std::optional<Match> match_of(const Evidence& e, PlanValueId id) {
  const std::vector<PlanValueId>& all = e.sharded.groups().micro_batches(id);
  if (all.empty() || all[0] == id) return e.matcher.match(id);
  const Match* first = e.match(all[0]);
  if (first == nullptr || !first->micro) return e.matcher.match_alone(id);
  Match match = *first;
  match.micro->index = std::find(all.begin(), all.end(), id) - all.begin();
  return match;
}

}  // namespace

Evidence examine(const Pair& pair, const Trace& sharded, const Trace& reference, const Matcher& matcher,
                 const std::vector<sim::Value>& globals, const sim::Domain& domain) {
  const Plan& plan = pair.sharded.plan;
  Evidence e{pair,
             sharded,
             reference,
             matcher,
             globals,
             domain,
             std::vector<std::optional<Match>>(plan.values.size()),
             std::vector<char>(plan.values.size(), 0),
             definitions(plan),
             made_without_inputs(plan)};
  for (const Instruction& instruction : plan.instructions) {
    for (const PlanValueId id : instruction.results) {
      e.constant[id.index()] =
          is_constant(instruction, e.constant) ||
          holds_numbers(sharded, matcher.fingerprinter(), id, pair.sharded.plan.mesh->device_count());
      if (!sharded.computed(id) || e.constant[id.index()] != 0) continue;
      std::optional<Match>& match = e.matches[id.index()];
      match = match_of(e, id);
      const LoadBlock* load = std::get_if<LoadBlock>(&instruction.data());
      if (!match && load == nullptr) match = match_diagonal_blocks(e, instruction);
      if (!match && load != nullptr) match = matcher.match_load(*load, id);
    }
  }
  return e;
}

}  // namespace isoshard::verify
