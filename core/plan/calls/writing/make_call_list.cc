// A rank's calls are its runs in issue order (passes/sync_plan.h), each behind the waits that it needs and before the
// event that others wait for, with places in one piece of memory: the arena of the memory plan, scratch memory of each
// stream, copies of what loops store, and of each global the box that holds all blocks that the rank loads. Calls are
// written twice, the first time to learn how much scratch memory they take. An event is used again when nothing will
// wait for its last record any more: a wait is for what was recorded when it was issued. Cost: runs times queues, and
// places.
#include "core/plan/calls/writing/make_call_list.h"

#include <algorithm>
#include <utility>

#include "core/plan/block_box.h"
#include "core/plan/calls/writing/rank_writer.h"
#include "core/plan/order/issue_order.h"
#include "core/support/check.h"

namespace isoshard::calls {
namespace {

constexpr double kMostIssued = 1 << 17;

/// The first loop, or else the first instruction.
Location first_location(const Plan& plan, const std::vector<Block>& blocks) {
  Location first;
  for (const Block& block : blocks) {
    if (block.repeat) return block.repeat->location;
    const std::vector<Issued> order = in_issue_order(block);
    if (!first.known() && !order.empty()) first = plan.instruction(order[0].id).location();
  }
  return first;
}

/// Hands out events that nothing will wait for any more.
class Events {
 public:
  explicit Events(const SyncPlan& sync) : last_wait_(sync.runs.size(), 0), event_(sync.runs.size(), 0) {
    for (size_t r = 0; r < sync.runs.size(); ++r) {
      for (const uint32_t awaited : sync.runs[r].waits) last_wait_[awaited] = r;
    }
  }
  uint32_t record(size_t run) {
    if (free_.empty()) free_.push_back(count_++);
    event_[run] = free_.back();
    free_.pop_back();
    return event_[run];
  }
  uint32_t wait(size_t run, uint32_t awaited) {
    if (last_wait_[awaited] == run) free_.push_back(event_[awaited]);
    return event_[awaited];
  }
  uint32_t count() const { return count_; }

 private:
  std::vector<size_t> last_wait_;
  std::vector<uint32_t> event_, free_;
  uint32_t count_ = 0;
};

class RankCalls {
 public:
  RankCalls(const Plan& plan, const MemoryPlan& memory, int64_t position, const CallOptions& options)
      : plan_(plan),
        group_(group_at(plan, position)),
        sync_(sync_plan(plan, group_)),
        uses_(plan, group_),
        rows_(plan, group_, uses_),
        memory_(plan, memory),
        arena_(memory.groups[static_cast<size_t>(&group_ - plan.groups.data())].bytes),
        position_(position),
        options_(options) {}

  Result<CallList> list() {
    RankPlaces places;
    places.scratch.assign(sync_.streams.size(), 0);
    places.globals.resize(plan_.globals.size());
    find_loaded(places.globals);
    CallList first;
    RankWriter sizes(plan_, uses_, rows_, memory_, position_, places, options_, first);
    if (Result<void> written = write(sizes, first); !written) return tl::unexpected(std::move(written).error());
    CallList list;
    lay_out(sizes, places, list);
    RankWriter writer(plan_, uses_, rows_, memory_, position_, places, options_, list);
    if (Result<void> written = write(writer, list); !written) return tl::unexpected(std::move(written).error());
    return list;
  }

 private:
  /// The smallest box of each global that holds what any run loads.
  void find_loaded(std::vector<std::optional<HeldBox>>& globals) const {
    for (const IssuedRun& run : sync_.runs) {
      const auto* load = std::get_if<LoadBlock>(&plan_.instruction(run.instruction).data());
      if (load == nullptr) continue;
      const std::span<const int64_t> iterations = sync_.iterations_of(run);
      const IndexRange box = loaded_box(plan_, *load, position_, {iterations.begin(), iterations.end()});
      std::optional<HeldBox>& held = globals[load->global.index()];
      if (!held) held = HeldBox{static_cast<uint32_t>(load->global.index()), box, 0};
      for (size_t d = 0; d < box.begin.size(); ++d) {
        held->range.begin[d] = std::min(held->range.begin[d], box.begin[d]);
        held->range.end[d] = std::max(held->range.end[d], box.end[d]);
      }
    }
  }

