// What holds bytes from when to when. The Plan is walked in issue order, loops iteration by iteration (trips.h), with
// what each name stands for at the time: an argument is the yield of the iteration before, a slice the whole that it
// lies in, a renamed value its operand, so that a run that reads a name touches the lifetime behind it. A part of a
// stack that its iteration makes is made in its row and has no bytes of its own; another one is copied there by
// whatever has written it. An op that reads and writes element by element may take over the bytes of an operand. Cost:
// runs times queues.
#include "core/plan/memory/lifetimes.h"

#include <algorithm>
#include <utility>

#include "core/plan/memory/trips.h"
#include "core/plan/order/issue_order.h"
#include "core/plan/renames.h"
#include "core/support/id_table.h"

namespace isoshard {
namespace {

/// Element n of the result is made of elements n of the operands, or the library allows the same buffer for both.
bool works_in_place(const InstructionData& data) {
  if (const auto* local = std::get_if<LocalOp>(&data)) return op_facts(local->op).elementwise;
  if (std::holds_alternative<KeepOn>(data)) return true;
  const auto* collective = std::get_if<Collective>(&data);
  return collective != nullptr &&
         (collective->kind == CollectiveKind::all_reduce || collective->kind == CollectiveKind::all_reduce_max ||
          collective->kind == CollectiveKind::all_reduce_min);
}

class LifetimeWalk {
 public:
  LifetimeWalk(const Plan& plan, Timeline& timeline, LifetimeTables& tables, std::vector<ValueMemory>& values)
      : plan_(plan),
        timeline_(timeline),
        values_(values),
        now_(tables.now),
        buffer_of_(tables.buffer_of),
        rows_(tables.rows) {
    now_.clear();
    buffer_of_.clear();
    rows_.clear();
    out_.queues = timeline.queues();
  }

  void run(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      if (block.repeat) loop(*block.repeat);
      for (const auto& [id, queue] : in_issue_order(block)) issue(id, queue);
    }
  }
  Lifetimes take() { return std::move(out_); }

 private:
  using Writers = ShortList<Lifetime::Writer>;
  static constexpr uint32_t kNothing = Timeline::kNone;

  void issue(InstructionId id, QueueId queue) {
    const Instruction& instruction = plan_.instruction(id);
    const size_t moment = timeline_.add(id, queue);
    if (only_renames(instruction)) {
      now_[instruction.results[0]] = now_.at(instruction.operands[0]);
      return set_home(instruction.results[0], Home::operand, instruction.operands[0]);
    }
    read_.clear();
    for (const PlanValueId operand : instruction.operands) {
      read_.push_back(now_.at(operand));
      touch(read_.back(), moment);
    }
    if (std::holds_alternative<StoreBlock>(instruction.data())) keep(read_[0]);
    for (const PlanValueId result : instruction.results) {
      const uint32_t made = begin(result);
      write(made, moment);
      if (!works_in_place(instruction.data()) || out_.buffers[out_.all[made].buffer].value != result) continue;
      for (size_t i = 0; i < read_.size(); ++i) {
        if (takes_over(result, instruction.operands[i], read_[i])) out_.all[made].in_place_of.push_back(read_[i]);
      }
    }
  }

  /// The operand is all of what is read, and as large as the result, element by element.
  bool takes_over(PlanValueId result, PlanValueId operand, uint32_t read) const {
    if (read == kNothing) return false;
    const TensorType &made = plan_.value(result).type(), &type = plan_.value(operand).type();
    const Buffer& buffer = out_.buffers[out_.all[read].buffer];
    return made.shape == type.shape && bytes_of(made) == bytes_of(type) &&
           buffer.bytes == static_cast<int64_t>(bytes_of(type));
  }

  /// What a value is made in: a lifetime of its own, or the stack that it is a row of.
  uint32_t begin(PlanValueId value) {
    const uint32_t row = rows_.at(value);
    const uint32_t lifetime = row == kNothing ? add(value) : row;
    if (row == kNothing) set_home(value, Home::own, PlanValueId());
    now_[value] = lifetime;
    return lifetime;
  }

