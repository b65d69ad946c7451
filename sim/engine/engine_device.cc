// One virtual device: the place in its blocks and loops, a program counter per queue, and the values that live. A step
// advances one queue by one instruction: the lowest id that can go on, in issue order, or a random one. An instruction
// that communicates is two steps, arrive and leave, between which the device goes on with other queues; one that waits
// for tokens is not ready. Operands that are read for the last time leave their slot before the op runs, so that their
// storage is free early. Slices of a loop's stacked inputs are not copied while the whole lives. A loop's carries move
// from name to name without copies. Cost: a scan over the queues per step.
#include "sim/engine/engine_device.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/support/check.h"
#include "core/support/mix.h"
#include "sim/evaluate/blocks.h"
#include "sim/evaluate/conversion.h"
#include "sim/evaluate/evaluate.h"
#include "sim/value/movement.h"

namespace isoshard::sim {

Device::Device(const RunContext& context, int64_t position)
    : context_(context), position_(position), sequence_(context.plan.communicators.size(), 0) {
  if (const RankGroup* group = context.index.group(position))
    frames_.push_back(Frame{&group->blocks, 0, nullptr, {}, {}});
  settle();
}

std::optional<InstructionId> Device::unmet_wait(size_t queue) const {
  for (const InstructionId wait : context_.plan.instruction(*head(queue)).waits) {
    const QueuePlace place = context_.index.place(wait);
    if (queues_[place.queue].finished <= place.index) return wait;
  }
  return std::nullopt;
}

bool Device::can_go_on(size_t queue) const {
  if (!head(queue)) return false;
  const QueueState& state = queues_[queue];
  return state.ticket ? Fabric::complete(*state.ticket) : !unmet_wait(queue);
}

std::optional<size_t> Device::choose(std::optional<uint64_t> draw) {
  ready_.clear();
  for (size_t q = 0; q < queues_.size(); ++q) {
    if (can_go_on(q)) ready_.push_back(q);
  }
  if (ready_.empty()) return std::nullopt;
  if (draw) return ready_[static_cast<size_t>(*draw % ready_.size())];
  size_t first = ready_[0];
  for (const size_t q : ready_) {
    if (*head(q) < *head(first)) first = q;
  }
  return first;
}

DeviceStep Device::step(std::optional<uint64_t> draw) {
  const std::optional<size_t> queue = done() ? std::nullopt : choose(draw);
  return queue ? advance(*queue) : DeviceStep{};
}

DeviceStep Device::advance(size_t queue) {
  const InstructionId id = *head(queue);
  const Instruction& instruction = context_.plan.instruction(id);
  QueueState& state = queues_[queue];
  DeviceStep result{DeviceStep::Kind::finished, id, std::nullopt};
  if (state.ticket) {
    Value received = context_.fabric.leave(std::move(*state.ticket));
    state.ticket.reset();
    if (!instruction.results.empty()) bind(instruction.results[0], std::move(received));
  } else if (communicator_of(instruction.data) != nullptr) {
    result.completed = arrive(instruction, queue);
    result.kind = DeviceStep::Kind::started;
    return result;
  } else {
    run(instruction);
  }
  finish(instruction, queue);
  return result;
}

void Device::finish(const Instruction& instruction, size_t queue) {
  for (const PlanValueId id : instruction.last_uses) values_.erase(id);
  ++queues_[queue].finished;
  for (size_t q = 0; q < queues_.size(); ++q) {
    if (head(q)) return;
  }
  for (const PlanValueId id : block().last_uses) values_.erase(id);
  ++frames_.back().index;
  settle();
}

void Device::bind(PlanValueId id, Value value) {
  ISOSHARD_CHECK(value.type == context_.plan.value(id).type, "an instruction's result has another type than planned");
  const RunOptions& options = context_.options;
  if (options.substitute) value = options.substitute(position_, id, std::move(value));
  if (options.observer != nullptr) options.observer->on_value(position_, id, value);
  values_.set(id, std::move(value));
}

/// Goes to the next block that has an instruction, through ends of iterations, or to the end.
void Device::settle() {
  while (!frames_.empty()) {
    Frame& frame = frames_.back();
    if (frame.index == frame.blocks->size()) {
      end_iteration();
    } else if (block().repeat) {
      enter_repeat(block());
    } else {
      queues_.clear();
      for (const Queue& queue : block().queues) queues_.push_back(QueueState{queue.instructions, 0, std::nullopt});
      for (size_t q = 0; q < queues_.size(); ++q) {
        if (head(q)) return;
      }
      ++frame.index;
    }
  }
  queues_.clear();
  values_ = LiveValues();
}

void Device::enter_repeat(const Block& block) {
  const Repeat& repeat = *block.repeat;
  const std::vector<PlanValueId>& targets = repeat.count == 0 ? repeat.results : repeat.arguments;
  std::vector<Value> carried;
  for (const PlanValueId id : repeat.initial) carried.push_back(values_.get(id));
  Frame frame{&repeat.body, 0, &repeat, {}, {}};
  for (const PlanValueId id : repeat.stacked) frame.stacked.push_back(values_.get(id));
  for (const PlanValueId id : block.last_uses) values_.erase(id);
  for (size_t i = 0; i < carried.size(); ++i) values_.set(targets[i], std::move(carried[i]));
  if (repeat.count == 0) {
    for (const PlanValueId id : repeat.stacks) bind(id, zeros(context_.plan.value(id).type, context_.domain));
    for (const PlanValueId id : block.last_uses) values_.erase(id);
    ++frames_.back().index;
    return;
  }
  frames_.push_back(std::move(frame));
  loops_.push_back(0);
  start_iteration();
}

/// The whole is let go with the last slice, which is a copy of its part only, as all are of values of several planes.
void Device::start_iteration() {
  Frame& frame = frames_.back();
  const Repeat& repeat = *frame.repeat;
  const bool last = loops_.back() + 1 == repeat.count;
  for (size_t i = 0; i < frame.stacked.size(); ++i) {
    const Value& whole = frame.stacked[i];
    const int64_t row = context_.backward.taken(repeat.stacked[i]) ? repeat.count - 1 - loops_.back() : loops_.back();
    const Shape& shape = context_.plan.value(repeat.slices[i]).type.shape;
    const bool in_place = !last && whole.storage.planes == 1;
    bind(repeat.slices[i],
         in_place ? row_in_place(whole, row, shape) : reshape(take_block(whole, 0, row, repeat.count), shape));
  }
  if (last) frame.stacked.clear();
}

/// Copies the parts of this iteration to their places in the stacked outputs.
void Device::stack_parts(Frame& frame) {
  const Repeat& repeat = *frame.repeat;
  for (size_t i = 0; i < repeat.parts.size(); ++i) {
    const Value& part = values_.get(repeat.parts[i]);
    if (frame.stacks.size() == i) frame.stacks.emplace_back(context_.plan.value(repeat.stacks[i]).type, part.storage);
    const int64_t row = context_.backward.put(repeat.stacks[i]) ? repeat.count - 1 - loops_.back() : loops_.back();
    const size_t bytes = part.plane_bytes(), start = static_cast<size_t>(row) * bytes;
    for (size_t p = 0; p < part.storage.planes && bytes > 0; ++p) {
      std::memcpy(frame.stacks[i].plane(p) + start, part.data.get() + p * bytes, bytes);
    }
  }
}

void Device::end_iteration() {
  if (frames_.back().repeat == nullptr) {
    frames_.pop_back();
    return;
  }
  const Repeat& repeat = *frames_.back().repeat;
  std::vector<Value> carried;
  for (const PlanValueId id : repeat.yields) carried.push_back(values_.get(id));
  stack_parts(frames_.back());
  for (const auto* ids : {&repeat.yields, &repeat.parts, &repeat.arguments, &repeat.slices}) {
    for (const PlanValueId id : *ids) values_.erase(id);
  }
  const bool again = ++loops_.back() < repeat.count;
  const std::vector<PlanValueId>& targets = again ? repeat.arguments : repeat.results;
  for (size_t i = 0; i < carried.size(); ++i) values_.set(targets[i], std::move(carried[i]));
  if (again) {
    frames_.back().index = 0;
    start_iteration();
    return;
  }
  leave_repeat();
}

void Device::leave_repeat() {
  const Frame inner = std::move(frames_.back());
  frames_.pop_back();
  loops_.pop_back();
  const std::vector<PlanValueId>& stacks = inner.repeat->stacks;
  for (size_t i = 0; i < stacks.size(); ++i) bind(stacks[i], NewValue(inner.stacks[i]).finish());
  for (const PlanValueId id : block().last_uses) values_.erase(id);
  ++frames_.back().index;
}

/// The operands; those read for the last time leave the device's slots, so that their storage can be freed early.
std::vector<Value> Device::operands_of(const Instruction& instruction) {
  std::vector<Value> result;
  result.reserve(instruction.operands.size());
  for (auto id = instruction.operands.begin(); id != instruction.operands.end(); ++id) {
    const auto& last = instruction.last_uses;
    const bool is_last = std::find(last.begin(), last.end(), *id) != last.end() &&
                         std::find(id + 1, instruction.operands.end(), *id) == instruction.operands.end();
    result.push_back(is_last ? values_.take(*id) : values_.get(*id));
  }
  return result;
}

/// Padding differs per device, load and iteration.
Value Device::load(const LoadBlock& op, PlanValueId result) const {
  const Value& whole = context_.globals[op.global.index()];
  Shape begin, shape;
  for (size_t d = 0; d < op.block.size(); ++d) {
    const int64_t size = (whole.type.shape[d] + op.count[d] - 1) / op.count[d];
    const int64_t index = evaluate_expr(op.block[d]);
    ISOSHARD_CHECK(index >= 0 && index < op.count[d], "a block that does not exist");
    begin.push_back(index * size + (op.start.empty() ? 0 : op.start[d]));
    shape.push_back(op.size.empty() ? size : op.size[d]);
  }
  uint64_t seed = mix(static_cast<uint64_t>(position_) + mix(result.index() + mix(context_.options.padding_seed)));
  for (const int64_t iteration : loops_) seed = mix(seed + static_cast<uint64_t>(iteration));
  if (context_.options.other_padding == result) seed = mix(seed);
  const Value block = read_block(whole, begin, shape, context_.domain, {seed, op.global.index()});
  return reshape(block, context_.plan.value(result).type.shape);
}

StoredBlock Device::stored_block(const StoreBlock& op, const Value& value) const {
  const Shape& whole = context_.plan.outputs[op.output].type.shape;
  StoredBlock result{position_, {}, {}};
  Shape block, valid;
  for (size_t d = 0; d < whole.size(); ++d) {
    block.push_back((whole[d] + op.count[d] - 1) / op.count[d]);
    result.begin.push_back(std::min(evaluate_expr(op.block[d]) * block[d], whole[d]));
    valid.push_back(std::min(block[d], whole[d] - result.begin[d]));
  }
  result.value = slice(reshape(value, block), Shape(whole.size(), 0), valid);
  return result;
}

void Device::run(const Instruction& instruction) {
  std::vector<Value> operands = operands_of(instruction);
  if (const auto* store = std::get_if<StoreBlock>(&instruction.data)) {
    stored_.push_back({store->output, stored_block(*store, operands[0])});
    return;
  }
  if (const auto* local = std::get_if<LocalOp>(&instruction.data)) return run(*local, instruction, operands);
  const PlanValueId result = instruction.results[0];
  if (const auto* source = std::get_if<LoadBlock>(&instruction.data)) {
    bind(result, load(*source, result));
  } else if (const auto* index = std::get_if<ScalarIndex>(&instruction.data)) {
    bind(result, scalar_i32(evaluate_expr(index->value), context_.domain));
  } else if (const auto* block = std::get_if<TakeBlock>(&instruction.data)) {
    bind(result, take_block(operands[0], block->dim, evaluate_expr(block->block), block->count));
  } else if (const auto* put = std::get_if<PutBlock>(&instruction.data)) {
    bind(result, put_block(operands[0], *put));
  } else {
    const KeepOn& keep = std::get<KeepOn>(instruction.data);
    const bool owner = evaluate_expr(keep.index) == keep.owner;
    bind(result, owner ? operands[0] : zeros(operands[0].type, context_.domain));
  }
}

Value Device::put_block(const Value& x, const PutBlock& put) const {
  std::vector<Value> parts(static_cast<size_t>(put.count), zeros(x.type, context_.domain));
  parts[static_cast<size_t>(evaluate_expr(put.block))] = x;
  return concatenate(parts, put.dim);
}

void Device::run(const LocalOp& local, const Instruction& instruction, const std::vector<Value>& operands) {
  constexpr size_t kMostResults = 2;
  const size_t count = instruction.results.size();
  ISOSHARD_CHECK(count <= kMostResults, "a local op has at most two results");
  if (!operands.empty() && context_.backward.is_left_out(instruction)) return bind(instruction.results[0], operands[0]);
  std::array<const TensorType*, kMostResults> types{};
  std::array<Value, kMostResults> values;
  for (size_t i = 0; i < count; ++i) types[i] = &context_.plan.value(instruction.results[i]).type;
  evaluate(local.op, operands, std::span(types).first(count), context_.domain, std::span(values).first(count));
  for (size_t i = 0; i < count; ++i) bind(instruction.results[i], std::move(values[i]));
}

Fabric::Arrival Device::arrive_with_message(const Instruction& instruction) {
  const Send* send = std::get_if<Send>(&instruction.data);
  const CommunicatorId communicator = *communicator_of(instruction.data);
  const Group& group = context_.plan.communicators[communicator.index()].group;
  const int64_t index = evaluate_expr(send != nullptr ? send->target : std::get<Recv>(instruction.data).source);
  ISOSHARD_CHECK(index >= 0 && index < context_.plan.mesh->size(group), "a peer that does not exist");
  const int64_t peer = context_.plan.mesh->member(group, position_, index);
  const int64_t sender = send != nullptr ? position_ : peer, receiver = send != nullptr ? peer : position_;
  Contribution contribution{&instruction, position_, -1, -1, {}};
  if (send != nullptr) {
    contribution.operand = std::move(operands_of(instruction)[0]);
  } else {
    contribution.operand.type = context_.plan.value(instruction.results[0]).type;
  }
  const int64_t sequence = messages_[RendezvousKey{communicator, sender, receiver, 0}]++;
  return context_.fabric.arrive_with_message(communicator, sender, receiver, sequence, std::move(contribution));
}

std::optional<CommunicatorId> Device::arrive(const Instruction& instruction, size_t queue) {
  const bool message = std::holds_alternative<Send>(instruction.data) || std::holds_alternative<Recv>(instruction.data);
  if (message) {
    Fabric::Arrival arrival = arrive_with_message(instruction);
    queues_[queue].ticket = std::move(arrival.ticket);
    return arrival.completed ? std::optional(*communicator_of(instruction.data)) : std::nullopt;
  }
  Contribution contribution{&instruction, position_, -1, -1, {}};
  CommunicatorId communicator;
  if (const auto* permute = std::get_if<Permute>(&instruction.data)) {
    communicator = permute->communicator;
    contribution.target = evaluate_expr(permute->target);
    contribution.source = evaluate_expr(permute->source);
  } else {
    communicator = std::get<Collective>(instruction.data).communicator;
  }
  contribution.operand = std::move(operands_of(instruction)[0]);
  const int64_t sequence = sequence_[communicator.index()]++;
  Fabric::Arrival arrival = context_.fabric.arrive(communicator, sequence, std::move(contribution));
  queues_[queue].ticket = std::move(arrival.ticket);
  return arrival.completed ? std::optional(communicator) : std::nullopt;
}

}  // namespace isoshard::sim
