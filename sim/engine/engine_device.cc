// One virtual device: a place per queue in blocks and loops (engine_cursor.h), and the values that live
// (engine_loops.h). A step advances one queue by one instruction: the first that can go on, in issue order, or a random
// one. An instruction that communicates is two steps, arrive and leave, between which the device goes on with other
// queues; one that waits for tokens is not ready. Queues go through blocks and loops by themselves, `ahead` iterations
// at most before the last one. Operands that are read for the last time leave their slot before the op runs, so that
// their storage is free early. Cost: a scan over the queues per step.
#include "sim/engine/engine_device.h"

#include <algorithm>
#include <array>

#include "core/support/check.h"
#include "sim/engine/device_blocks.h"
#include "sim/engine/run_memory.h"
#include "sim/evaluate/conversion.h"
#include "sim/evaluate/evaluate.h"
#include "sim/value/movement.h"

namespace isoshard::sim {

Device::Device(const EngineContext& context, int64_t position)
    : context_(context),
      position_(position),
      sequence_(context.plan.communicators.size(), 0),
      values_(context, position, context.index.root(position)) {
  const Scope* root = context.index.root(position);
  if (root == nullptr) return;
  running_ = root->entered.size();
  queues_.assign(running_, QueueState{QueueCursor(root)});
  for (size_t q = 0; q < queues_.size(); ++q) settle(q);
}

InstructionId Device::unmet_wait(size_t queue) const {
  const InstructionId id = head(queue);
  for (const Token& token : context_.index.instruction(id).waits) {
    if (!is_met(queue, token, token.instruction < id && !token.previous)) return token.instruction;
  }
  return {};
}

bool Device::is_met(size_t queue, const Token& token, bool precedes) const {
  const InstructionPlace& place = context_.index.place(token.instruction);
  const QueueState& other = queues_[place.queue];
  if (place.scope->depth == 0) return !precedes || other.cursor.has_finished(place, other.finished);
  return other.cursor.finished(place, other.finished) >= queues_[queue].cursor.required(place, precedes);
}

bool Device::can_go_on(size_t queue) {
  QueueState& state = queues_[queue];
  if (state.begun) return ticket(queue) == nullptr;
  if (state.instructions.empty() && !state.cursor.at_end()) settle(queue);
  return head(queue).valid() && !unmet_wait(queue).valid();
}

const Ticket* Device::ticket(size_t queue) const {
  const QueueState& state = queues_[queue];
  if (state.sent && !Fabric::complete(*state.sent)) return &*state.sent;
  return state.ticket && !Fabric::complete(*state.ticket) ? &*state.ticket : nullptr;
}

/// In issue order, loops iteration by iteration.
bool Device::is_before(size_t a, size_t b) const {
  const QueueCursor &left = queues_[a].cursor, &right = queues_[b].cursor;
  if (left.is_before(right)) return true;
  return !right.is_before(left) && head(a) < head(b);
}

/// The queue to go on with; their number where none can.
size_t Device::choose(const ReadyDevice& ready) {
  std::vector<size_t>& queues = lists_->ready;
  queues.clear();
  for (size_t q = 0; q < queues_.size(); ++q) {
    if (can_go_on(q)) queues.push_back(q);
  }
  if (queues.empty()) return queues_.size();
  if (ready.is_drawn) return queues[static_cast<size_t>(ready.draw % queues.size())];
  return *std::min_element(queues.begin(), queues.end(), [&](size_t a, size_t b) { return is_before(a, b); });
}

DeviceStep Device::step(const ReadyDevice& ready, StepLists& lists) {
  lists_ = &lists;
  const size_t queue = done() ? queues_.size() : choose(ready);
  return queue < queues_.size() ? advance(queue) : DeviceStep{};
}

DeviceStep Device::advance(size_t queue) {
  const InstructionId id = head(queue);
  const Instruction& instruction = context_.index.instruction(id);
  QueueState& state = queues_[queue];
  queue_ = queue;
  iteration_ = state.cursor.iteration();
  if (state.begun) {
    leave(instruction);
  } else if (communicator_of(instruction.data()) != nullptr) {
    DeviceStep result = arrive(instruction);
    result.kind = DeviceStep::Kind::started;
    result.instruction = id;
    begin(instruction.results);
    return result;
  } else {
    run(instruction);
    lists_->operands.clear();
  }
  finish(queue);
  return DeviceStep{DeviceStep::Kind::finished, id};
}

/// What is received from nobody is zeros.
void Device::leave(const Instruction& instruction) {
  QueueState& state = queues_[queue_];
  if (state.sent) context_.fabric.leave(*std::exchange(state.sent, std::nullopt));
  std::optional<Ticket> ticket = std::exchange(state.ticket, std::nullopt);
  state.begun = false;
  Value received = ticket ? context_.fabric.leave(std::move(*ticket)) : Value{};
  if (instruction.results.empty()) return;
  const PlanValueId result = instruction.results[0];
  bind(result, ticket ? std::move(received) : zeros(context_.index.type(result), context_.domain));
}

void Device::finish(size_t queue) {
  QueueState& state = queues_[queue];
  if (++state.finished < state.instructions.size()) return;
  ++state.cursor.level().block;
  settle(queue);
}

/// Goes to the next block that has an instruction for the queue, through ends of iterations, or to the end; or it stays
/// in front of an iteration that may not begin yet.
void Device::settle(size_t queue) {
  QueueState& state = queues_[queue];
  state.instructions = {};
  state.finished = 0;
  while (!state.cursor.at_end()) {
    const auto [scope, b, iteration] = state.cursor.level();
    if (b == scope->blocks->size()) {
      if (!end_iteration(queue)) return;
      continue;
    }
    const Block& block = (*scope->blocks)[b];
    if (const Scope* body = scope->bodies[b]; body != nullptr && body->entered[queue]) {
      enter(queue, *body);
      continue;
    }
    if (!block.repeat && queue < block.queues.size()) state.instructions = block.queues[queue].instructions;
    if (!state.instructions.empty()) return;
    ++state.cursor.level().block;
  }
  --running_;
}

/// False where the next one may not begin yet.
bool Device::end_iteration(size_t queue) {
  QueueCursor& cursor = queues_[queue].cursor;
  const Scope& scope = *cursor.level().scope;
  if (scope.repeat != nullptr && cursor.level().iteration + 1 < scope.count()) {
    if (lagging(queue)) return false;
    cursor.next_iteration();
    values_.open(scope, cursor.outer_iteration(), cursor.level().iteration);
    return true;
  }
  if (scope.repeat != nullptr) values_.leave(scope, cursor.outer_iteration());
  cursor.leave();
  return true;
}

void Device::enter(size_t queue, const Scope& body) {
  QueueCursor& cursor = queues_[queue].cursor;
  cursor.enter(body);
  values_.open(body, cursor.outer_iteration(), 0);
}

std::optional<size_t> Device::lagging(size_t queue) const {
  const QueueCursor& here = queues_[queue].cursor;
  if (here.at_end() || head(queue).valid()) return std::nullopt;
  const auto [scope, block, iteration] = here.path().back();
  for (size_t q = 0; q < queues_.size(); ++q) {
    const bool counts = q != queue && scope->entered[q];
    if (counts && queues_[q].cursor.iterations_done(here) < iteration + 1 - scope->repeat->ahead) return q;
  }
  return std::nullopt;
}

void Device::begin(const PlanValueIds& results) {
  RunMemory* const memory = context_.options.memory;
  if (memory == nullptr) return;
  for (const PlanValueId id : results) memory->begin(position_, id, queues_[queue_].cursor.iterations());
}

void Device::bind(PlanValueId id, Value&& value) {
  RunMemory* const memory = context_.options.memory;
  if (memory != nullptr) memory->write(position_, id, queues_[queue_].cursor.iterations(), value);
  values_.bind({id, iteration_}, std::move(value));
}

/// The operands; those read for the last time leave the device's slots, so that their storage can be freed early.
std::vector<Value>& Device::operands_of(const Instruction& instruction) {
  std::vector<Value>& result = lists_->operands;
  result.clear();
  RunMemory* const memory = context_.options.memory;
  for (const PlanValueId id : instruction.operands) {
    Value kept = values_.read({id, iteration_});
    if (memory != nullptr) kept = memory->read(position_, id, queues_[queue_].cursor.iterations(), std::move(kept));
    result.push_back(std::move(kept));
  }
  return result;
}

void Device::run(const Instruction& instruction) {
  std::vector<Value>& operands = operands_of(instruction);
  if (const auto* store = std::get_if<StoreBlock>(&instruction.data())) {
    stored_.push_back({store->output, stored_block(context_.plan, *store, operands[0], here())});
    return;
  }
  if (const auto* local = std::get_if<LocalOp>(&instruction.data())) return run(*local, instruction, operands);
  const PlanValueId result = instruction.results[0];
  if (const auto* source = std::get_if<LoadBlock>(&instruction.data())) {
    bind(result, load_block(context_, *source, result, here()));
  } else if (const auto* index = std::get_if<ScalarIndex>(&instruction.data())) {
    bind(result, scalar_i32(evaluate_expr(index->value), context_.domain));
  } else if (const auto* block = std::get_if<TakeBlock>(&instruction.data())) {
    bind(result, take_block(operands[0], block->dim, evaluate_expr(block->block), block->count));
  } else if (const auto* put = std::get_if<PutBlock>(&instruction.data())) {
    bind(result, put_block(operands[0], *put, evaluate_expr(put->block), context_.domain));
  } else {
    const KeepOn& keep = std::get<KeepOn>(instruction.data());
    const bool owner = evaluate_expr(keep.index) == keep.owner;
    bind(result, owner ? operands[0] : zeros(operands[0].type, context_.domain));
  }
}

void Device::run(const LocalOp& local, const Instruction& instruction, const std::vector<Value>& operands) {
  constexpr size_t kMostResults = 2;
  const size_t count = instruction.results.size();
  ISOSHARD_CHECK(count <= kMostResults, "a local op has at most two results");
  if (!operands.empty() && context_.backward.is_left_out(instruction)) {
    return bind(instruction.results[0], Value(operands[0]));
  }
  std::array<const TensorType*, kMostResults> types{};
  std::array<Value, kMostResults> values;
  for (size_t i = 0; i < count; ++i) types[i] = &context_.index.type(instruction.results[i]);
  evaluate(local.op, operands, std::span(types).first(count), context_.domain, std::span(values).first(count));
  for (size_t i = 0; i < count; ++i) bind(instruction.results[i], std::move(values[i]));
}

/// A permute, which does both, sends first.
DeviceStep Device::arrive(const Instruction& instruction) {
  queues_[queue_].begun = true;
  DeviceStep result;
  if (!is_message(instruction.data())) {
    result.completed = arrive_at_collective(instruction);
    return result;
  }
  const Peers peers = peers_of(instruction.data());
  result.met[0] = arrive_with_message(instruction, peers.target, true);
  result.met[1] = arrive_with_message(instruction, peers.source, false);
  return result;
}

/// The position of the other side if it was there before; -1 where it was not, and where nothing is sent or received.
int64_t Device::arrive_with_message(const Instruction& instruction, const Expr* peer, bool sends) {
  Contribution contribution{&instruction.work(), instruction.id, position_, {}};
  if (sends && !instruction.operands.empty()) contribution.operand = std::move(operands_of(instruction)[0]);
  const int64_t index = peer == nullptr ? -1 : evaluate_expr(*peer);
  if (index < 0) return -1;
  if (!sends) contribution.operand.type = context_.index.type(instruction.results[0]);
  const CommunicatorId communicator = *communicator_of(instruction.data());
  const Communicator& over = context_.plan.communicators[communicator.index()];
  ISOSHARD_CHECK(index < over.size(*context_.plan.mesh), "a peer that does not exist");
  const int64_t other = over.member(*context_.plan.mesh, position_, index);
  const int64_t sender = sends ? position_ : other, receiver = sends ? other : position_;
  const int64_t sequence = messages_[sends][RendezvousKey{communicator, sender, receiver, 0}]++;
  Fabric::Arrival arrival =
      context_.fabric.arrive_with_message(communicator, sender, receiver, sequence, sends, std::move(contribution));
  QueueState& state = queues_[queue_];
  (sends ? state.sent : state.ticket) = std::move(arrival.ticket);
  return arrival.completed ? other : -1;
}

CommunicatorId Device::arrive_at_collective(const Instruction& instruction) {
  const CommunicatorId communicator = *communicator_of(instruction.data());
  Contribution contribution{&instruction.work(), instruction.id, position_, std::move(operands_of(instruction)[0])};
  const int64_t sequence = sequence_[communicator.index()]++;
  Fabric::Arrival arrival = context_.fabric.arrive(communicator, sequence, std::move(contribution));
  queues_[queue_].ticket = std::move(arrival.ticket);
  return arrival.completed ? communicator : CommunicatorId();
}

}  // namespace isoshard::sim
