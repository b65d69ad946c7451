#pragma once  // internal

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "verify/deadlock/meetings.h"

namespace isoshard::verify {

/// A queue of a folded rank.
struct RankQueue {
  size_t rank = 0;
  uint32_t queue = 0;
  auto operator<=>(const RankQueue&) const = default;
};

constexpr int64_t kUnboundedDepth = INT64_MAX;

/// Lets all ranks go on as far as they can.
class Rendezvous {
 public:
  /// `depth`: messages that a rank may have sent to another before that takes them; 0 is rendezvous.
  Rendezvous(const Plan& plan, const FoldedRanks& ranks, const std::vector<GroupMeetings>& groups, int64_t depth);

  /// Whether every rank comes to its end.
  bool run();

  // Of a run that stood still.

  /// Not at their ends, in the order of ranks and queues.
  std::vector<RankQueue> stuck() const;
  /// That the queue cannot finish.
  const Meeting& head(RankQueue at) const { return queue(at)[state(at).next]; }
  /// Another queue of its rank that has to come to more meetings; nothing where its own has begun.
  std::optional<uint32_t> needed_queue(RankQueue at) const;
  /// Who is missing where its meeting has begun.
  size_t missing_rank(RankQueue at) const;
  /// That rank's queue for the meeting, unless it is at its end.
  std::optional<RankQueue> missing_queue(RankQueue at) const;

 private:
  struct State {
    uint32_t next = 0;  ///< the meeting that has not finished
    bool arrived = false;
    bool waits = false;  ///< for another queue of the rank
    uint8_t parts = 0;   ///< of the meeting that are not over: a collective, or what is sent and received
  };
  /// Of a collective that has begun: who has come.
  using Arrivals = std::vector<RankQueue>;
  struct Channel {
    int64_t sent = 0, received = 0;
    std::optional<RankQueue> sender, receiver;  ///< that wait for the other side
  };
  using ChannelKey = std::pair<CommunicatorId, std::pair<size_t, size_t>>;  ///< from, to

  const std::vector<Meeting>& queue(RankQueue at) const { return groups_[*ranks_.group_of(at.rank)].queues[at.queue]; }
  State& state(RankQueue at) { return states_[first_[at.rank] + at.queue]; }
  const State& state(RankQueue at) const { return states_[first_[at.rank] + at.queue]; }
  bool at_end(RankQueue at) const { return state(at).next == queue(at).size(); }
  size_t queue_count(size_t rank) const { return first_[rank + 1] - first_[rank]; }

  void advance(RankQueue at);
  bool arrive(RankQueue at);
  void arrive_at_collective(RankQueue at, CommunicatorId communicator);
  void send(RankQueue at, Channel& channel);
  void receive(RankQueue at, Channel& channel);
  void end_part(RankQueue at);
  void finish(RankQueue at);
  /// The channel of what the head sends, or receives; nothing where that is nothing.
  std::optional<ChannelKey> channel(RankQueue at, bool sends) const;

  const Plan& plan_;
  const FoldedRanks& ranks_;
  const std::vector<GroupMeetings>& groups_;
  int64_t depth_;
  std::vector<Communicator> folded_;  ///< per communicator
  std::vector<State> states_;
  std::vector<size_t> first_;  ///< per rank: the state of its first queue
  std::vector<RankQueue> ready_;
  std::map<std::pair<CommunicatorId, int64_t>, Arrivals> collectives_;  ///< by the leader's position
  std::map<ChannelKey, Channel> channels_;
  mutable std::vector<int64_t> iterations_;  ///< scratch
};

}  // namespace isoshard::verify
