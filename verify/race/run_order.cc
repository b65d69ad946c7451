// Happens-before of the runs of one rank, with a vector clock per run (C. Fidge 1988, F. Mattern 1989): what its queue
// has done, what its tokens name, and in front of an iteration what all queues of the loop have done `ahead` + 1
// iterations before. It shares nothing with the order by which buffers were planned (core/plan/memory): a mistake there
// has to show here. What other ranks make certain by what they send back is left out, so that a Plan that relies on it
// is told to have a race. Cost: runs times queues.
#include "verify/race/run_order.h"

#include <algorithm>
#include <span>

#include "core/plan/issue_order.h"

namespace isoshard::verify {
namespace {

constexpr size_t kNoRun = static_cast<size_t>(-1);

}  // namespace

RunOrder::RunOrder(const Plan& plan, const RankGroup& group, const RankRuns& runs) : plan_(plan), runs_(runs) {
  note(group.blocks, {}, true);
  queues_ = queue_of_.size();
  done_.assign(queues_, std::vector<uint32_t>(queues_, 0));
  last_.assign(queues_, kNoRun);
  starts_.reserve(runs.runs.size() * queues_);
  auto mark = runs.marks.begin();
  for (size_t r = 0; r < runs.runs.size(); ++r) {
    for (; mark != runs.marks.end() && mark->before <= r; ++mark) pass(*mark);
    start(runs.runs[r], r);
  }
}

void RunOrder::note(const std::vector<Block>& blocks, const std::vector<const Repeat*>& around, bool runs) {
  for (const Block& block : blocks) {
    for (const auto& [id, queue] : in_issue_order(block)) {
      around_[id] = around;
      const uint32_t own = queue_of_.try_emplace(queue.value, static_cast<uint32_t>(queue_of_.size())).first->second;
      for (const Repeat* loop : around) {
        std::vector<uint32_t>& through = through_[loop];
        if (runs && std::count(through.begin(), through.end(), own) == 0) through.push_back(own);
      }
    }
    if (!block.repeat) continue;
    std::vector<const Repeat*> inside = around;
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
  const std::vector<size_t>& ends = open_.back().ends[static_cast<size_t>(done)];
  for (const uint32_t waits : through_[mark.repeat]) {
    for (const uint32_t other : through_[mark.repeat]) join(waits, ends[other]);
  }
}

void RunOrder::join(size_t queue, size_t run) {
  if (run == kNoRun) return;
  std::vector<uint32_t>& clock = done_[queue];
  for (size_t q = 0; q < queues_; ++q) clock[q] = std::max(clock[q], starts_[run * queues_ + q]);
  clock[places_[run].queue] = std::max(clock[places_[run].queue], places_[run].index + 1);
}

void RunOrder::start(const Run& run, size_t number) {
  const uint32_t queue = queue_of_.at(run.queue.value);
  for (const Token& token : plan_.instruction(run.instruction).waits) {
    if (const size_t* other = waited_for(run, token)) join(queue, *other);
  }
  std::vector<uint32_t>& clock = done_[queue];
  starts_.insert(starts_.end(), clock.begin(), clock.end());
  const uint32_t index = last_[queue] == kNoRun ? 0 : places_[last_[queue]].index + 1;
  places_.push_back(Place{queue, index});
  clock[queue] = index + 1;
  last_[queue] = number;
  of_[run.instruction].push_back(number);
}

/// The latest run, or the latest one in an iteration before of the loops around both.
const size_t* RunOrder::waited_for(const Run& run, const Token& token) const {
  const auto known = of_.find(token.instruction);
  if (known == of_.end()) return nullptr;
  if (!token.previous) return &known->second.back();
  const size_t loops = loops_around_both(run.instruction, token.instruction);
  if (loops == 0) return nullptr;
  const auto common = [&](const std::vector<int64_t>& iterations) { return std::span(iterations).first(loops); };
  for (size_t i = known->second.size(); i-- > 0;) {
    if (!std::ranges::equal(common(runs_.runs[known->second[i]].iterations), common(run.iterations))) {
      return &known->second[i];
    }
  }
  return nullptr;
}

size_t RunOrder::loops_around_both(InstructionId a, InstructionId b) const {
  const auto left = around_.find(a), right = around_.find(b);
  if (left == around_.end() || right == around_.end()) return 0;
  const auto end = std::mismatch(left->second.begin(), left->second.end(), right->second.begin(), right->second.end());
  return static_cast<size_t>(end.first - left->second.begin());
}

}  // namespace isoshard::verify
