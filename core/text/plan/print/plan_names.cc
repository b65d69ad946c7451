// Names in the text of a Plan. A Plan knows its values by id, and names are for people: inlined functions may share
// them, unrolling makes names with blanks. The text tells values by names, so each gets one that is made of words and
// that no other of its group has; the first one keeps what it is called. Groups keep names in common, since these are
// values of one program. Names that come from a text stay, which makes printing a fixpoint. Values are named in the
// order in which the text defines them, after those of calls, whose names are said by the function. Cost: one walk over
// the Plan.
#include "core/text/plan/print/plan_names.h"

#include <algorithm>
#include <span>

#include "core/plan/order/issue_order.h"
#include "core/text/plan/print/defined_values.h"

namespace isoshard::text {

PlanNames::PlanNames(const Plan& plan, const PlanCalls& calls)
    : values_(plan.values.size()), calls_(calls.lines().size()) {
  size_t queues = 1 + plan.communicators.size();
  for (const RankGroup& group : plan.groups) queues = std::max(queues, isoshard::queue_count(group.blocks));
  queues_.resize(queues);
  UniqueNames queue_names;
  for (const RankGroup& group : plan.groups) add_queues(group.blocks, queue_names);
  for (size_t q = 0; q < queues; ++q) {
    if (queues_[q].empty()) queues_[q] = queue_names.add(q == 0 ? "compute" : "comm", " ");
  }
  std::vector<UniqueNames> value_names(plan.groups.size());
  for (size_t i = 0; i < calls_.size(); ++i) add_call(plan, calls, i, value_names[calls.lines()[i].group]);
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    visit_defined_values(plan, plan.groups[g].blocks, [&](std::span<const PlanValueId> ids, CallId) {
      for (const PlanValueId id : ids) {
        std::string& name = values_[id.index()];
        if (name.empty()) name = value_names[g].add(dotted_name(plan.value(id).name()), ".");
      }
    });
  }
}

void PlanNames::add_queues(const std::vector<isoshard::Block>& blocks, UniqueNames& names) {
  for (const isoshard::Block& block : blocks) {
    if (block.repeat) add_queues(block.repeat->body, names);
    for (size_t q = 0; q < block.queues.size(); ++q) {
      if (queues_[q].empty()) queues_[q] = names.add(q == 0 ? "compute" : plain_name(block.queues[q].name), " ");
    }
  }
}

void PlanNames::add_call(const Plan& plan, const PlanCalls& calls, size_t line, UniqueNames& names) {
  const CallLine& call = calls.lines()[line];
  const std::vector<std::string>& results = calls.results(call);
  const auto is_free = [&](const std::string& name) {
    return std::none_of(results.begin(), results.end(), [&](const auto& r) { return names.is_taken(name + "." + r); });
  };
  do {
    calls_[line] = names.add(call.name, ".");
  } while (!is_free(calls_[line]));
  size_t next = 0;
  visit_defined_values(plan, call.body, [&](std::span<const PlanValueId> ids, CallId) {
    for (const PlanValueId id : ids) values_[id.index()] = names.add(calls_[line] + "." + results[next++], ".");
  });
}

}  // namespace isoshard::text
