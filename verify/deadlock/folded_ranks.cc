// Finds the axes along which all ranks can only go on alike. A shift along such an axis, of every coordinate by the
// same number, maps the Plan to itself: rank groups to themselves, collectives to collectives, messages to messages.
// From a state that it maps to itself each step that is possible is possible for all ranks of an orbit, and stays so
// until it is taken, as there are no wildcards; so all take it, and the state is again such a one. A deadlock of all
// ranks is then one of those with coordinate 0, and the other way round. Shifts by one generate all shifts along an
// axis. Cost: axes times ranks of groups, and the messages.
#include "verify/deadlock/folded_ranks.h"

#include <algorithm>
#include <iterator>
#include <variant>

namespace isoshard::verify {
namespace {

/// The axes that messages go along or look at.
AxisSet axes_of_messages(const Plan& plan) {
  AxisSet result;
  const auto add = [&](CommunicatorId communicator, const Expr& peer) {
    result.insert(plan.communicators[communicator.index()].group.set());
    result.insert(peer.axes());
  };
  for (const Instruction& i : plan.instructions) {
    if (const auto* send = std::get_if<Send>(&i.data())) add(send->communicator, send->target);
    if (const auto* receive = std::get_if<Recv>(&i.data())) add(receive->communicator, receive->source);
  }
  return result;
}

/// Whether a shift by one along `axis` keeps the ranks of `group`.
bool holds_lines(const Mesh& mesh, const RankGroup& group, AxisId axis) {
  const Group line{{axis}};
  const int64_t size = mesh.size(line);
  return std::all_of(group.positions.begin(), group.positions.end(), [&](int64_t position) {
    const int64_t next = mesh.member(line, position, (mesh.index_in(line, position) + 1) % size);
    return std::binary_search(group.positions.begin(), group.positions.end(), next);
  });
}

}  // namespace

FoldedRanks::FoldedRanks(const Plan& plan) : mesh_(plan.mesh.get()) {
  const AxisSet messages = axes_of_messages(plan);
  for (size_t a = 0; a < mesh_->axis_count(); ++a) {
    const auto holds = [&](const RankGroup& group) { return holds_lines(*mesh_, group, AxisId(a)); };
    const bool folds = !messages.contains(AxisId(a)) && std::all_of(plan.groups.begin(), plan.groups.end(), holds);
    if (!folds) kept_.axes.push_back(AxisId(a));
  }
}

std::optional<FoldedRanks> FoldedRanks::of(const Plan& plan, double most) {
  FoldedRanks ranks(plan);
  if (static_cast<double>(ranks.mesh_->size(ranks.kept_)) > most) return std::nullopt;
  ranks.find_groups(plan);
  return ranks;
}

void FoldedRanks::find_groups(const Plan& plan) {
  group_of_.resize(static_cast<size_t>(mesh_->size(kept_)));
  for (size_t g = 0; g < plan.groups.size(); ++g) {
    if (plan.groups[g].positions.empty()) group_of_.assign(group_of_.size(), g);
    for (const int64_t position : plan.groups[g].positions) group_of_[index_of(position)] = g;
  }
}

Group FoldedRanks::folded(const Group& group) const {
  const AxisSet kept = kept_.set();
  Group result;
  std::copy_if(group.axes.begin(), group.axes.end(), std::back_inserter(result.axes),
               [&](AxisId axis) { return kept.contains(axis); });
  return result;
}

}  // namespace isoshard::verify