  uint32_t add(PlanValueId value) {
    const uint32_t buffer = loops_.empty() ? kNothing : buffer_of_.at(value);  // outside of loops there is one run
    const uint32_t own = buffer == kNothing ? add_buffer(value) : buffer;
    const auto number = static_cast<uint32_t>(out_.all.size());
    out_.buffers[own].lifetimes.push_back(number);
    out_.all.emplace_back();
    out_.all.back().buffer = own;
    out_.all.back().iterations = static_cast<uint32_t>(out_.iterations.size());
    out_.iterations.insert(out_.iterations.end(), iterations_.begin(), iterations_.end());
    out_.touched_on.resize(out_.all.size() * out_.queues, 0);
    return number;
  }

  uint32_t add_buffer(PlanValueId value) {
    const auto number = static_cast<uint32_t>(out_.buffers.size());
    out_.buffers.push_back(Buffer{value, static_cast<int64_t>(bytes_of(plan_.value(value).type())), loops_});
    if (!loops_.empty()) buffer_of_[value] = number;
    return number;
  }

  /// What is stored stays.
  void keep(uint32_t lifetime) {
    if (lifetime != kNothing) out_.all[lifetime].last = Lifetime::kEnd;
  }
  /// Stacks of loops without iterations are nothing.
  void touch(uint32_t lifetime, size_t moment) {
    if (lifetime == kNothing) return;
    Lifetime& touched = out_.all[lifetime];
    const Timeline::Moment& run = timeline_.moment(moment);
    uint32_t& behind = touched_on(lifetime, run.queue);
    behind = std::max(behind, run.index + 1);
    if (touched.last != Lifetime::kEnd) touched.last = std::max(touched.last, moment);
  }
  void write(uint32_t lifetime, size_t moment) {
    touch(lifetime, moment);
    Lifetime& written = out_.all[lifetime];
    written.first = std::min(written.first, moment);
    add_writer(written.writers, {timeline_.moment(moment).queue, static_cast<uint32_t>(moment)});
  }
  static void add_writer(Writers& writers, const Lifetime::Writer& writer) {
    for (Lifetime::Writer& known : writers) {
      if (known.queue != writer.queue) continue;
      known.moment = std::min(known.moment, writer.moment);
      return;
    }
    writers.push_back(writer);
    for (size_t i = writers.size() - 1; i > 0 && writers[i].queue < writers[i - 1].queue; --i) {
      std::swap(writers[i], writers[i - 1]);
    }
  }
  uint32_t& touched_on(uint32_t lifetime, size_t queue) { return out_.touched_on[lifetime * out_.queues + queue]; }

  void loop(const Repeat& repeat) {
    hand_on(repeat.initial, repeat.arguments);
    note_homes(repeat);
    if (repeat.count == 0) return hand_on(repeat.initial, repeat.results);
    const std::vector<uint32_t> stacks = begin_stacks(repeat);
    const int64_t trips = trips_of(plan_, repeat)->walked;
    loops_.push_back(&repeat);
    timeline_.begin_loop(repeat);
    for (int64_t i = 0; i < trips; ++i) {
      iterations_.push_back(i);
      timeline_.begin_iteration();
      hand_on(repeat.stacked, repeat.slices);
      run(repeat.body);
      for (size_t p = 0; p < repeat.parts.size(); ++p) copy_part(repeat.parts[p], stacks[p]);
      hand_on(repeat.yields, i + 1 < trips ? repeat.arguments : repeat.results);
      timeline_.end_iteration();
      iterations_.pop_back();
    }
    timeline_.end_loop();
    loops_.pop_back();
    for (size_t p = 0; p < stacks.size(); ++p) now_[repeat.stacks[p]] = stacks[p];
  }

