// How the values of rank groups make up values of a program. In a pipeline a stage computes a step once per
// micro-batch: its n-th value of one micro-batch belongs to the n-th of another, because an action is lowered alike for
// all (lower_pipeline.cc), and each instruction says which action it is part of. Outside of pipelines all groups
// have the same instructions in the same order, so the n-th value of a name is one value with a part on each group. A
// position that holds nothing of a value is stood for by the one with the same coordinates on the axes that do not tell
// groups apart. Used by diagnosis only. Costs a few maps over all values.
#include "verify/matching/pipeline_values.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "core/schedule/action.h"

namespace isoshard::verify {
namespace {

/// The instructions of a group without loops, in issue order.
std::vector<InstructionId> instructions_of(const RankGroup& group) {
  std::vector<InstructionId> result;
  for (const Block& block : group.blocks) {
    for (const Queue& queue : block.queues) {
      result.insert(result.end(), queue.instructions.begin(), queue.instructions.end());
    }
  }
  std::sort(result.begin(), result.end());
  return result;
}

/// The axes on which all positions have one coordinate.
std::vector<AxisId> fixed_axes(const Mesh& mesh, const std::vector<int64_t>& positions) {
  std::vector<AxisId> result;
  for (size_t a = 0; a < mesh.axis_count(); ++a) {
    const AxisId axis(a);
    if (std::all_of(positions.begin(), positions.end(),
                    [&](int64_t p) { return mesh.coordinate(p, axis) == mesh.coordinate(positions[0], axis); })) {
      result.push_back(axis);
    }
  }
  return result;
}

}  // namespace

GroupValues::GroupValues(const Plan& plan)
    : group_(plan.values.size(), 0),
      action_(plan.values.size()),
      families_{std::vector<int>(plan.values.size(), -1), {}},
      joined_{std::vector<int>(plan.values.size(), -1), {}},
      backward_(plan.values.size(), 0) {
  find_places(plan);
  if (plan.groups.size() < 2) return;
  std::vector<std::vector<PlanValueId>> values(plan.groups.size());
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    for (const InstructionId id : instructions_of(plan.groups[g])) {
      for (const PlanValueId value : plan.instruction(id).results) {
        group_[value.index()] = g;
        action_[value.index()] = plan.instruction(id).action;
        values[g].push_back(value);
      }
    }
  }
  find_steps(plan, values);
  find_parts(plan, values);
}

void GroupValues::find_places(const Plan& plan) {
  const int64_t devices = plan.mesh->device_count();
  stands_for_.resize(static_cast<size_t>(devices));
  first_.assign(static_cast<size_t>(devices), 0);
  if (plan.groups.size() < 2) {
    for (int64_t p = 0; p < devices; ++p) stands_for_[static_cast<size_t>(p)] = {p};
    first_[0] = 1;
    return;
  }
  for (const RankGroup& group : plan.groups) {
    const Group fixed{fixed_axes(*plan.mesh, group.positions)};
    std::vector<int64_t>& homes = homes_.emplace_back();
    for (int64_t p = 0; p < devices; ++p) {
      const auto same = [&](int64_t q) { return plan.mesh->leader(fixed, q) == plan.mesh->leader(fixed, p); };
      const auto home = std::find_if(group.positions.begin(), group.positions.end(), same);
      homes.push_back(home == group.positions.end() ? group.positions[0] : *home);
      stands_for_[static_cast<size_t>(homes.back())].push_back(p);
    }
    first_[static_cast<size_t>(group.positions[0])] = 1;
  }
}

int64_t GroupValues::home(PlanValueId id, int64_t position) const {
  return homes_.empty() ? position : homes_[group_[id.index()]][static_cast<size_t>(position)];
}

int64_t GroupValues::micro_batch_count() const {
  size_t most = 1;
  for (const std::vector<PlanValueId>& members : families_.members) most = std::max(most, members.size());
  return static_cast<int64_t>(most);
}

const std::vector<PlanValueId>& GroupValues::of(const Families& families, PlanValueId id) {
  static const std::vector<PlanValueId> none;
  const int number = families.number[id.index()];
  return number < 0 ? none : families.members[static_cast<size_t>(number)];
}

void GroupValues::add(Families& families, std::vector<PlanValueId> members, const std::vector<PlanValueId>& own) {
  for (const PlanValueId id : own) families.number[id.index()] = static_cast<int>(families.members.size());
  families.members.push_back(std::move(members));
}

/// An action is lowered alike for every micro-batch: its n-th value for one is its n-th value for another.
void GroupValues::find_steps(const Plan& plan, const std::vector<std::vector<PlanValueId>>& values) {
  using Step = std::tuple<size_t, uint32_t, int64_t, schedule::ActionKind>;  // group, pipeline, stage, kind
  std::map<Step, std::map<int64_t, std::vector<PlanValueId>>> steps;
  for (size_t g = 0; g < values.size(); ++g) {
    for (const PlanValueId id : values[g]) {
      if (!action_[id.index()].valid()) continue;
      const auto& [pipeline, action] = plan.action(action_[id.index()]);
      backward_[id.index()] = action.kind == schedule::ActionKind::forward ? 0 : 1;
      steps[{g, pipeline, action.stage, action.kind}][action.micro_batch].push_back(id);
    }
  }
  for (const auto& [step, by_micro_batch] : steps) {
    const std::vector<PlanValueId>& first = by_micro_batch.begin()->second;
    for (size_t n = 0; n < first.size(); ++n) {
      std::vector<PlanValueId> members;
      for (const auto& [k, own] : by_micro_batch) {
        const bool alike = n < own.size() && plan.value(own[n]).type() == plan.value(first[n]).type();
        if (alike) members.push_back(own[n]);
      }
      if (members.size() > 1 && members.size() == by_micro_batch.size()) add(families_, members, members);
    }
  }
}

/// Outside of pipelines groups have the same instructions in the same order: the n-th value of a name is one value.
void GroupValues::find_parts(const Plan& plan, const std::vector<std::vector<PlanValueId>>& values) {
  std::vector<std::map<std::string, std::vector<PlanValueId>>> by_name(values.size());
  for (size_t g = 0; g < values.size(); ++g) {
    for (const PlanValueId id : values[g]) {
      if (!action_[id.index()].valid()) by_name[g][plan.value(id).name()].push_back(id);
    }
  }
  for (const auto& [name, of_first] : by_name[0]) {
    for (size_t n = 0; n < of_first.size(); ++n) {
      std::vector<PlanValueId> parts, at(stands_for_.size());
      for (size_t g = 0; g < values.size(); ++g) {
        const auto known = by_name[g].find(name);
        if (known == by_name[g].end() || known->second.size() != of_first.size()) break;
        parts.push_back(known->second[n]);
        for (const int64_t p : plan.groups[g].positions) at[static_cast<size_t>(p)] = parts.back();
      }
      const bool alike = std::all_of(parts.begin(), parts.end(), [&](PlanValueId id) {
        return plan.value(id).type() == plan.value(parts[0]).type();
      });
      if (parts.size() == values.size() && alike) add(joined_, std::move(at), parts);
    }
  }
}

}  // namespace isoshard::verify
