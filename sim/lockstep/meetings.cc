// Which groups of a communicator bring the same to a collective: those whose members hold, place by place, values of
// the same classes. They leave with the same result, which is computed once. Cost: one pass over the devices for each
// communicator and partition that meet.
#include "sim/lockstep/meetings.h"

#include <map>

namespace isoshard::sim {

const Groups* Meetings::groups(CommunicatorId communicator) {
  auto known = groups_.find(communicator);
  if (known == groups_.end()) {
    known = groups_.emplace(communicator, find_groups(plan_.communicators[communicator.index()])).first;
  }
  return known->second ? &*known->second : nullptr;
}

std::optional<Groups> Meetings::find_groups(const Communicator& over) const {
  const Mesh& mesh = *plan_.mesh;
  const auto devices = static_cast<size_t>(mesh.device_count());
  Groups result;
  result.group_of.resize(devices);
  result.place_in.resize(devices);
  size_t found = 0;
  for (size_t device = 0; device < devices; ++device) {
    const auto position = static_cast<int64_t>(device);
    if (!over.includes(position)) return std::nullopt;
    if (over.leader(mesh, position) != position) continue;
    std::vector<uint32_t>& members = result.members.emplace_back();
    for (int64_t i = 0; i < over.size(mesh); ++i) {
      const auto member = static_cast<size_t>(over.member(mesh, position, i));
      result.group_of[member] = static_cast<uint32_t>(result.members.size() - 1);
      result.place_in[member] = static_cast<uint32_t>(i);
      members.push_back(static_cast<uint32_t>(member));
      ++found;
    }
  }
  if (found != devices) return std::nullopt;
  return result;
}

const Meeting& Meetings::meeting(CommunicatorId communicator, const Groups& groups, const Partition& operand) {
  Meeting& known = meetings_[{communicator, &operand}];
  if (known.groups == nullptr) known = find_meeting(groups, operand);
  return known;
}

Meeting Meetings::find_meeting(const Groups& groups, const Partition& operand) {
  std::map<std::vector<uint32_t>, int64_t> numbers;  // of groups, by what their members bring
  std::vector<int64_t> number(groups.members.size());
  for (size_t g = 0; g < groups.members.size(); ++g) {
    std::vector<uint32_t> brought;
    brought.reserve(groups.members[g].size());
    for (const uint32_t member : groups.members[g]) brought.push_back(operand.class_of[member]);
    number[g] = numbers.try_emplace(std::move(brought), static_cast<int64_t>(numbers.size())).first->second;
  }
  const size_t devices = operand.devices();
  std::vector<int64_t> of_group(devices), of_place(devices);
  for (size_t device = 0; device < devices; ++device) {
    of_group[device] = number[groups.group_of[device]];
    of_place[device] = of_group[device] * static_cast<int64_t>(devices) + groups.place_in[device];
  }
  return {&partitions_.by(of_group), &partitions_.by(of_place)};
}

}  // namespace isoshard::sim