  void hand_on(const std::vector<PlanValueId>& from, const std::vector<PlanValueId>& to) {
    std::vector<uint32_t> lifetimes;
    for (const PlanValueId id : from) lifetimes.push_back(now_.at(id));
    for (size_t i = 0; i < to.size(); ++i) now_[to[i]] = lifetimes[i];
  }

  void note_homes(const Repeat& repeat) {
    for (size_t i = 0; i < repeat.arguments.size(); ++i) {
      set_home(repeat.arguments[i], Home::loop, repeat.initial[i]);
      set_home(repeat.results[i], Home::loop, repeat.count > 0 ? repeat.yields[i] : repeat.initial[i]);
    }
    for (size_t i = 0; i < repeat.slices.size(); ++i) set_home(repeat.slices[i], Home::loop, repeat.stacked[i]);
  }

  /// Parts that the body makes get their rows.
  std::vector<uint32_t> begin_stacks(const Repeat& repeat) {
    std::vector<uint32_t> stacks;
    for (const PlanValueId stack : repeat.stacks) stacks.push_back(begin(stack));
    std::vector<PlanValueId> made;
    for (const Block& block : repeat.body) {
      for (const Queue& queue : block.queues) {
        for (const InstructionId id : queue.instructions) {
          const Instruction& instruction = plan_.instruction(id);
          if (!only_renames(instruction))
            made.insert(made.end(), instruction.results.begin(), instruction.results.end());
        }
      }
      if (block.repeat) made.insert(made.end(), block.repeat->stacks.begin(), block.repeat->stacks.end());
    }
    for (const PlanValueId id : made)
      if (rows_.at(id) != kNothing) rows_[id] = kNothing;  // of the iteration of an outer loop before
    for (size_t p = 0; p < repeat.parts.size(); ++p) {
      const PlanValueId part = repeat.parts[p];
      const bool here = std::find(made.begin(), made.end(), part) != made.end();
      if (!here || rows_.at(part) != kNothing) continue;
      rows_[part] = stacks[p];
      set_home(part, Home::row, repeat.stacks[p]);
    }
    return stacks;
  }

  void copy_part(PlanValueId part, uint32_t stack) {
    const uint32_t from = now_.at(part);
    if (from == stack || from == kNothing) return;
    const Writers writers = out_.all[from].writers;
    for (const Lifetime::Writer& writer : writers) write(stack, writer.moment);
    // A stack has several writers on a queue; the last one is behind all that has touched it so far.
    for (const Lifetime::Writer& writer : writers) {
      uint32_t& behind = touched_on(stack, writer.queue);
      behind = std::max(behind, touched_on(from, writer.queue));
    }
    if (out_.all[stack].last != Lifetime::kEnd && out_.all[from].last != Lifetime::kEnd) {
      out_.all[stack].last = std::max(out_.all[stack].last, out_.all[from].last);
    }
  }

  void set_home(PlanValueId id, Home home, PlanValueId of) {
    ValueMemory& value = values_[id.index()];
    value.home = home;
    value.of = of;
    value.bytes = static_cast<int64_t>(bytes_of(plan_.value(id).type()));
  }

  const Plan& plan_;
  Timeline& timeline_;
  std::vector<ValueMemory>& values_;
  Lifetimes out_;
  IdTable<PlanValueId, uint32_t>& now_;
  IdTable<PlanValueId, uint32_t>& buffer_of_;
  IdTable<PlanValueId, uint32_t>& rows_;
  std::vector<uint32_t> read_;  ///< the lifetimes of operands
  std::vector<const Repeat*> loops_;
  std::vector<int64_t> iterations_;
};

}  // namespace

Lifetimes lifetimes_of(const Plan& plan, const RankGroup& group, Timeline& timeline, LifetimeTables& tables,
                       std::vector<ValueMemory>& values) {
  LifetimeWalk walk(plan, timeline, tables, values);
  walk.run(group.blocks);
  return walk.take();
}

}  // namespace isoshard
