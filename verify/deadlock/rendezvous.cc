// Runs meetings by counting: a queue comes to its next meeting when the queues that it needs have come far enough, and
// leaves it when all are there. Channels are first in, first out and nothing chooses, so who goes on first does not
// matter, and a queue is looked at again only when what it waited for has happened. A permute is over when what it
// sends and what it receives are. A message of a channel with room for more leaves its sender at once. Cost: meetings,
// times the members of collectives, times the logarithm of open channels.
#include "verify/deadlock/rendezvous.h"

#include <algorithm>
#include <variant>

namespace isoshard::verify {

Rendezvous::Rendezvous(const Plan& plan, const FoldedRanks& ranks, const std::vector<GroupMeetings>& groups,
                       int64_t depth)
    : plan_(plan), ranks_(ranks), groups_(groups), depth_(depth), first_{0} {
  for (const Communicator& communicator : plan.communicators) folded_.push_back(ranks.folded(communicator));
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

/// Whether the meeting is over at once; others that this one lets go on are then ready.
bool Rendezvous::arrive(RankQueue at) {
  const InstructionData& data = plan_.instruction(head(at).instruction).data();
  state(at).arrived = true;
  state(at).parts = 1;  // this one, so that a part that is over at once does not end the meeting
  if (is_message(data)) {
    const std::optional<ChannelKey> sent = channel(at, true), received = channel(at, false);
    if (sent) send(at, channels_[*sent]);
    if (received) receive(at, channels_[*received]);
  } else {
    arrive_at_collective(at, *communicator_of(data));
  }
  return --state(at).parts == 0;
}

void Rendezvous::arrive_at_collective(RankQueue at, CommunicatorId communicator) {
  const Communicator& over = folded_[communicator.index()];
  Arrivals& arrivals = collectives_[{communicator, over.leader(*plan_.mesh, ranks_.position(at.rank))}];
  if (static_cast<int64_t>(arrivals.size()) + 1 < over.size(*plan_.mesh)) {
    ++state(at).parts;
    return arrivals.push_back(at);
  }
  for (const RankQueue& other : arrivals) end_part(other);
  arrivals.clear();
}

void Rendezvous::send(RankQueue at, Channel& channel) {
  if (!channel.receiver && channel.sent - channel.received >= depth_) {
    channel.sender = at;
    ++state(at).parts;
    return;
  }
  ++channel.sent;
  if (!channel.receiver) return;
  ++channel.received;
  end_part(*std::exchange(channel.receiver, std::nullopt));
}

void Rendezvous::receive(RankQueue at, Channel& channel) {
  if (!channel.sender && channel.sent == channel.received) {
    channel.receiver = at;
    ++state(at).parts;
    return;
  }
  ++channel.received;
  if (!channel.sender) return;
  ++channel.sent;
  end_part(*std::exchange(channel.sender, std::nullopt));
}

/// With the last part the queue goes on.
void Rendezvous::end_part(RankQueue at) {
  if (--state(at).parts != 0) return;
  finish(at);
  ready_.push_back(at);
}

std::optional<Rendezvous::ChannelKey> Rendezvous::channel(RankQueue at, bool sends) const {
  const Meeting& meeting = head(at);
  const InstructionData& data = plan_.instruction(meeting.instruction).data();
  const Expr* const member = sends ? peers_of(data).target : peers_of(data).source;
  if (member == nullptr) return std::nullopt;
  const std::vector<int64_t>& all = groups_[*ranks_.group_of(at.rank)].iterations;
  iterations_.assign(all.begin() + meeting.iterations, all.begin() + meeting.iterations + meeting.loops);
  const int64_t position = ranks_.position(at.rank);
  const int64_t index = member->evaluate(*plan_.mesh, position, iterations_);
  if (index < 0) return std::nullopt;
  const CommunicatorId communicator = *communicator_of(data);
  const Communicator& over = plan_.communicators[communicator.index()];
  const size_t peer = ranks_.index_of(over.member(*plan_.mesh, position, index));
  return sends ? ChannelKey{communicator, {at.rank, peer}} : ChannelKey{communicator, {peer, at.rank}};
}

size_t Rendezvous::missing_rank(RankQueue at) const {
  const InstructionData& data = plan_.instruction(head(at).instruction).data();
  if (is_message(data)) {
    const std::optional<ChannelKey> sent = channel(at, true);
    const bool sends = sent && channels_.at(*sent).sender == at;
    return sends ? sent->second.second : channel(at, false)->second.first;
  }
  const CommunicatorId communicator = *communicator_of(data);
  const Communicator& over = folded_[communicator.index()];
  const int64_t leader = over.leader(*plan_.mesh, ranks_.position(at.rank));
  const Arrivals& arrivals = collectives_.at({communicator, leader});
  for (int64_t member = 0;; ++member) {
    const size_t rank = ranks_.index_of(over.member(*plan_.mesh, leader, member));
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
