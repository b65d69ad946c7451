// Bounds of when queues do what, as places of the compute queue, for one list of blocks: the earliest place follows
// from what comes before on the same queue and from tokens, the latest from what comes after. What a queue does of a
// loop is one thing here; an instruction inside that waits for one outside says only that this one ends before the loop
// does. Cost: two walks over the instructions.
#include "sim/run/scope_times.h"

#include <algorithm>

#include "core/plan/order/issue_order.h"

namespace isoshard::sim {

ScopeTimes::ScopeTimes(const Plan& plan, const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    if (block.repeat) {
      add_loop(plan, block);
    } else {
      add_instructions(plan, block);
    }
  }
  set_times();
}

size_t ScopeTimes::add(size_t queue, bool is_loop) {
  Node node;
  node.on_compute = queue == 0;
  node.is_loop = is_loop;
  std::vector<size_t>& own = on_queue_[queue];
  if (!own.empty()) node.before.push_back(own.back());
  own.push_back(nodes_.size());
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

void ScopeTimes::add_instructions(const Plan& plan, const Block& block) {
  for (const auto& [id, queue] : in_issue_order(block)) {
    const size_t node = of_instruction_[id] = add(queue.index(), false);
    for (const Token& token : plan.instruction(id).waits) {
      const auto known = of_instruction_.find(token.instruction);
      if (known != of_instruction_.end() && !token.previous) nodes_[node].before.push_back(known->second);
    }
  }
}

void ScopeTimes::enter_inside(const std::vector<Block>& blocks, const Block& loop, std::vector<InstructionId>& inside) {
  for (const Block& block : blocks) {
    if (block.repeat && block.repeat->count > 0) enter_inside(block.repeat->body, loop, inside);
    for (const auto& [id, queue] : in_issue_order(block)) {
      std::map<size_t, size_t>& nodes = of_loop_[&loop];
      const auto known = nodes.find(queue.index());
      of_instruction_[id] = known != nodes.end() ? known->second : nodes[queue.index()] = add(queue.index(), true);
      inside.push_back(id);
    }
  }
}

void ScopeTimes::add_loop(const Plan& plan, const Block& loop) {
  const size_t first = nodes_.size();
  std::vector<InstructionId> inside;
  if (loop.repeat->count > 0) enter_inside(loop.repeat->body, loop, inside);
  if (inside.empty()) {
    of_loop_[&loop][0] = add(0, true);
    idle_.insert(&loop);
  }
  for (const InstructionId id : inside) {
    for (const Token& token : plan.instruction(id).waits) {
      const auto known = of_instruction_.find(token.instruction);
      const bool outside = known != of_instruction_.end() && known->second < first;
      if (outside) nodes_[of_instruction_.at(id)].meanwhile.push_back(known->second);
    }
  }
  const std::map<size_t, size_t>& nodes = of_loop_[&loop];
  if (nodes.count(0) == 0 || loop.repeat->count <= loop.repeat->ahead) return;
  for (const auto& [queue, node] : nodes) nodes_[node].beside = nodes.at(0);
}

void ScopeTimes::set_times() {
  for (Node& node : nodes_) {
    if (node.on_compute) {
      node.when.begin = end_++;
      continue;
    }
    for (const size_t b : node.before) {
      const bool done = nodes_[b].on_compute && !nodes_[b].is_loop;
      node.when.begin = std::max(node.when.begin, nodes_[b].when.begin + (done ? 1 : 0));
      if (nodes_[b].beside) node.when.begin = std::max(node.when.begin, nodes_[*nodes_[b].beside].when.begin);
    }
  }
  for (Node& node : nodes_) node.when.end = node.on_compute ? node.when.begin : end_;
  for (size_t n = nodes_.size(); n-- > 0;) {
    for (const auto* list : {&nodes_[n].before, &nodes_[n].meanwhile}) {
      for (const size_t other : *list) nodes_[other].when.end = std::min(nodes_[other].when.end, nodes_[n].when.end);
    }
  }
}

PlaceInterval ScopeTimes::when(const Block& loop) const {
  PlaceInterval all{is_idle(loop) ? 0 : end_, 0};
  for (const auto& [queue, node] : of_loop_.at(&loop)) {
    all.begin = std::min(all.begin, nodes_[node].when.begin);
    all.end = std::max(all.end, nodes_[node].when.end);
  }
  return all;
}

std::optional<size_t> ScopeTimes::end_of_next(QueueId queue, size_t place) const {
  const auto own = on_queue_.find(queue.index());
  if (own == on_queue_.end()) return std::nullopt;
  for (const size_t node : own->second) {
    if (!nodes_[node].is_loop && nodes_[node].when.begin > place) return nodes_[node].when.end;
  }
  return std::nullopt;
}

}  // namespace isoshard::sim
