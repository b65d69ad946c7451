// Which instructions meet when a Plan runs (docs/spec/plan.md, "Meetings"). In one rank group an instruction stands for
// all members of a collective; in several, the i-th collective of each group on a communicator meets the i-th of the
// groups that share members with it, because the engine counts so (sim/engine/fabric.h), and messages are counted per
// sender and receiver. In loops the trips are not known here, and groups may loop where others do not, so that a
// receive may get what any send brings, a collective meet any other: an analysis that follows all of these follows too
// much and never too little. Cost: instructions per communicator times positions, quadratic in those inside of loops.
#include "core/plan/exchanges.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace isoshard {
namespace {

bool is_message(const Instruction& i) {
  return std::holds_alternative<Send>(i.data()) || std::holds_alternative<Recv>(i.data());
}

/// The messages of one group on one communicator, or its collectives.
struct OnCommunicator {
  const RankGroup* group = nullptr;
  std::vector<InstructionId> instructions;
  bool in_loop = false;  ///< some of them
};

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
      if (on == nullptr || on->index() != communicator || is_message(plan.instruction(id)) != messages) continue;
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

std::vector<int64_t> positions(const Plan& plan, const RankGroup& group) {
  if (!group.positions.empty()) return group.positions;
  std::vector<int64_t> all(static_cast<size_t>(plan.mesh->device_count()));
  for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
  return all;
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

}  // namespace

Exchanges::Exchanges(const Plan& plan) : plan_(plan), met_(plan.instructions.size()) {
  for (size_t c = 0; c < plan.communicators.size(); ++c) {
    match_messages(c);
    if (plan.groups.size() > 1) match_collectives(c);
  }
}

void Exchanges::meet(InstructionId a, InstructionId b) {
  if (a == b) return;
  std::vector<InstructionId>& of_a = met_[a.index()];
  if (std::find(of_a.begin(), of_a.end(), b) != of_a.end()) return;
  of_a.push_back(b);
  met_[b.index()].push_back(a);
  empty_ = false;
}

/// The i-th collective of each group that shares a group of the communicator with another one.
void Exchanges::match_collectives(size_t communicator) {
  const Group& axes = plan_.communicators[communicator].group;
  std::map<int64_t, std::vector<const OnCommunicator*>> meetings;  ///< by leader
  const std::vector<OnCommunicator> all = by_group(plan_, communicator, false);
  for (const OnCommunicator& on : all) {
    for (const int64_t position : positions(plan_, *on.group)) {
      std::vector<const OnCommunicator*>& members = meetings[plan_.mesh->leader(axes, position)];
      if (std::find(members.begin(), members.end(), &on) == members.end()) members.push_back(&on);
    }
  }
  for (const auto& [leader, members] : meetings) {
    for (size_t m = 1; m < members.size(); ++m) {
      for (size_t n = 0; n < m; ++n) {
        const bool in_loop = members[n]->in_loop || members[m]->in_loop;
        match(members[n]->instructions, members[m]->instructions, in_loop);
      }
    }
  }
}

/// One by one, or, as one group may loop where another one does not, all with all.
void Exchanges::match(const std::vector<InstructionId>& a, const std::vector<InstructionId>& b, bool in_loop) {
  for (size_t i = 0; i < a.size(); ++i) {
    for (size_t j = in_loop ? 0 : i; j < b.size() && (in_loop || j == i); ++j) meet(a[i], b[j]);
  }
}

void Exchanges::match_messages(size_t communicator) {
  const Group& axes = plan_.communicators[communicator].group;
  using Channel = std::pair<int64_t, int64_t>;  // sender, receiver
  std::map<Channel, std::vector<InstructionId>> sent, received;
  std::vector<InstructionId> sends, receives;
  bool in_loop = false;
  for (const OnCommunicator& on : by_group(plan_, communicator, true)) {
    for (const InstructionId id : on.instructions) {
      const Instruction& i = plan_.instruction(id);
      in_loop = in_loop || on.in_loop;
      const Send* send = std::get_if<Send>(&i.data());
      (send != nullptr ? sends : receives).push_back(id);
      if (in_loop) continue;
      for (const int64_t p : positions(plan_, *on.group)) {
        const Expr& member = send != nullptr ? send->target : std::get<Recv>(i.data()).source;
        const int64_t index = member.evaluate(*plan_.mesh, p, {});
        if (index < 0 || index >= plan_.mesh->size(axes)) continue;
        const int64_t peer = plan_.mesh->member(axes, p, index);
        (send != nullptr ? sent[{p, peer}] : received[{peer, p}]).push_back(id);
      }
    }
  }
  if (in_loop) return match(sends, receives, true);
  for (const auto& [channel, messages] : sent) {
    const std::vector<InstructionId>& other = received[channel];
    for (size_t i = 0; i < std::min(messages.size(), other.size()); ++i) meet(messages[i], other[i]);
  }
}

std::vector<PlanValueId> Exchanges::brought_to(InstructionId id) const {
  std::vector<PlanValueId> result;
  if (plan_.instruction(id).results.empty()) return result;
  for (const InstructionId other : met_[id.index()]) {
    const std::vector<PlanValueId>& operands = plan_.instruction(other).operands;
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
