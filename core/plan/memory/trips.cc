// Which iterations of a loop have to be looked at. What orders two runs in one loop lies between them and is the same
// for all pairs that are as far apart, and those more than `ahead` iterations apart are ordered. A value that is
// carried on `moved` times is read that much later. So pairs up to `ahead` + `moved` + 2 apart show all numbers of
// copies that are needed, and one period of these numbers, and of carries that change places, shows all addresses. The
// remainder by the period is kept, so that the last iteration has the address that it has in truth. Cost: the names of
// carries.
#include "core/plan/memory/trips.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "core/plan/renames.h"

namespace isoshard {
namespace {

constexpr int64_t kMostMoved = 8;
constexpr int64_t kMostWalked = 4096;

/// What names of a body are names of.
class Names {
 public:
  Names(const Plan& plan, const std::vector<Block>& blocks) : plan_(plan) { add(blocks); }

  /// The value that an instruction makes, or that a loop defines and hands on in turns.
  PlanValueId root(PlanValueId id) const {
    const auto operand = renamed_.find(id);
    if (operand != renamed_.end()) return root(operand->second);
    const auto result = results_.find(id);
    if (result == results_.end()) return id;
    const auto& [loop, i] = result->second;
    if (loop->count == 0) return root(loop->initial[i]);
    const PlanValueId last = root(loop->yields[i]);
    return last == loop->arguments[i] ? root(loop->initial[i]) : last;
  }
  bool is_argument(PlanValueId id) const { return arguments_.contains(id); }

  void note_arguments(const Repeat& repeat) { arguments_.insert(repeat.arguments.begin(), repeat.arguments.end()); }

 private:
  void add(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      for (const Queue& queue : block.queues) {
        for (const InstructionId id : queue.instructions) {
          const Instruction& instruction = plan_.instruction(id);
          if (only_renames(instruction)) renamed_[instruction.results[0]] = instruction.operands[0];
        }
      }
      if (!block.repeat) continue;
      const Repeat& repeat = *block.repeat;
      for (size_t i = 0; i < repeat.results.size(); ++i) results_[repeat.results[i]] = {&repeat, i};
      note_arguments(repeat);
      add(repeat.body);
    }
  }

  const Plan& plan_;
  std::unordered_map<PlanValueId, PlanValueId> renamed_;
  std::unordered_map<PlanValueId, std::pair<const Repeat*, size_t>> results_;
  std::unordered_set<PlanValueId> arguments_;
};

/// How many carries take over what another one was.
int64_t moved_carries(const Plan& plan, const Repeat& repeat) {
  Names names(plan, repeat.body);
  names.note_arguments(repeat);
  int64_t moved = 0;
  for (size_t i = 0; i < repeat.yields.size(); ++i) {
    const PlanValueId root = names.root(repeat.yields[i]);
    if (root != repeat.arguments[i] && names.is_argument(root)) ++moved;
  }
  return moved;
}

}  // namespace

std::optional<Trips> trips_of(const Plan& plan, const Repeat& repeat) {
  const int64_t moved = moved_carries(plan, repeat);
  const int64_t apart = std::min(repeat.ahead, repeat.count) + moved + 2;
  if (repeat.count <= apart + 2 || (moved > kMostMoved && repeat.count <= kMostWalked)) {
    return Trips{repeat.count, 1};
  }
  if (moved > kMostMoved) return std::nullopt;
  int64_t period = 1;
  for (int64_t n = 2; n <= std::max<int64_t>(moved, std::min<int64_t>(apart, 3)); ++n) period = std::lcm(period, n);
  while (period < apart) period *= 2;  // so many copies are always enough
  const int64_t least = period + apart + 1;
  if (repeat.count < least + period) return Trips{repeat.count, period};
  return Trips{least + (repeat.count - least) % period, period};
}

}  // namespace isoshard
