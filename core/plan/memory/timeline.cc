// Happens-before of runs of instructions, loops iteration by iteration, by vector clocks (C. Fidge 1988, F. Mattern
// 1989). Runs are added in issue order, with which every order of queues, token and bound of a loop agrees, so that a
// clock is known at once: the one before on the queue, those of tokens, and in front of an iteration those of all
// queues that go through the loop, `ahead` + 1 iterations before. A queue that has no instruction in a loop that runs
// is never waited for there. The caller says how many iterations there are. Cost: runs times queues.
#include "core/plan/memory/timeline.h"

#include <algorithm>

#include "core/plan/issue_order.h"

namespace isoshard {

Timeline::Timeline(const Plan& plan, const RankGroup& group) : plan_(plan) {
  note(group.blocks, true);
  now_.assign(queues_.size(), Clock(queues_.size(), 0));
  on_queue_.resize(queues_.size());
}

void Timeline::note(const std::vector<Block>& blocks, bool runs) {
  for (const Block& block : blocks) {
    for (const auto& [id, queue] : in_issue_order(block)) {
      loops_of_[id] = around_;
      const uint32_t own = queues_.try_emplace(queue.value, static_cast<uint32_t>(queues_.size())).first->second;
      for (const Repeat* loop : around_) {
        std::vector<uint32_t>& through = through_[loop];
        if (runs && std::find(through.begin(), through.end(), own) == through.end()) through.push_back(own);
      }
    }
    if (!block.repeat) continue;
    around_.push_back(&*block.repeat);
    note(block.repeat->body, runs && block.repeat->count > 0);
    around_.pop_back();
  }
}

size_t Timeline::add(InstructionId id, QueueId queue) {
  const uint32_t own = queues_.at(queue.value);
  Clock& clock = now_[own];
  for (const Token& token : plan_.instruction(id).waits) wait_for(clock, token, id);
  started_.insert(started_.end(), clock.begin(), clock.end());
  Moment moment{id, own, static_cast<uint32_t>(on_queue_[own].size())};
  for (const Run& run : runs_) moment.iterations.push_back(run.iteration);
  clock[own] = moment.index + 1;
  on_queue_[own].push_back(moments_.size());
  of_[id].push_back(moments_.size());
  moments_.push_back(std::move(moment));
  return moments_.size() - 1;
}

void Timeline::finish(Clock& clock, size_t m) const {
  const std::span<const uint32_t> before = started(m);
  for (size_t q = 0; q < clock.size(); ++q) clock[q] = std::max(clock[q], before[q]);
  const Moment& moment = moments_[m];
  clock[moment.queue] = std::max(clock[moment.queue], moment.index + 1);
}

void Timeline::wait_for(Clock& clock, const Token& token, InstructionId id) const {
  const auto known = of_.find(token.instruction);
  if (known == of_.end()) return;
  if (!token.previous) return finish(clock, known->second.back());
  const size_t loops = common_loops(id, token.instruction);
  if (loops == 0) return;
  const auto behind = std::lower_bound(known->second.begin(), known->second.end(), runs_[loops - 1].begun);
  if (behind != known->second.begin()) finish(clock, *(behind - 1));
}

std::optional<size_t> Timeline::next_on(size_t queue, size_t moment) const {
  const auto next = std::lower_bound(on_queue_[queue].begin(), on_queue_[queue].end(), moment);
  if (next == on_queue_[queue].end()) return std::nullopt;
  return *next;
}

size_t Timeline::common_loops(InstructionId a, InstructionId b) const {
  if (through_.empty()) return 0;
  const std::vector<const Repeat*>&left = loops_of_.at(a), &right = loops_of_.at(b);
  size_t loops = 0;
  while (loops < left.size() && loops < right.size() && left[loops] == right[loops]) ++loops;
  return loops;
}

void Timeline::begin_loop(const Repeat& repeat) { runs_.push_back(Run{&repeat}); }

void Timeline::begin_iteration() {
  Run& run = runs_.back();
  ++run.iteration;
  run.begun = moments_.size();
  const int64_t done = run.iteration - run.repeat->ahead - 1;
  if (done < 0) return;
  for (const uint32_t queue : through_[run.repeat]) {
    for (const uint32_t other : through_[run.repeat]) {
      const Clock& clock = run.done[static_cast<size_t>(done)][other];
      for (size_t q = 0; q < clock.size(); ++q) now_[queue][q] = std::max(now_[queue][q], clock[q]);
    }
  }
}

void Timeline::end_iteration() { runs_.back().done.push_back(now_); }

}  // namespace isoshard
