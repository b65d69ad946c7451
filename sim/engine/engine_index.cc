// Where each instruction of a Plan stands, block, queue and place in it, which group each device belongs to, which
// queues go through which loops, and how often each value is read. It also estimates the work of a run, elements moved
// plus products over 8, since these are vectorised, times the repetitions of loops and the devices; small runs then
// need no further workers. Cost: one walk over the Plan.
#include "sim/engine/engine_index.h"

#include <algorithm>
#include <span>
#include <thread>
#include <utility>

#include "core/plan/order/issue_order.h"
#include "core/support/check.h"

namespace isoshard::sim {
namespace {

double elements(const Plan& plan, std::span<const PlanValueId> ids) {
  double sum = 0;
  for (const PlanValueId id : ids) sum += static_cast<double>(element_count(plan.value(id).type().shape));
  return sum;
}

double work_of(const Plan& plan, const Instruction& instruction) {
  const double moved = 1 + elements(plan, instruction.operands) + elements(plan, instruction.results);
  const auto* local = std::get_if<LocalOp>(&instruction.data());
  const DotGeneral* dot = local == nullptr ? nullptr : std::get_if<DotGeneral>(&local->op);
  if (dot == nullptr) return moved;
  double products = elements(plan, instruction.results);
  const Shape& lhs = plan.value(instruction.operands[0]).type().shape;
  for (const int64_t dim : dot->contract.lhs) products *= static_cast<double>(lhs[static_cast<size_t>(dim)]);
  return moved + products / 8;  // products are vectorised
}

}  // namespace

PlanIndex::PlanIndex(const Plan& plan)
    : instructions_(plan.instructions.begin(), plan.instructions.end()),
      places_(plan.instructions.size()),
      roots_(static_cast<size_t>(plan.mesh->device_count()), nullptr),
      reads_(plan.values.size(), 0),
      read_by_loops_(plan.values.size(), false),
      works_(plan.instructions.size(), 0) {
  types_.reserve(plan.values.size());
  for (const PlanValue& value : plan.values) types_.push_back(&value.type());
  for (const Instruction& instruction : instructions_) {
    for (const PlanValueId id : instruction.operands) ++reads_[id.index()];
  }
  for (const RankGroup& group : plan.groups) {
    const bool everyone = group.positions.empty();
    const double devices = static_cast<double>(everyone ? roots_.size() : group.positions.size());
    const Scope* root = add(plan, Scope{&group.blocks}, queue_count(group.blocks), devices);
    for (const int64_t position : group.positions) {
      ISOSHARD_CHECK(position >= 0 && position < plan.mesh->device_count(), "position of a rank group");
      ISOSHARD_CHECK(roots_[static_cast<size_t>(position)] == nullptr, "a position belongs to two rank groups");
      roots_[static_cast<size_t>(position)] = root;
    }
    if (everyone) roots_.assign(roots_.size(), root);
  }
}

size_t PlanIndex::worker_count(const RunOptions& options) const {
  if (work_ < options.small_work) return 1;
  return options.workers.count > 0 ? static_cast<size_t>(options.workers.count)
                                   : std::max<size_t>(1, std::thread::hardware_concurrency());
}

const Scope* PlanIndex::add(const Plan& plan, Scope made, size_t queues, double repetitions) {
  scopes_.push_back(std::move(made));
  Scope& scope = scopes_.back();
  if (scope.parent != nullptr) scope.around = scope.parent->around;
  scope.around.push_back(&scope);
  scope.entered.assign(queues, false);
  for (size_t b = 0; b < scope.blocks->size(); ++b) {
    const Block& block = (*scope.blocks)[b];
    const Scope* body = nullptr;
    if (block.repeat) {
      Scope inner{&block.repeat->body, &*block.repeat, &scope, b, scope.depth + 1};
      body = add(plan, std::move(inner), queues, repetitions * static_cast<double>(block.repeat->count));
      if (body->entering == 0) scope.idle.push_back(body);
    }
    scope.bodies.push_back(body);
    for (size_t q = 0; q < queues; ++q) {
      const bool here = q < block.queues.size() && !block.queues[q].instructions.empty();
      if (here || (body != nullptr && body->entered[q])) scope.entered[q] = true;
    }
    if (!block.repeat) add_queues(plan, scope, b, repetitions);
  }
  if (scope.count() == 0) scope.entered.assign(queues, false);
  scope.entering = static_cast<size_t>(std::count(scope.entered.begin(), scope.entered.end(), true));
  if (scope.repeat != nullptr) add_repeat(scope);
  return &scope;
}

void PlanIndex::add_queues(const Plan& plan, const Scope& scope, size_t block, double repetitions) {
  const std::vector<Queue>& queues = (*scope.blocks)[block].queues;
  for (size_t q = 0; q < queues.size(); ++q) {
    const std::vector<InstructionId>& instructions = queues[q].instructions;
    for (size_t i = 0; i < instructions.size(); ++i) {
      places_[instructions[i].index()] = {&scope, static_cast<uint32_t>(block), static_cast<uint32_t>(q),
                                          static_cast<uint32_t>(i)};
      const double work = work_of(plan, instruction(instructions[i]));
      works_[instructions[i].index()] = work;
      work_ += repetitions * work;
      largest_work_ = std::max(largest_work_, work);
    }
  }
}

void PlanIndex::add_repeat(const Scope& body) {
  add_uses(body.repeat->initial, LoopUse::Kind::initial, body);
  add_uses(body.repeat->stacked, LoopUse::Kind::stacked, body);
  if (body.count() == 0) return;  // nothing inside is ever made
  add_uses(body.repeat->yields, LoopUse::Kind::yield, body);
  add_uses(body.repeat->parts, LoopUse::Kind::part, body);
}

/// A carried value that does not change is not read by the loop at the end of an iteration: what it started from stays.
void PlanIndex::add_uses(const std::vector<PlanValueId>& ids, LoopUse::Kind kind, const Scope& body) {
  for (size_t i = 0; i < ids.size(); ++i) {
    if (kind == LoopUse::Kind::yield && body.repeat->yields[i] == body.repeat->arguments[i]) continue;
    ++reads_[ids[i].index()];
    read_by_loops_[ids[i].index()] = true;
    loop_uses_[ids[i]].push_back({kind, &body, i});
  }
}

}  // namespace isoshard::sim
