// Turns tokens into waits between streams. A timeline says for each run how many runs of every queue have finished when
// it starts; what its stream does not know yet has to be waited for. Of several such runs the one that is issued last
// is waited for first: its own clock may imply the others, while theirs can never imply it, so that no wait is left
// that another one implies. Loops are gone through iteration by iteration, since an event is recorded and waited for
// once per run. Cost: runs times queues.
#include "core/plan/passes/sync_plan.h"

#include <algorithm>

#include "core/plan/order/issue_order.h"
#include "core/plan/order/timeline.h"

namespace isoshard {
namespace {

class Synchronizer {
 public:
  Synchronizer(const Plan& plan, const RankGroup& group) : plan_(plan), timeline_(plan, group, tables_) {
    out_.streams.resize(timeline_.queues());
    name_streams(group.blocks);
    known_.assign(timeline_.queues(), std::vector<uint32_t>(timeline_.queues(), 0));
    run(group.blocks);
  }
  SyncPlan take() { return std::move(out_); }

 private:
  /// Also of queues on which nothing runs, as those of a loop without iterations.
  void name_streams(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      for (const auto& [id, queue] : in_issue_order(block)) out_.streams[tables_.queue_of.at(queue)] = queue;
      if (block.repeat) name_streams(block.repeat->body);
    }
  }

  void run(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      if (block.repeat) loop(*block.repeat);
      for (const auto& [id, queue] : in_issue_order(block)) issue(id, queue);
    }
  }

  void loop(const Repeat& repeat) {
    timeline_.begin_loop(repeat);
    for (int64_t i = 0; i < repeat.count; ++i) {
      timeline_.begin_iteration();
      run(repeat.body);
      timeline_.end_iteration();
    }
    timeline_.end_loop();
  }

  void issue(InstructionId id, QueueId queue) {
    const size_t m = timeline_.add(id, queue);
    const Timeline::Moment& moment = timeline_.moment(m);
    IssuedRun run{id, moment.queue, static_cast<uint32_t>(out_.iterations.size()), moment.loops};
    const std::span<const int64_t> iterations = timeline_.iterations(moment);
    out_.iterations.insert(out_.iterations.end(), iterations.begin(), iterations.end());
    run.waits = waits_of(m);
    for (const uint32_t awaited : run.waits) out_.runs[awaited].awaited = true;
    out_.tokens += plan_.instruction(id).waits.size();
    out_.waits += run.waits.size();
    out_.runs.push_back(std::move(run));
    known_[moment.queue][moment.queue] = moment.index + 1;
  }

  std::vector<uint32_t> waits_of(size_t m) {
    const std::span<const uint32_t> needed = timeline_.started(m);
    std::vector<uint32_t>& known = known_[timeline_.moment(m).queue];
    std::vector<size_t> open;
    for (size_t q = 0; q < needed.size(); ++q) {
      if (needed[q] > known[q]) open.push_back(timeline_.at(q, needed[q] - 1));
    }
    std::sort(open.rbegin(), open.rend());
    std::vector<uint32_t> waits;
    for (const size_t run : open) {
      const Timeline::Moment& awaited = timeline_.moment(run);
      if (known[awaited.queue] > awaited.index) continue;
      waits.push_back(static_cast<uint32_t>(run));
      const std::span<const uint32_t> before = timeline_.started(run);
      for (size_t q = 0; q < before.size(); ++q) known[q] = std::max(known[q], before[q]);
      known[awaited.queue] = awaited.index + 1;
    }
    return waits;
  }

  const Plan& plan_;
  Timeline::Tables tables_;
  Timeline timeline_;
  std::vector<std::vector<uint32_t>> known_;  ///< by stream: per stream, how many runs have finished by its tail
  SyncPlan out_;
};

double count(const std::vector<Block>& blocks) {
  double runs = 0;
  for (const Block& block : blocks) {
    for (const Queue& queue : block.queues) runs += static_cast<double>(queue.instructions.size());
    if (block.repeat) runs += static_cast<double>(block.repeat->count) * count(block.repeat->body);
  }
  return runs;
}

}  // namespace

double run_count(const RankGroup& group) { return count(group.blocks); }

SyncPlan sync_plan(const Plan& plan, const RankGroup& group) { return Synchronizer(plan, group).take(); }

}  // namespace isoshard
