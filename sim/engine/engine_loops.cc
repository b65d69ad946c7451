// What the loops of one device hand on. Queues go through a loop by themselves, so that a value may be there before the
// iteration that reads it is begun, or the iteration before the value: each is handed on by whichever comes last,
// bind() or open(). An instance of a value lives until it has been read as often as it stands as an operand, an initial
// value, a yield or a part; nothing else frees. Carried values move from name to name without copies; one that does not
// change is kept once for all iterations. Slices of stacked inputs are not copied while the whole lives; the whole is
// let go with the last slice, which is a copy of its part only, as all are of values of several planes. Cost: a look
// per definition whether a loop reads it, and per iteration one per carried value.
#include "sim/engine/engine_loops.h"

#include <cstring>

#include "core/support/check.h"
#include "sim/evaluate/conversion.h"

namespace isoshard::sim {
namespace {

bool is_constant(const Repeat& repeat, size_t index) { return repeat.yields[index] == repeat.arguments[index]; }

}  // namespace

DeviceValues::DeviceValues(const RunContext& context, int64_t position, const Scope* root)
    : context_(context), position_(position) {
  if (root != nullptr) open_idle(*root, 0);
}

void DeviceValues::bind(Instance instance, Value&& value) {
  const PlanValueId id = instance.id;
  ISOSHARD_CHECK(value.type == context_.index.type(id), "an instruction's result has another type than planned");
  const RunOptions& options = context_.options;
  if (options.substitute) value = options.substitute(position_, id, std::move(value));
  if (options.observer != nullptr) options.observer->on_value(position_, id, value);
  make(instance, std::move(value));
}

/// Keeps the value, and what loops make of it, one after another: chains may be as long as loops.
void DeviceValues::make(Instance instance, Value&& value) {
  const uint32_t reads = context_.index.reads(instance.id);
  if (reads == 0) return;
  values_.set(instance, std::move(value), reads);
  if (!context_.index.is_read_by_loops(instance.id)) return;
  made_.push_back(instance);
  if (handing_on_) return;
  handing_on_ = true;
  while (!made_.empty()) {
    const Instance now = made_.back();
    made_.pop_back();
    for (const LoopUse& use : context_.index.loop_uses(now.id)) hand_on(use, now);
  }
  handing_on_ = false;
}

void DeviceValues::hand_on(const LoopUse& use, Instance instance) {
  const Scope& body = *use.body;
  switch (use.kind) {
    case LoopUse::Kind::initial:
      return begin(use, instance);
    case LoopUse::Kind::yield:
      return carry(use, instance);
    case LoopUse::Kind::part:
      return put(body, instance.iteration, use.index, values_.read(instance));
    case LoopUse::Kind::stacked:
      break;
  }
  if (body.count() == 0) {
    values_.read(instance);
    return;
  }
  const int64_t opened = run_of(body, instance.iteration).opened;
  for (int64_t i = 0; i < opened; ++i) slice(body, instance.iteration, use.index, i);
}

void DeviceValues::begin(const LoopUse& use, Instance instance) {
  const Scope& body = *use.body;
  const int64_t outer = instance.iteration;
  if (body.count() == 0) return make({body.repeat->results[use.index], outer}, values_.read(instance));
  if (is_constant(*body.repeat, use.index)) return keep_constant(body, outer, use.index, values_.read(instance));
  const bool opened = run_of(body, outer).opened > 0;
  if (opened) make({body.repeat->arguments[use.index], outer * body.count()}, values_.read(instance));
}

void DeviceValues::keep_constant(const Scope& body, int64_t outer, size_t index, Value value) {
  Run& run = run_of(body, outer);
  run.constants[index] = value;
  const int64_t opened = run.opened;
  for (int64_t i = 0; i < opened; ++i) make({body.repeat->arguments[index], outer * body.count() + i}, Value(value));
  make({body.repeat->results[index], outer}, std::move(value));
  ++run.made;
  end_if_done(body, outer);
}

void DeviceValues::carry(const LoopUse& use, Instance instance) {
  const Scope& body = *use.body;
  const int64_t outer = instance.iteration / body.count(), next = instance.iteration % body.count() + 1;
  Run& run = run_of(body, outer);
  if (next == body.count()) {
    make({body.repeat->results[use.index], outer}, values_.read(instance));
    ++run.made;
    end_if_done(body, outer);
  } else if (run.opened > next) {
    make({body.repeat->arguments[use.index], instance.iteration + 1}, values_.read(instance));
  }
}

void DeviceValues::open(const Scope& body, int64_t outer, int64_t iteration) {
  Run& run = run_of(body, outer);
  if (run.opened > iteration) return;
  run.opened = iteration + 1;
  ++run.opening;  // an argument that is yielded as it is may make the last results
  const Repeat& repeat = *body.repeat;
  const int64_t number = outer * repeat.count + iteration;
  for (size_t i = 0; i < repeat.arguments.size(); ++i) {
    if (run.constants[i]) make({repeat.arguments[i], number}, Value(*run.constants[i]));
    if (is_constant(repeat, i)) continue;
    const Instance before =
        iteration == 0 ? Instance{repeat.initial[i], outer} : Instance{repeat.yields[i], number - 1};
    if (values_.contains(before)) make({repeat.arguments[i], number}, values_.read(before));
  }
  for (size_t i = 0; i < repeat.stacked.size(); ++i) {
    if (values_.contains({repeat.stacked[i], outer})) slice(body, outer, i, iteration);
  }
  --run.opening;
  end_if_done(body, outer);
  open_idle(body, number);
}

/// Loops that no queue goes through are all begun as soon as they can be; `number` is the iteration of `scope`.
void DeviceValues::open_idle(const Scope& scope, int64_t number) {
  for (const Scope* body : scope.idle) {
    for (int64_t i = 0; i < body->count(); ++i) open(*body, number, i);
    if (body->count() > 0) continue;
    for (const PlanValueId id : body->repeat->stacks) {
      bind({id, number}, zeros(context_.index.type(id), context_.domain));
    }
  }
}

void DeviceValues::slice(const Scope& body, int64_t outer, size_t index, int64_t iteration) {
  const Repeat& repeat = *body.repeat;
  const Instance stacked{repeat.stacked[index], outer}, made{repeat.slices[index], outer * repeat.count + iteration};
  const bool last = iteration + 1 == repeat.count;
  const int64_t row = context_.backward.taken(stacked.id) ? repeat.count - 1 - iteration : iteration;
  const Shape& shape = context_.index.type(made.id).shape;
  const Value whole = last ? values_.read(stacked) : values_.get(stacked);
  bind(made, row_of(whole, row, repeat.count, shape, last));
}

/// Copies a part to its place in the stacked output.
void DeviceValues::put(const Scope& body, int64_t number, size_t index, const Value& part) {
  const Repeat& repeat = *body.repeat;
  const int64_t outer = number / repeat.count, iteration = number % repeat.count;
  Run& run = run_of(body, outer);
  const PlanValueId stack = repeat.stacks[index];
  std::optional<NewValue>& whole = run.stacks[index];
  if (!whole) whole.emplace(context_.index.type(stack), part.storage);
  const int64_t row = context_.backward.put(stack) ? repeat.count - 1 - iteration : iteration;
  const size_t bytes = part.plane_bytes(), start = static_cast<size_t>(row) * bytes;
  for (size_t p = 0; p < part.storage.planes && bytes > 0; ++p) {
    std::memcpy(whole->plane(p) + start, part.data.get() + p * bytes, bytes);
  }
  if (++run.parts[index] < repeat.count) return;
  bind({stack, outer}, std::move(*whole).finish());
  whole.reset();
  ++run.made;
  end_if_done(body, outer);
}

void DeviceValues::leave(const Scope& body, int64_t outer) {
  ++run_of(body, outer).left;
  end_if_done(body, outer);
}

void DeviceValues::end_if_done(const Scope& body, int64_t outer) {
  const auto run = runs_.find({&body, outer});
  if (run == runs_.end()) return;
  const bool all_left = run->second.left == body.entering && run->second.opening == 0;
  if (all_left && run->second.made == body.repeat->results.size() + body.repeat->stacks.size()) runs_.erase(run);
}

}  // namespace isoshard::sim
