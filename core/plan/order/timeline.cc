// Happens-before of runs of instructions, loops iteration by iteration, by vector clocks (C. Fidge 1988, F. Mattern
// 1989). Runs are added in issue order, with which every order of queues, token and bound of a loop agrees, so that a
// clock is known at once: the one before on the queue, those of tokens, and in front of an iteration those of all
// queues that go through the loop, `ahead` + 1 iterations before. A queue that has no instruction in a loop that runs
// is never waited for there. The caller says how many iterations there are. Cost: runs times queues.
#include "core/plan/order/timeline.h"

#include <algorithm>

#include "core/plan/order/issue_order.h"

namespace isoshard {

Timeline::Timeline(const Plan& plan, const RankGroup& group, Tables& tables) : plan_(plan), tables_(tables) {
  tables_.queue_of.clear();
  tables_.nest_of.clear();
  tables_.last_run.clear();
  note(group.blocks, {}, true);
  now_.assign(queues_ * queues_, 0);
  on_queue_.resize(queues_);
}

void Timeline::note(const std::vector<Block>& blocks, Loops around, bool runs) {
  const auto nest = static_cast<uint32_t>(nests_.size());
  nests_.push_back(around);
  for (const Block& block : blocks) {
    for (const auto& [id, queue] : in_issue_order(block)) {
      if (!around.empty()) tables_.nest_of[id] = nest;
      uint32_t& own = tables_.queue_of[queue];
      if (own == kNone) own = static_cast<uint32_t>(queues_++);
      for (const Repeat* loop : around) {
        std::vector<uint32_t>& through = through_[loop];
        if (runs && std::find(through.begin(), through.end(), own) == through.end()) through.push_back(own);
      }
    }
    if (!block.repeat) continue;
    around.push_back(&*block.repeat);
    note(block.repeat->body, around, runs && block.repeat->count > 0);
    around.pop_back();
  }
}

size_t Timeline::add(InstructionId id, QueueId queue) {
  const uint32_t own = tables_.queue_of.at(queue);
  const Clock clock = now(own);
  for (const Token& token : plan_.instruction(id).waits) wait_for(clock, token, id);
  started_.insert(started_.end(), clock.begin(), clock.end());
  const auto index = static_cast<uint32_t>(on_queue_[own].size());
  const size_t m = moments_.size();
  uint32_t& last_run = tables_.last_run[id];
  const uint32_t iterations = runs_.empty() ? 0 : runs_.back().iterations;
  moments_.push_back(Moment{id, own, index, last_run, iterations, static_cast<uint32_t>(runs_.size())});
  last_run = static_cast<uint32_t>(m);
  clock[own] = index + 1;
  on_queue_[own].push_back(last_run);
  return m;
}

void Timeline::finish(Clock clock, size_t m) const {
  const std::span<const uint32_t> before = started(m);
  for (size_t q = 0; q < clock.size(); ++q) clock[q] = std::max(clock[q], before[q]);
  const Moment& moment = moments_[m];
  clock[moment.queue] = std::max(clock[moment.queue], moment.index + 1);
}

void Timeline::wait_for(Clock clock, const Token& token, InstructionId id) const {
  uint32_t run = tables_.last_run.at(token.instruction);
  if (run == kNone) return;
  if (!token.previous) return finish(clock, run);
  const size_t loops = common_loops(id, token.instruction);
  if (loops == 0) return;
  while (run != kNone && run >= runs_[loops - 1].begun) run = moments_[run].before;
  if (run != kNone) finish(clock, run);
}

std::optional<size_t> Timeline::next_on(size_t queue, size_t moment) const {
  const auto next = std::lower_bound(on_queue_[queue].begin(), on_queue_[queue].end(), moment);
  if (next == on_queue_[queue].end()) return std::nullopt;
  return *next;
}

size_t Timeline::common_loops(InstructionId a, InstructionId b) const {
  const Loops &left = nests_[tables_.nest_of.at(a)], &right = nests_[tables_.nest_of.at(b)];
  size_t loops = 0;
  while (loops < left.size() && loops < right.size() && left[loops] == right[loops]) ++loops;
  return loops;
}

void Timeline::begin_loop(const Repeat& repeat) { runs_.push_back(Run{&repeat}); }

void Timeline::begin_iteration() {
  Run& run = runs_.back();
  ++run.iteration;
  run.begun = moments_.size();
  run.iterations = static_cast<uint32_t>(iterations_.size());
  for (const Run& around : runs_) iterations_.push_back(around.iteration);
  const int64_t done = run.iteration - run.repeat->ahead - 1;
  if (done < 0) return;
  const std::vector<uint32_t>& before = run.done[static_cast<size_t>(done)];
  for (const uint32_t queue : through_[run.repeat]) {
    const Clock clock = now(queue);
    for (const uint32_t other : through_[run.repeat]) {
      for (size_t q = 0; q < queues_; ++q) clock[q] = std::max(clock[q], before[other * queues_ + q]);
    }
  }
}

void Timeline::end_iteration() { runs_.back().done.push_back(now_); }

}  // namespace isoshard
