// Groups are printed as positions in the mesh and axes are not, so they are looked for: the axes on which the members
// of the first group differ, in the order that gives the members in theirs. An index over axes is printed as arithmetic
// on the position. Cost: the permutations of the axes of one group, times its devices.
#include "core/import/stablehlo/analysis/groups.h"

#include <algorithm>
#include <set>

namespace isoshard::stablehlo {
namespace {

bool has_groups(const Group& group, const std::vector<std::vector<int64_t>>& groups, const Mesh& mesh) {
  for (const std::vector<int64_t>& members : groups) {
    if (static_cast<int64_t>(members.size()) != mesh.size(group)) return false;
    for (size_t i = 0; i < members.size(); ++i) {
      if (mesh.member(group, members[0], static_cast<int64_t>(i)) != members[i]) return false;
    }
  }
  return true;
}

}  // namespace

std::optional<Group> group_of(const std::vector<std::vector<int64_t>>& groups, const Mesh& mesh) {
  size_t devices = 0;
  std::set<int64_t> seen;
  for (const std::vector<int64_t>& members : groups) {
    devices += members.size();
    for (const int64_t position : members) {
      if (position < 0 || position >= mesh.device_count() || !seen.insert(position).second) return std::nullopt;
    }
  }
  if (groups.empty() || static_cast<int64_t>(devices) != mesh.device_count()) return std::nullopt;
  AxisSet differing;
  for (size_t a = 0; a < mesh.axis_count(); ++a) {
    for (const int64_t position : groups[0]) {
      if (mesh.coordinate(position, AxisId(a)) != mesh.coordinate(groups[0][0], AxisId(a))) differing.insert(AxisId(a));
    }
  }
  Group group = mesh.in_order(differing);
  const auto by_index = [](AxisId a, AxisId b) { return a.index() < b.index(); };
  do {
    if (has_groups(group, groups, mesh)) return group;
  } while (std::next_permutation(group.axes.begin(), group.axes.end(), by_index));
  return std::nullopt;
}

std::optional<Group> group_with_index(const std::vector<int64_t>& index, const Mesh& mesh) {
  AxisSet differing;
  for (size_t a = 0; a < mesh.axis_count(); ++a) {
    const Group line{{AxisId(a)}};
    for (int64_t position = 0; position < mesh.device_count(); ++position) {
      const int64_t first = mesh.leader(line, position);
      if (index[static_cast<size_t>(position)] != index[static_cast<size_t>(first)]) differing.insert(AxisId(a));
    }
  }
  Group group = mesh.in_order(differing);
  const auto by_index = [](AxisId a, AxisId b) { return a.index() < b.index(); };
  do {
    bool all = true;
    for (int64_t position = 0; position < mesh.device_count() && all; ++position) {
      all = mesh.index_in(group, position) == index[static_cast<size_t>(position)];
    }
    if (all) return group;
  } while (std::next_permutation(group.axes.begin(), group.axes.end(), by_index));
  return std::nullopt;
}

std::optional<Group> group_of_digit(const PositionDigit& digit, const Mesh& mesh) {
  const int64_t count = mesh.device_count();
  Group group;
  int64_t stride = count;
  for (size_t a = 0; a < mesh.axis_count(); ++a) {
    const int64_t above = stride;
    stride /= mesh.axis(AxisId(a)).size;
    const bool inside = stride >= digit.divisor && (!digit.modulus || above / digit.divisor <= *digit.modulus);
    if (inside && above > stride) group.axes.push_back(AxisId(a));
  }
  for (int64_t position = 0; position < count; ++position) {
    const int64_t quotient = position / digit.divisor;
    if ((digit.modulus ? quotient % *digit.modulus : quotient) != mesh.index_in(group, position)) return std::nullopt;
  }
  return group;
}

}  // namespace isoshard::stablehlo
