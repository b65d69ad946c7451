// An upper bound of what a run holds, for every legal interleaving, from types alone. Each instruction can run between
// two places of the compute queue, whatever the other queues do (scope_times.h). So a value lives at most from the
// earliest place of its definition to the latest of its last use, and a sum over places gives the peak. The body of a
// loop is bounded by itself, and is there as often as queues can be iterations apart. What the members of a collective
// share counts once per group, until a later meeting shows that all of them have let go of it. Doubles, since sizes in
// a file are only claims. Cost: a few walks over the instructions, and a sweep over the places.
#include "sim/run/memory_estimate.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <thread>
#include <variant>
#include <vector>

#include "core/plan/order/issue_order.h"
#include "core/support/byte_size.h"
#include "sim/evaluate/conversion.h"
#include "sim/run/scope_times.h"

namespace isoshard::sim {
namespace {

/// Of one virtual device without its values: measured with many devices, rounded up.
constexpr double kBytesPerDevice = 4096;

double elements_of(const Shape& shape) {
  double count = 1;
  for (const int64_t size : shape) count *= static_cast<double>(size);
  return count;
}

double bytes_of(const TensorType& type, const Domain& domain) {
  const Storage storage = storage_of(type.dtype, domain);
  return elements_of(type.shape) * static_cast<double>(storage.element_bytes) * static_cast<double>(storage.planes);
}

/// Whether a block is read where it lies in its global, which has that shape and as many planes (read_block).
bool lies_in_global(const LoadBlock& load, const Shape& global, size_t planes) {
  if (!load.start.empty()) return false;
  bool cut = false;
  for (size_t d = global.size(); d-- > 0;) {
    const int64_t count = load.count[d];
    if (global[d] % count != 0 || (cut && global[d] != count)) return false;
    cut |= count > 1;
  }
  return !cut || planes == 1;
}

/// The most that one device holds; results that a group shares count as the device's part of them.
class DeviceMemory {
 public:
  DeviceMemory(const Plan& plan, const Domain& domain) : plan_(plan), domain_(domain), reads_(plan.values.size()) {}

  /// The most while `group` runs.
  double run(const RankGroup& group) {
    one_group_ = plan_.groups.size() == 1;
    return run_scope(group.blocks, nullptr).most;
  }

 private:
  /// Of one run of a list of blocks: the most at once, and what it has stored, which stays.
  struct Bound {
    double most = 0;
    double stored = 0;
  };

  /// What is read of a value in its list of blocks.
  struct Reads {
    size_t end = 0;       ///< the last place at which it may be read
    bool stored = false;  ///< it is kept for good
  };

  /// Changes of what is held, by place.
  class Held {
   public:
    explicit Held(size_t end) : change_(end + 2, 0) {}
    void add(size_t begin, size_t end, double bytes) {
      change_[begin] += bytes;
      change_[std::max(begin, end) + 1] -= bytes;
    }
    double most() const {
      double now = 0, most = 0;
      for (const double bytes : change_) most = std::max(most, now += bytes);
      return most;
    }

   private:
    std::vector<double> change_;
  };

  void read(PlanValueId id, size_t place) {
    size_t& end = reads_[id.index()].end;
    end = std::max(end, place);
  }

  /// What a loop starts from is handed on when it begins; what it slices is held until its last iteration.
  void note_reads(const std::vector<Block>& blocks, const ScopeTimes& times) {
    for (const Block& block : blocks) {
      for (const auto& [id, queue] : in_issue_order(block)) {
        const Instruction& instruction = plan_.instruction(id);
        for (const PlanValueId operand : instruction.operands) {
          read(operand, times.when(id).end);
          if (std::holds_alternative<StoreBlock>(instruction.data())) reads_[operand.index()].stored = true;
        }
      }
      if (!block.repeat) continue;
      const PlaceInterval loop = times.when(block);
      const size_t begun = times.is_idle(block) ? loop.end : std::max<size_t>(loop.begin, 1) - 1;
      for (const PlanValueId id : block.repeat->initial) read(id, begun);
      for (const PlanValueId id : block.repeat->stacked) read(id, loop.end);
    }
  }

