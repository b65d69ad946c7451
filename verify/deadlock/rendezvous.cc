// Runs meetings by counting: a queue comes to its next meeting when the queues that it needs have come far enough, and
// leaves it when all are there. Channels are first in, first out and nothing chooses, so who goes on first does not
// matter, and a queue is looked at again only when what it waited for has happened. A message of a channel with room
// for more leaves its sender at once. Cost: meetings, times the members of collectives, times the logarithm of open
// channels.
#include "verify/deadlock/rendezvous.h"

#include <algorithm>
#include <variant>

namespace isoshard::verify {

Rendezvous::Rendezvous(const Plan& plan, const FoldedRanks& ranks, const std::vector<GroupMeetings>& groups,
                       int64_t depth)
    : plan_(plan), ranks_(ranks), groups_(groups), depth_(depth), first_{0} {
  for (const Communicator& communicator : plan.communicators) folded_.push_back(ranks.folded(communicator.group));
  for (size_t rank = 0; rank < ranks.count(); ++rank) {
    const size_t queues = ranks.group_of(rank) ? groups[*ranks.group_of(rank)].queues.size() : 0;
    for (uint32_t q = 0; q < queues; ++q) ready_.push_back({rank, q});
    first_.push_back(first_.back() + queues);
  }
  states_.resize(first_.back());
}

bool Rendezvous::run() {
  while (!ready_.empty()) {
    const RankQueue at = ready_.back();
    ready_.pop_back();
    advance(at);
  }
  return stuck().empty();
}

std::vector<RankQueue> Rendezvous::stuck() const {
  std::vector<RankQueue> result;
  for (size_t rank = 0; rank < ranks_.count(); ++rank) {
    for (uint32_t q = 0; q < queue_count(rank); ++q) {
      if (!at_end({rank, q})) result.push_back({rank, q});
    }
  }
  return result;
}

void Rendezvous::advance(RankQueue at) {
  while (!at_end(at) && !state(at).arrived) {
    state(at).waits = needed_queue(at).has_value();
    if (state(at).waits || !arrive(at)) return;
    finish(at);
  }
}

std::optional<uint32_t> Rendezvous::needed_queue(RankQueue at) const {
  const Meeting& meeting = head(at);
  const std::vector<MeetingNeed>& needs = groups_[*ranks_.group_of(at.rank)].needs;
  for (uint32_t n = meeting.needs; n < meeting.needs + meeting.need_count; ++n) {
    if (state({at.rank, needs[n].queue}).next < needs[n].meetings) return needs[n].queue;
  }
  return std::nullopt;
}

/// The rank's queues that wait for this one may go on.
void Rendezvous::finish(RankQueue at) {
  ++state(at).next;
  state(at).arrived = false;
  for (uint32_t q = 0; q < queue_count(at.rank); ++q) {
    if (q != at.queue && state({at.rank, q}).waits) ready_.push_back({at.rank, q});
  }
}

/// Whether the meeting is over at once; the others of it are then finished.
bool Rendezvous::arrive(RankQueue at) {
  const InstructionData& data = plan_.instruction(head(at).instruction).data();
  state(at).arrived = true;
  if (std::holds_alternative<Send>(data)) return send(at, channels_[key(at)]);
  if (std::holds_alternative<Recv>(data)) return receive(at, channels_[key(at)]);
  return arrive_at_collective(at, *communicator_of(data));
}

bool Rendezvous::arrive_at_collective(RankQueue at, CommunicatorId communicator) {
  const Group& group = folded_[communicator.index()];
  Arrivals& arrivals = collectives_[{communicator, plan_.mesh->leader(group, ranks_.position(at.rank))}];
  if (static_cast<int64_t>(arrivals.size()) + 1 < plan_.mesh->size(group)) {
    arrivals.push_back(at);
    return false;
  }
  for (const RankQueue& other : arrivals) {
    finish(other);
    ready_.push_back(other);
  }
  arrivals.clear();
  return true;
}

bool Rendezvous::send(RankQueue at, Channel& channel) {
  if (!channel.receiver && channel.sent - channel.received >= depth_) {
    channel.sender = at;
    return false;
  }
  ++channel.sent;
  if (!channel.receiver) return true;
  ++channel.received;
  const RankQueue receiver = *std::exchange(channel.receiver, std::nullopt);
  finish(receiver);
  ready_.push_back(receiver);
  return true;
}

bool Rendezvous::receive(RankQueue at, Channel& channel) {
  if (!channel.sender && channel.sent == channel.received) {
    channel.receiver = at;
    return false;
  }
  ++channel.received;
  if (!channel.sender) return true;
  ++channel.sent;
  const RankQueue sender = *std::exchange(channel.sender, std::nullopt);
  finish(sender);
  ready_.push_back(sender);
  return true;
}

size_t Rendezvous::peer(RankQueue at, CommunicatorId communicator, const Expr& member) const {
  const Meeting& meeting = head(at);
  const std::vector<int64_t>& all = groups_[*ranks_.group_of(at.rank)].iterations;
  iterations_.assign(all.begin() + meeting.iterations, all.begin() + meeting.iterations + meeting.loops);
  const int64_t position = ranks_.position(at.rank);
  const int64_t index = member.evaluate(*plan_.mesh, position, iterations_);
  return ranks_.index_of(plan_.mesh->member(plan_.communicators[communicator.index()].group, position, index));
}

Rendezvous::ChannelKey Rendezvous::key(RankQueue at) const {
  const InstructionData& data = plan_.instruction(head(at).instruction).data();
  if (const auto* send = std::get_if<Send>(&data)) {
    return {send->communicator, {at.rank, peer(at, send->communicator, send->target)}};
  }
  const Recv& receive = std::get<Recv>(data);
  return {receive.communicator, {peer(at, receive.communicator, receive.source), at.rank}};
}

size_t Rendezvous::missing_rank(RankQueue at) const {
  const InstructionData& data = plan_.instruction(head(at).instruction).data();
  if (std::holds_alternative<Send>(data)) return key(at).second.second;
  if (std::holds_alternative<Recv>(data)) return key(at).second.first;
  const CommunicatorId communicator = *communicator_of(data);
  const Group& group = folded_[communicator.index()];
  const int64_t leader = plan_.mesh->leader(group, ranks_.position(at.rank));
  const Arrivals& arrivals = collectives_.at({communicator, leader});
  for (int64_t member = 0;; ++member) {
    const size_t rank = ranks_.index_of(plan_.mesh->member(group, leader, member));
    const auto is_it = [&](const RankQueue& other) { return other.rank == rank; };
    if (std::none_of(arrivals.begin(), arrivals.end(), is_it)) return rank;
  }
}

std::optional<RankQueue> Rendezvous::missing_queue(RankQueue at) const {
  const size_t rank = missing_rank(at);
  const std::optional<size_t> group = ranks_.group_of(rank);
  if (!group) return std::nullopt;
  const size_t communicator = communicator_of(plan_.instruction(head(at).instruction).data())->index();
  const std::optional<uint32_t> queue = groups_[*group].queue_of[communicator];
  if (queue && *queue < queue_count(rank) && !at_end({rank, *queue})) return RankQueue{rank, *queue};
  return std::nullopt;
}

}  // namespace isoshard::verify
