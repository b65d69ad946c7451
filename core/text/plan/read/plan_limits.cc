// Bounds of what is verified when a Plan is read, so that a file of a few lines cannot ask for hours or gigabytes. What
// depends on the rank is evaluated on every rank in every iteration (core/plan/verify/verify_meetings.cc), so these are
// counted first; clocks take a number per instruction and queue (core/plan/order/queue_order.h). A value that loops
// only hand on is followed through them by recursion (core/plan/order/value_origins.h): the chain is measured here
// without one. Cost: one walk over the Plan.
#include "core/text/plan/read/plan_limits.h"

#include <algorithm>
#include <string>
#include <unordered_map>

namespace isoshard::text {
namespace {

constexpr double kMostRuns = 4e6;          ///< some seconds, and a hundred bytes for a message
constexpr double kMostClocks = 5e7;        ///< four bytes each
constexpr double kMostInstances = 0x1p50;  ///< of one instruction, on one rank
constexpr size_t kLongestChain = 2000;     ///< of values that are handed on

std::string rounded(double number) {
  std::string text = std::to_string(number);
  return text.substr(0, text.find('.'));
}

/// Instructions that differ from rank to rank.
bool depends_on_rank(const InstructionData& data) {
  return !std::holds_alternative<LocalOp>(data) && !std::holds_alternative<ScalarIndex>(data) &&
         !std::holds_alternative<KeepOn>(data);
}

/// How many blocks are evaluated for it.
size_t dimensions(const InstructionData& data) {
  if (const auto* load = std::get_if<LoadBlock>(&data)) return load->block.size();
  const auto* store = std::get_if<StoreBlock>(&data);
  return store == nullptr ? 0 : store->block.size();
}

class Limits {
 public:
  Limits(const Plan& plan, DiagnosticSink& sink) : plan_(plan), sink_(sink), made_(plan.values.size(), false) {
    for (const Instruction& instruction : plan.instructions) {
      for (const PlanValueId id : instruction.results) made_[id.index()] = true;
    }
  }

  bool run() {
    for (const RankGroup& group : plan_.groups) {
      ranks_ = static_cast<double>(group.size(*plan_.mesh));
      queues_ = 1 + static_cast<double>(plan_.communicators.size());
      walk(group.blocks, 1);
    }
    expect(clocks_, kMostClocks, "instructions and blocks times queues", Location());
    return good_;
  }

 private:
  void report(const Location& location, const std::string& message) {
    if (good_) sink_.error("L-limit", location, message);
    good_ = false;
  }

  void expect(double number, double most, const char* what, const Location& location) {
    if (number <= most) return;
    report(location, "the Plan has " + rounded(number) + " " + what + "; expected at most " + rounded(most) +
                         ", which can be verified when it is read: fewer ranks, iterations or instructions");
  }

  void walk(const std::vector<isoshard::Block>& blocks, double iterations) {
    for (const isoshard::Block& block : blocks) {
      clocks_ += queues_;
      if (block.repeat) {
        const double inside = iterations * static_cast<double>(std::max<int64_t>(block.repeat->count, 1));
        expect(inside, kMostInstances, "iterations of a loop in loops", block.repeat->location);
        enter(*block.repeat);
        walk(block.repeat->body, inside);
        leave(block.repeat->yields, block.repeat->results);
        leave(block.repeat->parts, block.repeat->stacks);
      }
      for (const Queue& queue : block.queues) {
        clocks_ += queues_ * static_cast<double>(queue.instructions.size());
        for (const InstructionId id : queue.instructions) count(plan_.instruction(id), iterations);
      }
    }
  }

  void count(const Instruction& instruction, double iterations) {
    if (!depends_on_rank(instruction.data())) return;
    runs_ += ranks_ * iterations * static_cast<double>(1 + dimensions(instruction.data()));
    expect(runs_, kMostRuns, "instances of instructions and blocks that depend on the rank", instruction.location());
  }

  // Chains.

  /// Through how many loops and carries a value may have come; 0 for what an instruction makes.
  size_t length(PlanValueId id) const {
    const auto known = lengths_.find(id);
    return known == lengths_.end() ? 0 : known->second;
  }

  size_t longest(const std::vector<PlanValueId>& ids) const {
    size_t most = 0;
    for (const PlanValueId id : ids) most = std::max(most, length(id));
    return most;
  }

  /// A carry that is handed on may go to every other one before it comes to rest.
  void enter(const Repeat& loop) {
    size_t inside = std::max(longest(loop.initial), longest(loop.stacked)) + 1;
    for (const PlanValueId id : loop.yields) inside += made_[id.index()] ? 0U : 1U;
    for (const auto* ids : {&loop.arguments, &loop.slices}) {
      for (const PlanValueId id : *ids) lengths_[id] = inside;
    }
    if (inside <= kLongestChain) return;
    report(loop.location, "values are handed on through more than " + std::to_string(kLongestChain) +
                              " loops and carries; expected a shorter chain");
  }

  void leave(const std::vector<PlanValueId>& inside, const std::vector<PlanValueId>& outside) {
    for (size_t i = 0; i < inside.size(); ++i) {
      if (!made_[inside[i].index()]) lengths_[outside[i]] = length(inside[i]) + 1;
    }
  }

  const Plan& plan_;
  DiagnosticSink& sink_;
  double ranks_ = 1, queues_ = 1, runs_ = 0, clocks_ = 0;
  bool good_ = true;
  std::vector<bool> made_;  ///< per value: by an instruction
  std::unordered_map<PlanValueId, size_t> lengths_;
};

}  // namespace

bool check_plan_limits(const Plan& plan, DiagnosticSink& sink) { return Limits(plan, sink).run(); }

}  // namespace isoshard::text