  /// `loop`: whose body they are, or null.
  Bound run_scope(const std::vector<Block>& blocks, const Repeat* loop) {
    const ScopeTimes times(plan_, blocks);
    note_reads(blocks, times);
    Held held(times.end());
    Bound bound;
    if (loop != nullptr) start_iteration(*loop, times, held, bound);
    for (const Block& block : blocks) {
      if (block.repeat) {
        run_loop(block, times, held, bound);
      } else {
        run_queues(block, times, loop == nullptr, held, bound);
      }
    }
    bound.most = held.most();
    return bound;
  }

  /// What is carried and does not change is held for all iterations. Yields become arguments, and parts are copied.
  void start_iteration(const Repeat& loop, const ScopeTimes& times, Held& held, Bound& bound) {
    for (const PlanValueId id : loop.yields) read(id, times.end());
    for (const auto* ids : {&loop.arguments, &loop.slices}) {
      for (const PlanValueId id : *ids) define(id, 0, type_bytes(id), times, held, bound);
    }
  }

  void define(PlanValueId id, size_t begin, double bytes, const ScopeTimes& times, Held& held, Bound& bound) {
    const Reads& reads = reads_[id.index()];
    if (reads.stored) bound.stored += bytes;
    held.add(begin, reads.stored ? times.end() : reads.end, bytes);
  }

  /// Where several queues go through it, some are in later iterations than others. Stacked outputs exist from the first
  /// iteration on, and what iterations store stays.
  void run_loop(const Block& block, const ScopeTimes& times, Held& held, Bound& bound) {
    const Repeat& repeat = *block.repeat;
    const PlaceInterval when = times.when(block);
    const auto count = static_cast<double>(repeat.count);
    if (repeat.count > 0) {
      const Bound body = run_scope(repeat.body, &repeat);
      const double apart = times.queues_through(block) > 1 ? static_cast<double>(1 + repeat.ahead) : 1;
      const double at_once = times.is_idle(block) ? count : apart;
      held.add(when.begin, when.end, std::min(at_once, count) * body.most);
      held.add(when.begin, times.end(), body.stored * count);
      bound.stored += body.stored * count;
    }
    const bool idle = times.is_idle(block);  // what it makes may be there at any time
    for (const auto* ids : {&repeat.stacks, &repeat.results}) {
      for (size_t i = 0; idle && i < ids->size(); ++i) read((*ids)[i], times.end());
    }
    for (const PlanValueId id : repeat.stacks) define(id, when.begin, type_bytes(id), times, held, bound);
    const size_t done = idle ? 0 : std::min(when.end + 1, times.end());
    for (const PlanValueId id : repeat.results) define(id, done, type_bytes(id), times, held, bound);
  }

  void run_queues(const Block& block, const ScopeTimes& times, bool outermost, Held& held, Bound& bound) {
    for (const auto& [id, queue] : in_issue_order(block)) {
      const Instruction& instruction = plan_.instruction(id);
      for (const PlanValueId value : instruction.results) {
        const double bytes = weight(instruction, value);
        double members = 1;
        if (is_shared(instruction, members)) {
          define_shared(id, queue, value, members, times, outermost, held, bound);
        } else {
          define(value, times.when(id).begin, bytes, times, held, bound);
        }
      }
    }
  }

  /// Members hold one result together until all have finished reading it; or they take blocks of the sum, or of all
  /// operands, which is as much again until all have done so.
  void define_shared(InstructionId id, QueueId queue, PlanValueId value, double members, const ScopeTimes& times,
                     bool outermost, Held& held, Bound& bound) {
    const auto kind = std::get<Collective>(plan_.instruction(id).data()).kind;
    const size_t begin = times.when(id).begin, end = std::max(begin, reads_[value.index()].end);
    const double bytes = type_bytes(value);
    std::optional<size_t> all = times.end_of_next(queue, end);
    if (!all && outermost) all = times.end();
    if (kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::all_to_all) {
      held.add(begin, all.value_or(times.end()), all ? bytes : bytes * members);
      return define(value, begin, bytes, times, held, bound);
    }
    if (!all) return define(value, begin, bytes, times, held, bound);
    read(value, *all);
    define(value, begin, bytes / members, times, held, bound);
  }

