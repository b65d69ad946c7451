// What devices in step exchange. Groups whose members bring the same classes, place by place, leave a collective with
// the same; a permute hands on classes. Where members do not agree the run ends, and the engine says how. Cost: one
// pass over the devices, and one over each operand that is combined.
#include <algorithm>
#include <utility>
#include <vector>

#include "core/support/check.h"
#include "sim/evaluate/collective.h"
#include "sim/evaluate/conversion.h"
#include "sim/evaluate/difference.h"
#include "sim/lockstep/lockstep_run.h"
#include "sim/value/movement.h"

namespace isoshard::sim {

void Lockstep::run(const Collective& collective, const Instruction& instruction) {
  const Groups* groups = meetings_.groups(collective.communicator);
  together_ = groups != nullptr;
  if (!together_) return;
  const Row& operand = rows_[instruction.operands[0]];
  const Meeting& meeting = meetings_.meeting(collective.communicator, *groups, *operand.classes);
  if (collective.kind == CollectiveKind::assert_equal) {
    together_ = all_equal(operand, *groups, meeting);
    rows_.bind(instruction.results[0], operand);
  } else if (is_reduction(collective)) {
    rows_.bind(instruction.results[0], reduced(collective, operand, *groups, meeting));
  } else {
    rows_.bind(instruction.results[0], joined(collective, operand, *groups, meeting));
  }
}

/// A reduce_scatter takes blocks of the one sum.
Row Lockstep::reduced(const Collective& collective, const Row& operand, const Groups& groups, const Meeting& meeting) {
  const double work = context_.index.work(running_) * static_cast<double>(groups.members[0].size());
  Row sums = made(*meeting.groups, work, [&](size_t device) {
    const std::vector<uint32_t>& members = groups.members[groups.group_of[device]];
    std::vector<Value> terms;
    terms.reserve(members.size());
    for (const uint32_t member : members) terms.push_back(operand.at(member));
    Accumulator sum = begin_reduction(collective, terms[0]);
    sum.add(std::span<const Value>(terms).subspan(1), context_.domain);
    return sum.take();
  });
  if (collective.kind != CollectiveKind::reduce_scatter) return sums;
  return made(*meeting.places, [&](size_t device) {
    const auto size = static_cast<int64_t>(groups.members[groups.group_of[device]].size());
    return take_block(sums.at(device), collective.dim, groups.place_in[device], size);
  });
}

Row Lockstep::joined(const Collective& collective, const Row& operand, const Groups& groups, const Meeting& meeting) {
  const bool gathers = collective.kind == CollectiveKind::all_gather;
  return made(gathers ? *meeting.groups : *meeting.places, [&](size_t device) {
    std::vector<const Value*> brought;
    std::vector<Value> parts;
    for (const uint32_t member : groups.members[groups.group_of[device]]) {
      if (gathers) parts.push_back(operand.at(member));
      brought.push_back(&operand.at(member));
    }
    return gathers ? concatenate(parts, collective.dim) : exchanged(collective, brought, groups.place_in[device]);
  });
}

bool Lockstep::all_equal(const Row& operand, const Groups& groups, const Meeting& meeting) const {
  return std::all_of(meeting.groups->first.begin(), meeting.groups->first.end(), [&](uint32_t device) {
    const std::vector<uint32_t>& members = groups.members[groups.group_of[device]];
    return std::all_of(members.begin() + 1, members.end(), [&](uint32_t member) {
      return operand.classes->class_of[member] == operand.classes->class_of[members[0]] ||
             first_difference(operand.at(members[0]), operand.at(member), context_.domain) < 0;
    });
  });
}

std::vector<int64_t> Lockstep::peers(const Communicator& over, const Expr& expr) {
  std::vector<int64_t> result = numbers(expr);
  for (size_t device = 0; device < devices_; ++device) {
    if (result[device] < 0) continue;
    ISOSHARD_CHECK(result[device] < over.size(*context_.plan.mesh), "a peer that does not exist");
    result[device] = over.member(*context_.plan.mesh, static_cast<int64_t>(device), result[device]);
  }
  return result;
}

/// What is received from nobody is zeros.
void Lockstep::run(const Permute& permute, const Instruction& instruction) {
  together_ = meetings_.groups(permute.communicator) != nullptr;
  if (!together_) return;
  const Communicator& over = context_.plan.communicators[permute.communicator.index()];
  const std::vector<int64_t> targets = peers(over, permute.target), sources = peers(over, permute.source);
  const auto agree = [&](const std::vector<int64_t>& there, const std::vector<int64_t>& back, size_t device) {
    return there[device] < 0 || back[static_cast<size_t>(there[device])] == static_cast<int64_t>(device);
  };
  const Row& row = rows_[instruction.operands[0]];
  std::vector<int64_t> labels(devices_);
  for (size_t device = 0; device < devices_; ++device) {
    together_ = together_ && agree(targets, sources, device) && agree(sources, targets, device);
    const int64_t source = sources[device];
    labels[device] = source < 0 ? -1 : int64_t{row.classes->class_of[static_cast<size_t>(source)]};
  }
  if (!together_) return;
  const PlanValueId sent = instruction.operands[0];
  const bool moves = row.classes == &partitions_.apart() && rows_.is_last(sent);  // each to one device at most
  const TensorType& type = context_.index.type(instruction.results[0]);
  rows_.bind(instruction.results[0], made(partitions_.by(labels), [&](size_t device) {
               const int64_t source = sources[device];
               if (source < 0) return zeros(type, context_.domain);
               if (!moves) return row.at(static_cast<size_t>(source));
               return std::move(rows_.values_of_last(sent)[static_cast<size_t>(source)]);
             }));
}

}  // namespace isoshard::sim
