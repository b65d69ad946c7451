// What holds bytes from when to when. The Plan is walked in issue order, loops iteration by iteration (trips.h), with
// what each name stands for at the time: an argument is the yield of the iteration before, a slice the whole that it
// lies in, a renamed value its operand, so that a run that reads a name touches the lifetime behind it. A part of a
// stack that its iteration makes is made in its row and has no bytes of its own; another one is copied there by
// whatever has written it. An op that reads and writes element by element may take over the bytes of an operand. Cost:
// runs times queues.
#include "core/plan/memory/lifetimes.h"

#include <algorithm>
#include <unordered_map>

#include "core/plan/issue_order.h"
#include "core/plan/memory/trips.h"
#include "core/plan/renames.h"
#include "core/support/check.h"

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
  LifetimeWalk(const Plan& plan, Timeline& timeline, std::vector<ValueMemory>& values)
      : plan_(plan), timeline_(timeline), values_(values), now_(plan.values.size(), kNothing) {}

  void run(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) {
      if (block.repeat) loop(*block.repeat);
      for (const auto& [id, queue] : in_issue_order(block)) issue(id, queue);
    }
  }
  Lifetimes take() { return std::move(out_); }

 private:
  static constexpr size_t kNothing = Lifetime::kEnd;

  void issue(InstructionId id, QueueId queue) {
    const Instruction& instruction = plan_.instruction(id);
    const size_t moment = timeline_.add(id, queue);
    if (only_renames(instruction)) {
      now_[instruction.results[0].index()] = now_[instruction.operands[0].index()];
      return set_home(instruction.results[0], Home::operand, instruction.operands[0]);
    }
    std::vector<size_t> read;
    for (const PlanValueId operand : instruction.operands) {
      read.push_back(now_[operand.index()]);
      touch(read.back(), moment);
    }
    if (std::holds_alternative<StoreBlock>(instruction.data())) keep(read[0]);
    for (const PlanValueId result : instruction.results) {
      const size_t made = begin(result);
      write(made, moment);
      if (!works_in_place(instruction.data()) || out_.buffers[out_.all[made].buffer].value != result) continue;
      for (size_t i = 0; i < read.size(); ++i) {
        if (takes_over(result, instruction.operands[i], read[i])) out_.all[made].in_place_of.push_back(read[i]);
      }
    }
  }

  /// The operand is all of what is read, and as large as the result, element by element.
  bool takes_over(PlanValueId result, PlanValueId operand, size_t read) const {
    if (read == kNothing) return false;
    const TensorType &made = plan_.value(result).type(), &type = plan_.value(operand).type();
    const Buffer& buffer = out_.buffers[out_.all[read].buffer];
    return made.shape == type.shape && bytes_of(made) == bytes_of(type) &&
           buffer.bytes == static_cast<int64_t>(bytes_of(type));
  }

  /// What a value is made in: a lifetime of its own, or the stack that it is a row of.
  size_t begin(PlanValueId value) {
    const auto row = rows_.find(value);
    const size_t lifetime = row == rows_.end() ? add(value) : row->second;
    if (row == rows_.end()) set_home(value, Home::own, PlanValueId());
    now_[value.index()] = lifetime;
    return lifetime;
  }

  size_t add(PlanValueId value) {
    const auto [known, is_new] = buffer_of_.try_emplace(value, out_.buffers.size());
    if (is_new)
      out_.buffers.push_back(Buffer{value, static_cast<int64_t>(bytes_of(plan_.value(value).type())), loops_});
    Lifetime lifetime{known->second, iterations_};
    lifetime.touched.assign(timeline_.queues(), 0);
    out_.buffers[known->second].lifetimes.push_back(out_.all.size());
    out_.all.push_back(std::move(lifetime));
    return out_.all.size() - 1;
  }

  /// What is stored stays.
  void keep(size_t lifetime) {
    if (lifetime != kNothing) out_.all[lifetime].last = Lifetime::kEnd;
  }
  /// Stacks of loops without iterations are nothing.
  void touch(size_t lifetime, size_t moment) {
    if (lifetime == kNothing) return;
    Lifetime& touched = out_.all[lifetime];
    const Timeline::Moment& run = timeline_.moment(moment);
    touched.touched[run.queue] = std::max(touched.touched[run.queue], run.index + 1);
    if (touched.last != Lifetime::kEnd) touched.last = std::max(touched.last, moment);
  }
  void write(size_t lifetime, size_t moment) {
    touch(lifetime, moment);
    Lifetime& written = out_.all[lifetime];
    written.first = std::min(written.first, moment);
    size_t& first = written.writers.try_emplace(timeline_.moment(moment).queue, moment).first->second;
    first = std::min(first, moment);
  }

  void loop(const Repeat& repeat) {
    hand_on(repeat.initial, repeat.arguments);
    note_homes(repeat);
    if (repeat.count == 0) return hand_on(repeat.initial, repeat.results);
    const std::vector<size_t> stacks = begin_stacks(repeat);
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
    for (size_t p = 0; p < stacks.size(); ++p) now_[repeat.stacks[p].index()] = stacks[p];
  }

  void hand_on(const std::vector<PlanValueId>& from, const std::vector<PlanValueId>& to) {
    std::vector<size_t> lifetimes;
    for (const PlanValueId id : from) lifetimes.push_back(now_[id.index()]);
    for (size_t i = 0; i < to.size(); ++i) now_[to[i].index()] = lifetimes[i];
  }

  void note_homes(const Repeat& repeat) {
    for (size_t i = 0; i < repeat.arguments.size(); ++i) {
      set_home(repeat.arguments[i], Home::loop, repeat.initial[i]);
      set_home(repeat.results[i], Home::loop, repeat.count > 0 ? repeat.yields[i] : repeat.initial[i]);
    }
    for (size_t i = 0; i < repeat.slices.size(); ++i) set_home(repeat.slices[i], Home::loop, repeat.stacked[i]);
  }

  /// Parts that the body makes get their rows.
  std::vector<size_t> begin_stacks(const Repeat& repeat) {
    std::vector<size_t> stacks;
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
    for (const PlanValueId id : made) rows_.erase(id);  // of the iteration of an outer loop before
    for (size_t p = 0; p < repeat.parts.size(); ++p) {
      const PlanValueId part = repeat.parts[p];
      const bool here = std::find(made.begin(), made.end(), part) != made.end();
      if (here && rows_.try_emplace(part, stacks[p]).second) set_home(part, Home::row, repeat.stacks[p]);
    }
    return stacks;
  }

  void copy_part(PlanValueId part, size_t stack) {
    const size_t from = now_[part.index()];
    if (from == stack || from == kNothing) return;
    const std::map<uint32_t, size_t> writers = out_.all[from].writers;
    for (const auto& [queue, moment] : writers) write(stack, moment);
    // A stack has several writers on a queue; the last one is behind all that has touched it so far.
    for (const auto& [queue, moment] : writers) {
      out_.all[stack].touched[queue] = std::max(out_.all[stack].touched[queue], out_.all[from].touched[queue]);
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
  std::vector<size_t> now_;  ///< by value: the lifetime that it stands for
  std::unordered_map<PlanValueId, size_t> buffer_of_;
  std::unordered_map<PlanValueId, size_t> rows_;  ///< parts of loops that run, and the stacks that they are made in
  std::vector<const Repeat*> loops_;
  std::vector<int64_t> iterations_;
};

}  // namespace

Lifetimes lifetimes_of(const Plan& plan, const RankGroup& group, Timeline& timeline, std::vector<ValueMemory>& values) {
  LifetimeWalk walk(plan, timeline, values);
  walk.run(group.blocks);
  return walk.take();
}

}  // namespace isoshard