  /// Whether the meeting makes something that its members share; `members` is how many they are.
  bool is_shared(const Instruction& instruction, double& members) const {
    const auto* collective = std::get_if<Collective>(&instruction.data());
    if (collective == nullptr || collective->kind == CollectiveKind::assert_equal || !one_group_) return false;
    const Communicator& communicator = plan_.communicators[collective->communicator.index()];
    members = static_cast<double>(communicator.size(*plan_.mesh));
    return true;
  }

  double type_bytes(PlanValueId id) const { return bytes_of(plan_.value(id).type(), domain_); }

  /// What a result takes: nothing when it lies in a global.
  double weight(const Instruction& instruction, PlanValueId value) const {
    const auto* load = std::get_if<LoadBlock>(&instruction.data());
    if (load == nullptr) return type_bytes(value);
    const TensorType& global = plan_.globals[load->global.index()].type;
    return lies_in_global(*load, global.shape, storage_of(global.dtype, domain_).planes) ? 0 : type_bytes(value);
  }

  const Plan& plan_;
  const Domain& domain_;
  std::vector<Reads> reads_;  ///< by value
  bool one_group_ = true;
};

/// Copies of operands and of a result that is being made.
double scratch_of(const Plan& plan, const Instruction& instruction, const Domain& domain) {
  double bytes = 0;
  for (const PlanValueId id : instruction.operands) bytes += bytes_of(plan.value(id).type(), domain);
  for (const PlanValueId id : instruction.results) bytes += bytes_of(plan.value(id).type(), domain);
  const auto* load = std::get_if<LoadBlock>(&instruction.data());
  if (load == nullptr) return bytes;
  // Blocks are taken one dimension after another: the first cut is the largest.
  const double global = bytes_of(plan.globals[load->global.index()].type, domain);
  const auto cut = std::find_if(load->count.begin(), load->count.end(), [](int64_t count) { return count > 1; });
  if (cut != load->count.end()) return bytes + global / static_cast<double>(*cut);
  return load->start.empty() ? bytes : bytes + global;
}

std::string with_bytes(double bytes) {
  char text[48];
  std::snprintf(text, sizeof text, " (%.0f bytes", bytes);
  return binary_size(bytes) + text;
}

}  // namespace

MemoryEstimate estimate_memory(const Plan& plan, const Domain& domain, int workers) {
  MemoryEstimate result;
  for (const Global& global : plan.globals) result.globals += bytes_of(global.type, domain);
  for (const Output& output : plan.outputs) result.outputs += bytes_of(output.type, domain);
  const double devices = static_cast<double>(plan.mesh->device_count());
  DeviceMemory device(plan, domain);
  for (const RankGroup& group : plan.groups) {
    result.values += static_cast<double>(group.size(*plan.mesh)) * device.run(group);
  }
  result.bookkeeping = devices * kBytesPerDevice;
  const double cores = std::max(1.0, static_cast<double>(std::thread::hardware_concurrency()));
  const double threads = workers > 0 ? static_cast<double>(workers) : cores;
  for (const Instruction& instruction : plan.instructions) {
    result.scratch = std::max(result.scratch, scratch_of(plan, instruction, domain) * std::min(threads, devices));
  }
  return result;
}

std::optional<Diagnostic> exceeds_memory(const std::string& what, const MemoryEstimate& estimate,
                                         const MemoryLimit& limit) {
  if (estimate.total() <= limit.bytes) return std::nullopt;
  return Diagnostic{Severity::error,
                    "D-memory",
                    {},
                    what + " needs about " + with_bytes(estimate.total()) + ": globals " +
                        binary_size(estimate.globals) + ", values of the devices " + binary_size(estimate.values) +
                        "); this machine gives " + with_bytes(limit.bytes) + ", " + limit.source +
                        "); try smaller sizes (--set) or fewer devices (--mesh)",
                    {}};
}

}  // namespace isoshard::sim
