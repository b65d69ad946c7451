// Runs a Plan whose devices all do the same: each instruction for all of them, in issue order, which is one of the
// orders that the engine might take. What devices hold is kept once per class of those that hold the same: an
// instruction whose operands are the same on two devices makes the same on both, so that replicated work is done once
// however many devices there are, and no device is looked at where all of them agree (partition.h). Nobody waits, as
// all members of a group come to a collective at once; where peers of a permute or the values of an assert_equal
// disagree, it gives up and the engine says why. Large operations are shared among workers, by class or within one.
// Cost: per instruction one evaluation for each class, and a pass over the devices where its result depends on them.
#include "sim/lockstep/lockstep.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "core/support/check.h"
#include "sim/engine/device_blocks.h"
#include "sim/evaluate/conversion.h"
#include "sim/evaluate/evaluate.h"
#include "sim/lockstep/lockstep_run.h"
#include "sim/lockstep/row_stack.h"
#include "sim/value/movement.h"

namespace isoshard::sim {

std::optional<RunResult> Lockstep::run() {
  if (!run(context_.plan.groups[0].blocks)) return std::nullopt;
  for (std::vector<StoredBlock>& blocks : result_.outputs) {
    const auto before = [](const StoredBlock& a, const StoredBlock& b) { return a.position < b.position; };
    if (!std::is_sorted(blocks.begin(), blocks.end(), before)) std::stable_sort(blocks.begin(), blocks.end(), before);
  }
  return std::move(result_);
}

const std::vector<Issued>& Lockstep::in_order(const Block& block) {
  const auto known = orders_.find(&block);
  return known != orders_.end() ? known->second : orders_.emplace(&block, in_issue_order(block)).first->second;
}

bool Lockstep::run(const std::vector<Block>& blocks) {
  for (const Block& block : blocks) {
    if (block.repeat) {
      if (!run(*block.repeat)) return false;
      continue;
    }
    for (const Issued& issued : in_order(block)) {
      if (!run(context_.index.instruction(issued.id))) return false;
    }
  }
  return true;
}

/// Carried values that do not change are handed to each iteration as they were.
bool Lockstep::run(const Repeat& repeat) {
  std::vector<Row> carried;
  for (const PlanValueId id : repeat.initial) carried.push_back(rows_.take(id));
  std::vector<RowStack> stacks;
  for (const PlanValueId id : repeat.stacks) stacks.emplace_back(partitions_, context_.index.type(id));
  iterations_.push_back(0);
  for (int64_t i = 0; i < repeat.count; ++i) {
    iterations_.back() = i;
    if (!run_iteration(repeat, i, carried)) return false;
    for (size_t s = 0; s < stacks.size(); ++s) {
      const bool backward = context_.backward.put(repeat.stacks[s]);
      stacks[s].put(rows_.take(repeat.parts[s]), backward ? repeat.count - 1 - i : i);
    }
  }
  iterations_.pop_back();
  if (repeat.count == 0) {
    for (const PlanValueId id : repeat.stacked) let_go(id);
  }
  for (size_t i = 0; i < carried.size(); ++i) rows_.keep(repeat.results[i], std::move(carried[i]));
  for (size_t s = 0; s < stacks.size(); ++s) {
    const PlanValueId id = repeat.stacks[s];
    const auto none = [&](size_t) { return zeros(context_.index.type(id), context_.domain); };
    rows_.bind(id, repeat.count == 0 ? made(partitions_.together(), 0, none) : std::move(stacks[s]).finish());
  }
  return true;
}

bool Lockstep::run_iteration(const Repeat& repeat, int64_t iteration, std::vector<Row>& carried) {
  const auto is_constant = [&](size_t i) { return repeat.yields[i] == repeat.arguments[i]; };
  for (size_t i = 0; i < carried.size(); ++i) {
    rows_.keep(repeat.arguments[i], is_constant(i) ? carried[i] : std::exchange(carried[i], Row{}));
  }
  for (size_t i = 0; i < repeat.stacked.size(); ++i) run_slice(repeat, i, iteration);
  if (!run(repeat.body)) return false;
  for (size_t i = 0; i < carried.size(); ++i) {
    if (!is_constant(i)) carried[i] = rows_.take(repeat.yields[i]);
  }
  return true;
}

void Lockstep::run_slice(const Repeat& repeat, size_t index, int64_t iteration) {
  const PlanValueId stacked = repeat.stacked[index], slice = repeat.slices[index];
  const bool last = iteration + 1 == repeat.count;
  const int64_t row = context_.backward.taken(stacked) ? repeat.count - 1 - iteration : iteration;
  const Row& whole = rows_[stacked];
  const Shape& shape = context_.index.type(slice).shape;
  rows_.bind(slice, made(*whole.classes, static_cast<double>(element_count(shape)),
                         [&](size_t device) { return row_of(whole.at(device), row, repeat.count, shape, last); }));
  if (last) let_go(stacked);
}

bool Lockstep::run(const Instruction& instruction) {
  context_.options.workers.go_on(static_cast<int64_t>(devices_));
  running_ = instruction.id;
  std::visit([&](const auto& data) { run(data, instruction); }, instruction.data());
  for (const PlanValueId id : instruction.operands) let_go(id);
  return together_;
}

void Lockstep::run(const LocalOp& local, const Instruction& instruction) {
  if (!instruction.operands.empty() && context_.backward.is_left_out(instruction)) {
    return rows_.bind(instruction.results[0], rows_[instruction.operands[0]]);
  }
  constexpr size_t kMostResults = 2;
  const size_t count = instruction.results.size();
  ISOSHARD_CHECK(count <= kMostResults, "a local op has at most two results");
  std::array<const TensorType*, kMostResults> types{};
  for (size_t i = 0; i < count; ++i) types[i] = &context_.index.type(instruction.results[i]);
  const Partition* classes = &partitions_.together();
  std::vector<const Row*> rows;
  for (const PlanValueId id : instruction.operands) {
    rows.push_back(&rows_[id]);
    classes = &partitions_.meet(*classes, *rows.back()->classes);
  }
  std::array<Row, kMostResults> results;
  for (size_t i = 0; i < count; ++i) results[i] = Row{classes, std::vector<Value>(classes->count())};
  crew_.each(classes->count(), context_.index.work(instruction.id), [&](size_t begin, size_t end) {
    std::vector<const Value*> operands(rows.size());
    std::array<Value, kMostResults> values;
    for (size_t c = begin; c < end; ++c) {
      context_.options.workers.go_on(0);
      for (size_t i = 0; i < rows.size(); ++i) operands[i] = &rows[i]->at(classes->first[c]);
      evaluate(local.op, operands, std::span(types).first(count), context_.domain, std::span(values).first(count));
      for (size_t i = 0; i < count; ++i) results[i].values[c] = std::move(values[i]);
    }
  });
  for (size_t i = 0; i < count; ++i) rows_.bind(instruction.results[i], std::move(results[i]));
}

/// Devices that read the same block hold the same, but for padding, which each draws for itself.
void Lockstep::run(const LoadBlock& load, const Instruction& instruction) {
  const Shape& whole = context_.globals[load.global.index()].type.shape;
  std::vector<int64_t> labels(devices_);
  for (size_t device = 0; device < devices_; ++device) {
    int64_t label = 0;
    bool padded = false;
    for (size_t d = 0; d < load.block.size(); ++d) {
      const int64_t index = at(device).value_of(load.block[d]);
      const int64_t size = (whole[d] + load.count[d] - 1) / load.count[d];
      label = label * load.count[d] + index;
      padded |= (index + 1) * size > whole[d];
    }
    labels[device] = padded ? -1 - static_cast<int64_t>(device) : label;
  }
  const PlanValueId result = instruction.results[0];
  rows_.bind(result, made(partitions_.by(labels),
                          [&](size_t device) { return load_block(context_, load, result, at(device)); }));
}

void Lockstep::run(const StoreBlock& store, const Instruction& instruction) {
  const Row& row = rows_[instruction.operands[0]];
  std::vector<StoredBlock>& blocks = result_.outputs[store.output];
  blocks.reserve(blocks.size() + devices_);
  for (size_t device = 0; device < devices_; ++device) {
    blocks.push_back(stored_block(context_.plan, store, row.at(device), at(device)));
  }
}

/// Those that stand in a loop and do not depend on it are kept: they will be asked for again.
std::vector<int64_t> Lockstep::numbers(const Expr& expr) {
  const bool stays = !iterations_.empty() && !expr.depends_on_loops();
  if (const auto known = numbers_.find(&expr); stays && known != numbers_.end()) return known->second;
  std::vector<int64_t> result(devices_);
  if (expr.is_constant()) {
    result.assign(devices_, at(0).value_of(expr));
  } else {
    for (size_t device = 0; device < devices_; ++device) result[device] = at(device).value_of(expr);
  }
  return stays ? numbers_.emplace(&expr, std::move(result)).first->second : result;
}

const Partition& Lockstep::split_by(const Partition& classes, const Expr& expr, const std::vector<int64_t>& numbers) {
  if (expr.is_constant() || &classes == &partitions_.apart()) return classes;
  return partitions_.meet(classes, partitions_.by(numbers));
}

void Lockstep::run(const ScalarIndex& index, const Instruction& instruction) {
  const std::vector<int64_t> values = numbers(index.value);
  const Partition& classes = split_by(partitions_.together(), index.value, values);
  rows_.bind(instruction.results[0],
             made(classes, [&](size_t device) { return scalar_i32(values[device], context_.domain); }));
}

void Lockstep::run(const TakeBlock& take, const Instruction& instruction) {
  const Row& row = rows_[instruction.operands[0]];
  const std::vector<int64_t> blocks = numbers(take.block);
  const Partition& classes = split_by(*row.classes, take.block, blocks);
  rows_.bind(instruction.results[0], made(classes, [&](size_t device) {
               return take_block(row.at(device), take.dim, blocks[device], take.count);
             }));
}

void Lockstep::run(const PutBlock& put, const Instruction& instruction) {
  const Row& row = rows_[instruction.operands[0]];
  const std::vector<int64_t> blocks = numbers(put.block);
  const Partition& classes = split_by(*row.classes, put.block, blocks);
  rows_.bind(instruction.results[0], made(classes, [&](size_t device) {
               return put_block(row.at(device), put, blocks[device], context_.domain);
             }));
}

void Lockstep::run(const KeepOn& keep, const Instruction& instruction) {
  const Row& row = rows_[instruction.operands[0]];
  const TensorType& type = context_.index.type(instruction.results[0]);
  std::vector<int64_t> owners = numbers(keep.index);
  for (int64_t& owner : owners) owner = owner == keep.owner ? 1 : 0;
  const Partition& classes = split_by(*row.classes, keep.index, owners);
  rows_.bind(instruction.results[0], made(classes, [&](size_t device) {
               return owners[device] == 1 ? row.at(device) : zeros(type, context_.domain);
             }));
}

/// Workers free by turns as they allocate, since what a thread has freed is what it takes next (kept_blocks.h).
void Lockstep::let_go(PlanValueId id) {
  Row row = rows_.let_go(id);
  crew_.each(row.values.size(), 0, [&](size_t begin, size_t end) {
    for (size_t c = begin; c < end; ++c) row.values[c].data.reset();
  });
}

bool may_run_in_step(const Plan& plan) {
  if (plan.groups.size() != 1 || plan.groups[0].size(*plan.mesh) != plan.mesh->device_count()) return false;
  return std::none_of(plan.instructions.begin(), plan.instructions.end(), [](const Instruction& instruction) {
    return std::holds_alternative<Send>(instruction.data()) || std::holds_alternative<Recv>(instruction.data());
  });
}

std::optional<RunResult> run_in_step(const RunContext& context, size_t workers) {
  return Lockstep(context, workers).run();
}

}  // namespace isoshard::sim
