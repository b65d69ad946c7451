// Which instructions meet when a Plan runs (docs/spec/plan.md, "Meetings"). In one rank group an instruction stands for
// all members of a collective; in several, the i-th collective of each group on a communicator meets the i-th of the
// groups that share members with it, because the engine counts so (sim/engine/fabric.h), and messages, those of
// permutes among them, are counted per sender and receiver. In loops the trips are not known here, and groups may loop
// where others do not, so that a receive may get what any send brings, a collective meet any other: an analysis that
// follows all of these follows too much and never too little. Cost: instructions per communicator times positions,
// quadratic in those inside of loops.
#include "core/plan/exchanges.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace isoshard {
namespace {

/// The messages of one group on one communicator, or its collectives.
struct OnCommunicator {
  const RankGroup* group = nullptr;
  std::vector<InstructionId> instructions;
  bool in_loop = false;  ///< some of them
};
/// Those that share a group of devices.
using Members = std::vector<const OnCommunicator*>;

void collect(const Plan& plan, const std::vector<Block>& blocks, size_t communicator, bool messages, bool in_loop,
             OnCommunicator& out) {
  for (const Block& block : blocks) {
    if (block.repeat) {
      collect(plan, block.repeat->body, communicator, messages, true, out);
      continue;
    }
    const size_t queue = plan.communicators[communicator].queue.index();
    for (const InstructionId id : block.queues[queue].instructions) {
      const CommunicatorId* on = communicator_of(plan.instruction(id).data());
      if (on == nullptr || on->index() != communicator || is_message(plan.instruction(id).data()) != messages) continue;
      out.instructions.push_back(id);
      out.in_loop = out.in_loop || in_loop;
    }
  }
}

std::vector<OnCommunicator> by_group(const Plan& plan, size_t communicator, bool messages) {
  std::vector<OnCommunicator> result;
  for (const RankGroup& group : plan.groups) {
    OnCommunicator on{&group, {}, false};
    collect(plan, group.blocks, communicator, messages, false, on);
    if (!on.instructions.empty()) result.push_back(std::move(on));
  }
  return result;
}

/// Which of `all` meet in each group of the communicator that has members of several, and in those of one.
std::set<Members> meeting_groups(const Plan& plan, size_t communicator, const std::vector<OnCommunicator>& all) {
  const Communicator& over = plan.communicators[communicator];
  std::map<int64_t, Members> members;  ///< by leader
  for (const OnCommunicator& on : all) {
    for (int64_t rank = 0; rank < on.group->size(*plan.mesh); ++rank) {
      const int64_t position = on.group->position(rank);
      if (!over.includes(position)) continue;
      Members& there = members[over.leader(*plan.mesh, position)];
      if (there.empty() || there.back() != &on) there.push_back(&on);
    }
  }
  std::set<Members> result;
  for (auto& [leader, there] : members) result.insert(std::move(there));
  return result;
}

/// The first instruction of a loop; invalid for one without any.
InstructionId first_of(const std::vector<Block>& blocks) {
  InstructionId first;
  for (const Block& block : blocks) {
    if (block.repeat) {
      const InstructionId inner = first_of(block.repeat->body);
      if (inner.valid() && (!first.valid() || inner < first)) first = inner;
    }
    for (const Queue& queue : block.queues) {
      if (!queue.instructions.empty() && (!first.valid() || queue.instructions[0] < first))
        first = queue.instructions[0];
    }
  }
  return first;
}

/// Finds who meets whom.
class Matcher {
 public:
  using Met = std::vector<std::vector<InstructionId>>;  ///< by instruction

  explicit Matcher(const Plan& plan) : plan_(plan), met_(plan.instructions.size()) {}

  Met match() {
    for (size_t c = 0; c < plan_.communicators.size(); ++c) {
      match_messages(c);
      if (plan_.groups.size() > 1) match_collectives(c);
    }
    return std::move(met_);
  }

 private:
  void meet(InstructionId a, InstructionId b) {
    if (a == b) return;
    std::vector<InstructionId>& of_a = met_[a.index()];
    if (std::find(of_a.begin(), of_a.end(), b) != of_a.end()) return;
    of_a.push_back(b);
    met_[b.index()].push_back(a);
  }

  /// The i-th collective of each group that shares a group of the communicator with another one.
  void match_collectives(size_t communicator) {
    const std::vector<OnCommunicator> all = by_group(plan_, communicator, false);
    for (const Members& members : meeting_groups(plan_, communicator, all)) {
      for (size_t m = 1; m < members.size(); ++m) {
        for (size_t n = 0; n < m; ++n) {
          const bool in_loop = members[n]->in_loop || members[m]->in_loop;
          match(members[n]->instructions, members[m]->instructions, in_loop);
        }
      }
    }
  }