  void lay_out(const RankWriter& sizes, RankPlaces& places, CallList& list) const {
    list.position = position_;
    const auto section = [&list](std::string name, int64_t bytes) {
      list.sections.push_back({std::move(name), list.bytes, bytes});
      list.bytes += aligned(bytes);
      return list.sections.back().place;
    };
    section("arena", arena_);
    for (size_t s = 0; s < sync_.streams.size(); ++s) {
      const int64_t bytes = sizes.scratch_bytes()[s];
      places.scratch[s] = bytes == 0 ? 0 : section("scratch " + stream_name(s), bytes);
    }
    if (sizes.stored_bytes() != 0) places.stored = section("stored in loops", sizes.stored_bytes());
    for (std::optional<HeldBox>& box : places.globals) {
      if (!box) continue;
      int64_t bytes = static_cast<int64_t>(info(plan_.globals[box->of].type.dtype).bytes);
      for (size_t d = 0; d < box->range.begin.size(); ++d) bytes *= box->range.end[d] - box->range.begin[d];
      box->place = section("@" + plan_.globals[box->of].name, bytes);
      list.inputs.push_back(*box);
    }
    for (size_t s = 0; s < sync_.streams.size(); ++s) list.streams.push_back(stream_name(s));
    for (const Communicator& communicator : plan_.communicators) list.communicators.push_back(membership(communicator));
  }

  Membership membership(const Communicator& communicator) const {
    const Mesh& mesh = *plan_.mesh;
    Membership membership{communicator.to_string(mesh), -1, 0, communicator.size(mesh)};
    if (!communicator.includes(position_)) return membership;
    membership.color = communicator.leader(mesh, position_);
    membership.index = communicator.index_in(mesh, position_);
    return membership;
  }

  std::string stream_name(size_t stream) const {
    for (const RankGroup& group : plan_.groups) {
      if (const std::string* name = queue_name(group.blocks, sync_.streams[stream])) return *name;
    }
    internal_error("RankCalls", "a stream without a queue", __FILE__, __LINE__);
  }

  static const std::string* queue_name(const std::vector<Block>& blocks, QueueId queue) {
    for (const Block& block : blocks) {
      if (queue.index() < block.queues.size()) return &block.queues[queue.index()].name;
      const std::string* const inside = block.repeat ? queue_name(block.repeat->body, queue) : nullptr;
      if (inside != nullptr) return inside;
    }
    return nullptr;
  }

  Result<void> write(RankWriter& writer, CallList& list) const {
    Events events(sync_);
    for (size_t r = 0; r < sync_.runs.size(); ++r) {
      const IssuedRun& issued = sync_.runs[r];
      const std::span<const int64_t> iterations = sync_.iterations_of(issued);
      const RankRun run{plan_.instruction(issued.instruction),
                        issued.instruction,
                        issued.stream,
                        {iterations.begin(), iterations.end()}};
      for (const uint32_t awaited : issued.waits) writer.add(run, Wait{events.wait(r, awaited)});
      if (Result<void> written = writer.write(run); !written) return written;
      if (!issued.awaited) continue;
      if (Result<void> written = writer.record(run, events.record(r)); !written) return written;
    }
    list.events = events.count();
    list.tokens = sync_.tokens;
    list.waits = sync_.waits;
    return {};
  }

  const Plan& plan_;
  const RankGroup& group_;
  SyncPlan sync_;
  ValueUses uses_;
  RowRegions rows_;
  MemoryPlaces memory_;
  int64_t arena_;
  int64_t position_;
  CallOptions options_;
};

}  // namespace

const RankGroup& group_at(const Plan& plan, int64_t position) {
  const auto has = [position](const RankGroup& group) {
    return group.positions.empty() || std::binary_search(group.positions.begin(), group.positions.end(), position);
  };
  const auto found = std::find_if(plan.groups.begin(), plan.groups.end(), has);
  ISOSHARD_CHECK(found != plan.groups.end(), "a position of no rank group");
  return *found;
}

Result<CallList> make_call_list(const Plan& plan, const MemoryPlan& memory, int64_t position,
                                const CallOptions& options) {
  const RankGroup& group = group_at(plan, position);
  if (const double runs = run_count(group); runs > kMostIssued) {
    std::string message("each rank of this group runs ");
    message += std::to_string(static_cast<int64_t>(runs));
    message += " instructions in a step, and exec issues at most 131072 one by one; shorten its loops";
    return failure("X-limit", first_location(plan, group.blocks), std::move(message));
  }
  return RankCalls(plan, memory, position, options).list();
}

}  // namespace isoshard::calls
