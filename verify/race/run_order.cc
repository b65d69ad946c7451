// Happens-before of the runs of one rank, with a vector clock per run (C. Fidge 1988, F. Mattern 1989): what its queue
// has done, what its tokens name, and in front of an iteration what all queues of the loop have done `ahead` + 1
// iterations before. It shares nothing with the order by which buffers were planned (core/plan/memory): a mistake there
// has to show here. What other ranks make certain by what they send back is left out, so that a Plan that relies on it
// is told to have a race. Cost: runs times queues.
#include "verify/race/run_order.h"

#include <algorithm>
#include <span>

#include "core/plan/order/issue_order.h"

namespace isoshard::verify {

RunOrder::RunOrder(const Plan& plan, const RankGroup& group, const RankRuns& runs, Tables& tables)
    : plan_(plan), runs_(runs), tables_(tables) {
  tables_.queue_of.clear();
  tables_.nest_of.clear();
  tables_.last_run.clear();
  note(group.blocks, {}, true);
  done_.assign(queues_ * queues_, 0);
  last_.assign(queues_, kNone);
  places_.reserve(runs.runs.size());
  starts_.reserve(runs.runs.size() * queues_);
  auto mark = runs.marks.begin();
  for (uint32_t r = 0; r < runs.runs.size(); ++r) {
    for (; mark != runs.marks.end() && mark->before <= r; ++mark) pass(*mark);
    start(runs.runs[r], r);
  }
}

void RunOrder::note(const std::vector<Block>& blocks, const Loops& around, bool runs) {
  const auto nest = static_cast<uint32_t>(nests_.size());
  nests_.push_back(around);
  for (const Block& block : blocks) {
    for (const auto& [id, queue] : in_issue_order(block)) {
      if (!around.empty()) tables_.nest_of[id] = nest;
      uint32_t& own = tables_.queue_of[queue];
      if (own == kNone) own = static_cast<uint32_t>(queues_++);
      for (const Repeat* loop : around) {
        std::vector<uint32_t>& through = through_[loop];
        if (runs && std::count(through.begin(), through.end(), own) == 0) through.push_back(own);
      }
    }
    if (!block.repeat) continue;
    Loops inside = around;
    inside.push_back(&*block.repeat);
    note(block.repeat->body, inside, runs && block.repeat->count > 0);
  }
}

void RunOrder::pass(const RankRuns::Mark& mark) {
  if (mark.iteration > 0) open_.back().ends.push_back(last_);
  if (mark.ends) return open_.pop_back();
  if (mark.iteration == 0) open_.push_back(OpenLoop{mark.repeat});
  const int64_t done = mark.iteration - 1 - mark.repeat->ahead;
  if (done < 0) return;
  const std::vector<uint32_t>& ends = open_.back().ends[static_cast<size_t>(done)];
  for (const uint32_t waits : through_[mark.repeat]) {
    for (const uint32_t other : through_[mark.repeat]) join(waits, ends[other]);
  }
}

void RunOrder::join(size_t queue, uint32_t run) {
  if (run == kNone) return;
  const std::span<uint32_t> clock = std::span(done_).subspan(queue * queues_, queues_);
  for (size_t q = 0; q < queues_; ++q) clock[q] = std::max(clock[q], starts_[run * queues_ + q]);
  clock[places_[run].queue] = std::max(clock[places_[run].queue], places_[run].index + 1);
}

void RunOrder::start(const Run& run, uint32_t number) {
  const uint32_t queue = tables_.queue_of.at(run.queue);
  for (const Token& token : plan_.instruction(run.instruction).waits) join(queue, waited_for(run, token));
  const std::span<uint32_t> clock = std::span(done_).subspan(queue * queues_, queues_);
  starts_.insert(starts_.end(), clock.begin(), clock.end());
  const uint32_t index = last_[queue] == kNone ? 0 : places_[last_[queue]].index + 1;
  uint32_t& last_run = tables_.last_run[run.instruction];
  places_.push_back(Place{queue, index, last_run});
  clock[queue] = index + 1;
  last_[queue] = last_run = number;
}

/// The latest run, or the latest one in an iteration before of the loops around both.
uint32_t RunOrder::waited_for(const Run& run, const Token& token) const {
  uint32_t latest = tables_.last_run.at(token.instruction);
  if (!token.previous) return latest;
  const size_t loops = loops_around_both(run.instruction, token.instruction);
  if (loops == 0) return kNone;
  const auto common = [&](const Run& one) { return runs_.iterations_of(one).first(loops); };
  while (latest != kNone && std::ranges::equal(common(runs_.runs[latest]), common(run))) {
    latest = places_[latest].before;
  }
  return latest;
}

size_t RunOrder::loops_around_both(InstructionId a, InstructionId b) const {
  const Loops &left = nests_[tables_.nest_of.at(a)], &right = nests_[tables_.nest_of.at(b)];
  const auto end = std::mismatch(left.begin(), left.end(), right.begin(), right.end());
  return static_cast<size_t>(end.first - left.begin());
}

}  // namespace isoshard::verify