  /// One by one, or, as one group may loop where another one does not, all with all.
  void match(const std::vector<InstructionId>& a, const std::vector<InstructionId>& b, bool in_loop) {
    for (size_t i = 0; i < a.size(); ++i) {
      for (size_t j = in_loop ? 0 : i; j < b.size() && (in_loop || j == i); ++j) meet(a[i], b[j]);
    }
  }

  /// Of one group of ranks with permutes alone each meets itself: all ranks run the same ones in the same order.
  void match_messages(size_t communicator) {
    const std::vector<OnCommunicator> all = by_group(plan_, communicator, true);
    const auto permutes = [&](InstructionId id) {
      return std::holds_alternative<Permute>(plan_.instruction(id).data());
    };
    const auto alone = [&](const OnCommunicator& on) {
      return std::all_of(on.instructions.begin(), on.instructions.end(), permutes);
    };
    for (const Members& members : meeting_groups(plan_, communicator, all)) {
      if (members.size() == 1 && alone(*members[0])) continue;
      const bool in_loop = std::any_of(members.begin(), members.end(), [](const auto* on) { return on->in_loop; });
      in_loop ? match_any_messages(members) : match_channels(communicator, members);
    }
  }

  void match_any_messages(const Members& members) {
    std::vector<InstructionId> senders, receivers;
    for (const OnCommunicator* on : members) {
      for (const InstructionId id : on->instructions) {
        const Peers peers = peers_of(plan_.instruction(id).data());
        if (peers.target != nullptr) senders.push_back(id);
        if (peers.source != nullptr) receivers.push_back(id);
      }
    }
    match(senders, receivers, true);
  }

  void match_channels(size_t communicator, const Members& members) {
    using Channel = std::pair<int64_t, int64_t>;  // sender, receiver
    std::map<Channel, std::vector<InstructionId>> sent, received;
    const Communicator& over = plan_.communicators[communicator];
    for (const OnCommunicator* on : members) {
      for (int64_t rank = 0; rank < on->group->size(*plan_.mesh); ++rank) {
        const int64_t p = on->group->position(rank);
        if (!over.includes(p)) continue;
        const auto peer = [&](const Expr* member) {
          const int64_t index = member == nullptr ? -1 : member->evaluate(*plan_.mesh, p, {});
          return index < 0 || index >= over.size(*plan_.mesh) ? -1 : over.member(*plan_.mesh, p, index);
        };
        for (const InstructionId id : on->instructions) {
          const Peers peers = peers_of(plan_.instruction(id).data());
          const int64_t target = peer(peers.target), source = peer(peers.source);
          if (target >= 0) sent[{p, target}].push_back(id);
          if (source >= 0) received[{source, p}].push_back(id);
        }
      }
    }
    for (const auto& [channel, messages] : sent) match(messages, received[channel], false);
  }

  const Plan& plan_;
  Met met_;
};

}  // namespace

Exchanges::Exchanges(const Plan& plan) : plan_(plan), met_(Matcher(plan).match()) {
  empty_ = std::all_of(met_.begin(), met_.end(), [](const auto& met) { return met.empty(); });
}

std::vector<PlanValueId> Exchanges::brought_to(InstructionId id) const {
  std::vector<PlanValueId> result;
  if (plan_.instruction(id).results.empty()) return result;
  for (const InstructionId other : met_[id.index()]) {
    const PlanValueIds& operands = plan_.instruction(other).operands;
    result.insert(result.end(), operands.begin(), operands.end());
  }
  return result;
}

std::vector<PlanItem> items_in_order(const Plan& plan) {
  std::vector<PlanItem> items;
  for (const RankGroup& group : plan.groups) {
    // A loop without instructions stands behind what comes before it.
    InstructionId last;
    const size_t begin = items.size();
    for (const Block& block : group.blocks) {
      if (block.repeat) {
        const InstructionId first = first_of(block.repeat->body);
        items.push_back({first.valid() ? first : last, &*block.repeat, &group});
      }
      for (const Queue& queue : block.queues) {
        for (const InstructionId id : queue.instructions) {
          items.push_back({id, nullptr, &group});
          if (!last.valid() || last < id) last = id;
        }
      }
    }
    for (size_t i = begin; i < items.size(); ++i) {
      if (!items[i].instruction.valid()) items[i].instruction = InstructionId(0);
    }
  }
  std::stable_sort(items.begin(), items.end(),
                   [](const PlanItem& a, const PlanItem& b) { return a.instruction < b.instruction; });
  return items;
}

}  // namespace isoshard
