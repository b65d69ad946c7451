// The arenas of a Plan, group by group: which runs touch which bytes (lifetimes.h), how many copies of a buffer there
// are and which take over those of an operand (blocks.h), and where they lie (arena.h). With Reuse::tokens bytes are
// used again as issue order says, and where the Plan does not say so yet, what writes them gets a token; set_waits
// leaves out those that others imply. What is kept by value or instruction is kept once, in arrays that serve one group
// after another. Cost: runs times queues, and pairs of blocks that are there at the same time, runs being those of a
// few iterations of each loop (trips.h).
#include "core/plan/memory/plan_memory.h"

#include <optional>
#include <string>
#include <vector>

#include "core/plan/memory/arena.h"
#include "core/plan/memory/blocks.h"
#include "core/plan/memory/lifetimes.h"
#include "core/plan/memory/reuse_order.h"
#include "core/plan/memory/reuse_tokens.h"
#include "core/plan/memory/trips.h"
#include "core/plan/order/issue_order.h"
#include "core/plan/order/set_waits.h"
#include "core/plan/order/timeline.h"
#include "core/plan/renames.h"

namespace isoshard {
namespace {

constexpr double kMostBytes = 0x1p52;
constexpr double kMostRuns = 0x1p22;

tl::unexpected<Diagnostic> refused(const Location& location, const std::string& text) {
  return failure("L-arena", location, text);
}

/// Runs that are looked at; nothing where a loop cannot be cut short.
std::optional<double> count_runs(const Plan& plan, const std::vector<Block>& blocks, const Repeat*& culprit) {
  double runs = 0;
  for (const Block& block : blocks) {
    for (const Queue& queue : block.queues) runs += static_cast<double>(queue.instructions.size());
    if (!block.repeat) continue;
    const std::optional<Trips> trips = trips_of(plan, *block.repeat);
    const std::optional<double> inside = count_runs(plan, block.repeat->body, culprit);
    if (!trips) culprit = &*block.repeat;
    if (!trips || !inside) return std::nullopt;
    runs += static_cast<double>(trips->walked) * *inside;
  }
  return runs;
}

/// Why the arena of a group cannot be planned, or nothing.
std::optional<tl::unexpected<Diagnostic>> refusal(const Plan& plan, const RankGroup& group) {
  const Repeat* culprit = nullptr;
  const std::optional<double> runs = count_runs(plan, group.blocks, culprit);
  if (!runs) {
    return refused(culprit->location, "a repeat of " + std::to_string(culprit->count) +
                                          " iterations has more than 8 carries that change places; buffers are planned "
                                          "for at most 8, or for at most 4096 iterations");
  }
  if (*runs <= kMostRuns) return std::nullopt;
  return refused(Location(), "the buffers of group " + group.name + " take " +
                                 std::to_string(static_cast<int64_t>(*runs)) + " runs to look at; at most " +
                                 std::to_string(static_cast<int64_t>(kMostRuns)) + " are");
}

std::optional<tl::unexpected<Diagnostic>> too_large(const Plan& plan) {
  double bytes = 0;
  for (const PlanValue& value : plan.values) bytes += bytes_of(value.type());
  if (bytes <= kMostBytes) return std::nullopt;
  return refused(Location(), "the values of @" + plan.program +
                                 " have more than 2^52 bytes together, for which no buffers are planned; choose "
                                 "smaller sizes (--set)");
}

/// What is used for one group after another.
struct PlanTables {
  Timeline::Tables timeline{};
  LifetimeTables lifetimes{};
};

/// One group.
class GroupPlanner {
 public:
  GroupPlanner(const Plan& plan, const RankGroup& group, Reuse reuse, PlanTables& tables,
               std::vector<ValueMemory>& values)
      : timeline_(plan, group, tables.timeline),
        lifetimes_(lifetimes_of(plan, group, timeline_, tables.lifetimes, values)),
        order_(lifetimes_, timeline_, reuse),
        blocks_(make_blocks(plan, lifetimes_, order_)),
        live_(most_live(lifetimes_, blocks_, timeline_.size())),
        arena_(place_blocks(lifetimes_, blocks_, order_, live_)) {
    for (const BlockSet& set : blocks_.sets) note_places(set, values);
  }

  int64_t bytes() const { return arena_.bytes; }

  int64_t live() const { return live_; }

  std::vector<ReuseToken> tokens() const { return reuse_tokens(lifetimes_, blocks_, arena_, order_); }

 private:
  void note_places(const BlockSet& set, std::vector<ValueMemory>& values) const {
    for (const uint32_t b : set.buffers) {
      const Buffer& buffer = lifetimes_.buffers[b];
      ValueMemory& value = values[buffer.value.index()];
      value.copies =
          buffer.loops.size() == set.copies.size() ? set.copies : std::vector<int64_t>(buffer.loops.size(), 1);
      const auto first = arena_.offsets.begin() + static_cast<int64_t>(set.first_block);
      value.offsets.assign(first, first + static_cast<int64_t>(block_count(set.copies)));
    }
  }

  Timeline timeline_;
  Lifetimes lifetimes_;
  ReuseOrder order_;
  Blocks blocks_;
  int64_t live_;
  Arena arena_;
};

}  // namespace

Result<MemoryPlan> plan_memory(Plan& plan, Reuse reuse) {
  if (const auto error = too_large(plan)) return *error;
  for (const RankGroup& group : plan.groups) {
    if (const auto error = refusal(plan, group)) return *error;
  }
  MemoryPlan memory{std::vector<ValueMemory>(plan.values.size()), {}};
  std::vector<ReuseToken> tokens;
  PlanTables tables;
  for (const RankGroup& group : plan.groups) {
    const GroupPlanner planner(plan, group, reuse, tables, memory.values);
    memory.groups.push_back(GroupMemory{planner.bytes(), planner.live()});
    if (reuse != Reuse::tokens) continue;
    const std::vector<ReuseToken> more = planner.tokens();
    tokens.insert(tokens.end(), more.begin(), more.end());
  }
  for (const ReuseToken& token : tokens) {
    std::vector<Token> waits(plan.instruction(token.waits).waits);
    waits.push_back(token.token);
    plan.instructions.set_waits(token.waits, waits);
  }
  if (!tokens.empty()) set_waits(plan);
  return memory;
}

}  // namespace isoshard
