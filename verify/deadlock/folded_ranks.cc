// Finds the axes along which all ranks can only go on alike. A shift along such an axis, of every coordinate by the
// same number, maps the Plan to itself: rank groups to themselves, collectives to collectives, messages to messages.
// From a state that it maps to itself each step that is possible is possible for all ranks of an orbit, and stays so
// until it is taken, as there are no wildcards; so all take it, and the state is again such a one. A deadlock of all
// ranks is then one of those with coordinate 0, and the other way round. Shifts by one generate all shifts along an
// axis. Permutes along folded axes alone count for nothing: all their ranks come to the same ones in the same order,
// and each says the same on both sides (L-peer), so they wait for no more than collectives would, with which the Plan
// maps to itself, and for no less than nothing. Positions in sets fold nothing. Cost: axes times ranks of groups, and
// the messages.
#include "verify/deadlock/folded_ranks.h"

#include <algorithm>
#include <iterator>
#include <variant>

namespace isoshard::verify {
namespace {

/// The axes that a message goes along or looks at.
AxisSet axes_of(const Plan& plan, const InstructionData& message) {
  AxisSet result = plan.communicators[communicator_of(message)->index()].group.set();
  const Peers peers = peers_of(message);
  for (const Expr* peer : {peers.target, peers.source}) {
    if (peer != nullptr) result.insert(peer->axes());
  }
  return result;
}

/// Adds to `kept` the axes of sends and receives, and of permutes that go along a kept axis, until there are no more.
void keep_messages(const Plan& plan, AxisSet& kept) {
  std::vector<AxisSet> permutes;
  for (const Instruction& i : plan.instructions) {
    if (!is_message(i.data())) continue;
    const AxisSet axes = axes_of(plan, i.data());
    if (!std::holds_alternative<Permute>(i.data())) {
      kept.insert(axes);
    } else if (std::find(permutes.begin(), permutes.end(), axes) == permutes.end()) {
      permutes.push_back(axes);
    }
  }
  for (size_t round = 0; round < permutes.size(); ++round) {
    for (const AxisSet& axes : permutes) {
      if (kept.intersects(axes)) kept.insert(axes);
    }
  }
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
  const auto has_sets = [](const Communicator& c) { return !c.sets.empty(); };
  const bool sets = std::any_of(plan.communicators.begin(), plan.communicators.end(), has_sets);
  AxisSet kept;
  for (size_t a = 0; a < mesh_->axis_count(); ++a) {
    const auto holds = [&](const RankGroup& group) { return holds_lines(*mesh_, group, AxisId(a)); };
    if (sets || !std::all_of(plan.groups.begin(), plan.groups.end(), holds)) kept.insert(AxisId(a));
  }
  keep_messages(plan, kept);
  kept_ = mesh_->in_order(kept);
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

Communicator FoldedRanks::folded(const Communicator& communicator) const {
  const AxisSet kept = kept_.set();
  Communicator result{{}, communicator.queue, communicator.sets};
  std::copy_if(communicator.group.axes.begin(), communicator.group.axes.end(), std::back_inserter(result.group.axes),
               [&](AxisId axis) { return kept.contains(axis); });
  return result;
}

}  // namespace isoshard::verify
