// Gives every instruction the first slot in which it may run when each takes one: behind the one before it on its
// queue, behind those whose tokens it waits for and, where groups of ranks meet, together with its counterparts. Groups
// are represented by their first rank, whose peers are evaluated; the k-th message from one rank to another meets the
// k-th receive there, the k-th collective of a communicator that of the other groups. Lanes go on in turns until none
// can, which is a walk of all instructions; those that are left when no lane can go on wait for each other and are
// marked. Loops are drawn once, so groups whose loops differ may meet otherwise than counted here; then meetings are
// given up rather than a deadlock drawn that there may not be. Permutes wait for neighbours only (docs/adr/0055), and
// no lane for them. Cost: instructions times the lanes that meet.
#include "pictures/chart/queue_chart.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "core/plan/order/issue_order.h"

namespace isoshard::pictures {
namespace {

/// What the sides of a meeting have in common: communicator, sender and receiver (or leader), and which of these.
using Meeting = std::tuple<size_t, int64_t, int64_t, int64_t>;

/// A run of a lane.
struct RunPlace {
  size_t lane = 0, index = 0;
};

class ChartBuilder {
 public:
  explicit ChartBuilder(const Plan& plan) : plan_(plan) {}

  QueueChart build() {
    for (size_t g = 0; g < plan_.groups.size(); ++g) add_group(g);
    find_meetings();
    next_.assign(chart_.lanes.size(), 0);
    advance();
    if (!finished() && has_loops_) {
      sides_.clear();
      advance();
    }
    mark_stuck();
    return std::move(chart_);
  }

 private:
  void add_group(size_t group) {
    const size_t first = chart_.lanes.size();
    chart_.lanes.resize(first + queue_count(plan_.groups[group].blocks));
    for (size_t l = first; l < chart_.lanes.size(); ++l) chart_.lanes[l].group = group;
    add_blocks(plan_.groups[group].blocks, first, nullptr);
    const auto unused = [](const ChartLane& lane) { return lane.runs.empty(); };
    chart_.lanes.erase(
        std::remove_if(chart_.lanes.begin() + static_cast<std::ptrdiff_t>(first), chart_.lanes.end(), unused),
        chart_.lanes.end());
  }

  void add_blocks(const std::vector<Block>& blocks, size_t first, const Repeat* loop) {
    for (const Block& block : blocks) {
      if (block.repeat) {
        has_loops_ = true;
        add_blocks(block.repeat->body, first, &*block.repeat);
        continue;
      }
      for (size_t q = 0; q < block.queues.size(); ++q) {
        ChartLane& lane = chart_.lanes[first + q];
        if (lane.queue.empty()) lane.queue = block.queues[q].name;
        for (const InstructionId id : block.queues[q].instructions) lane.runs.push_back({id, 0, true, loop});
      }
    }
  }

  void find_meetings() {
    if (plan_.groups.size() < 2) return;
    std::map<Meeting, std::vector<RunPlace>> all;
    for (size_t l = 0; l < chart_.lanes.size(); ++l) {
      const int64_t position = plan_.groups[chart_.lanes[l].group].position(0);
      std::map<std::tuple<size_t, int64_t, int64_t>, int64_t> counts;
      for (size_t i = 0; i < chart_.lanes[l].runs.size(); ++i) {
        const auto side = side_of(chart_.lanes[l].runs[i].id, position);
        if (side) all[std::tuple_cat(*side, std::tuple(counts[*side]++))].push_back({l, i});
      }
    }
    for (const auto& [meeting, places] : all) {
      if (places.size() < 2) continue;
      for (const RunPlace& place : places) sides_[run(place).id] = places;
    }
  }

  /// What a run of the rank at `position` meets in, if it meets anything.
  std::optional<std::tuple<size_t, int64_t, int64_t>> side_of(InstructionId id, int64_t position) const {
    const InstructionData& data = plan_.instruction(id).data();
    const CommunicatorId* const found = communicator_of(data);
    if (found == nullptr || std::holds_alternative<Permute>(data)) return std::nullopt;
    const Communicator& communicator = plan_.communicators[found->index()];
    const Mesh& mesh = *plan_.mesh;
    const int64_t leader = communicator.leader(mesh, position);
    if (!is_message(data)) return std::tuple(found->index(), leader, leader);
    const Peers peers = peers_of(data);
    const Expr& peer = peers.target != nullptr ? *peers.target : *peers.source;
    const int64_t other = communicator.member(mesh, position, peer.evaluate(mesh, position, first_iterations_));
    return peers.target != nullptr ? std::tuple(found->index(), position, other)
                                   : std::tuple(found->index(), other, position);
  }

  void advance() {
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t l = 0; l < chart_.lanes.size(); ++l) {
        while (next_[l] < chart_.lanes[l].runs.size() && place_head(l)) moved = true;
      }
    }
  }

  /// Places the next run of a lane and those that it meets, if all of them may begin.
  bool place_head(size_t lane) {
    const auto met = sides_.find(chart_.lanes[lane].runs[next_[lane]].id);
    const std::vector<RunPlace> alone{{lane, next_[lane]}};
    const std::vector<RunPlace>& together = met == sides_.end() ? alone : met->second;
    int64_t slot = 0;
    for (const RunPlace& place : together) {
      if (next_[place.lane] != place.index) return false;
      const std::optional<int64_t> ready = first_slot(place);
      if (!ready) return false;
      slot = std::max(slot, *ready);
    }
    for (const RunPlace& place : together) put(place, slot);
    return true;
  }

  /// Behind the queue and the tokens; nothing while one of them is not placed.
  std::optional<int64_t> first_slot(const RunPlace& place) const {
    int64_t slot = place.index == 0 ? 0 : chart_.lanes[place.lane].runs[place.index - 1].slot + 1;
    for (const Token& token : plan_.instruction(run(place).id).waits) {
      if (token.previous) continue;
      const auto done = ends_.find(token.instruction);
      if (done == ends_.end()) return std::nullopt;
      slot = std::max(slot, done->second);
    }
    return slot;
  }

  void put(const RunPlace& place, int64_t slot) {
    ChartRun& placed = chart_.lanes[place.lane].runs[place.index];
    placed.slot = slot;
    ends_[placed.id] = slot + 1;
    chart_.slots = std::max(chart_.slots, slot + 1);
    ++next_[place.lane];
  }

  bool finished() const {
    for (size_t l = 0; l < next_.size(); ++l) {
      if (next_[l] < chart_.lanes[l].runs.size()) return false;
    }
    return true;
  }

  void mark_stuck() {
    for (size_t l = 0; l < next_.size(); ++l) {
      while (next_[l] < chart_.lanes[l].runs.size()) {
        const RunPlace place{l, next_[l]};
        chart_.stuck = true;
        chart_.lanes[l].runs[place.index].begins = false;
        put(place, place.index == 0 ? 0 : chart_.lanes[l].runs[place.index - 1].slot + 1);
      }
    }
  }

  const ChartRun& run(const RunPlace& place) const { return chart_.lanes[place.lane].runs[place.index]; }

  const Plan& plan_;
  const std::vector<int64_t> first_iterations_ = std::vector<int64_t>(512, 0);  ///< of more loops than files nest
  QueueChart chart_;
  bool has_loops_ = false;
  std::vector<size_t> next_;                                        ///< per lane
  std::unordered_map<InstructionId, std::vector<RunPlace>> sides_;  ///< of runs that meet others
  std::unordered_map<InstructionId, int64_t> ends_;                 ///< of placed runs
};

}  // namespace

QueueChart queue_chart(const Plan& plan) { return ChartBuilder(plan).build(); }

}  // namespace isoshard::pictures
