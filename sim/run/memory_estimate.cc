// An upper bound of what a run holds, for every legal interleaving, from types alone. Within a block each instruction
// can run between two places of the compute queue, whatever the other queues do: the earliest by what it waits for, the
// latest by what waits for it. So a value lives at most from the earliest place of its definition to the latest of its
// last use, and a sum over places gives the peak (docs/spec/plan.md, "Last uses"). What the members of a collective
// share counts once per group, until a later meeting shows that all of them have let go of it. Doubles, since sizes in
// a file are only claims. Cost: one walk over the instructions, and a sweep over the places of each block.
#include "sim/run/memory_estimate.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>
#include <thread>

#include "core/support/byte_size.h"
#include "sim/evaluate/conversion.h"

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

/// From `begin` to `end` (inclusive), in places of the compute queue: at place p the first p instructions have
/// finished.
struct PlaceInterval {
  size_t begin = 0, end = 0;
};

/// When each instruction of a block can be running at the earliest and at the latest, whatever the other queues do.
class Timing {
 public:
  Timing(const Plan& plan, const Block& block) : end_(block.queues.empty() ? 0 : block.queues[0].instructions.size()) {
    for (const Queue& queue : block.queues) {
      for (size_t i = 0; i < queue.instructions.size(); ++i) {
        order_.push_back(queue.instructions[i]);
        if (i > 0) before_[queue.instructions[i]].push_back(queue.instructions[i - 1]);
        if (&queue == &block.queues[0]) compute_[queue.instructions[i]] = i;
      }
    }
    std::sort(order_.begin(), order_.end());  // ids ascend in an order that respects queues and tokens
    for (const InstructionId id : order_) {
      for (const InstructionId wait : plan.instruction(id).waits) before_[id].push_back(wait);
    }
    for (const InstructionId id : order_) when_[id] = PlaceInterval{earliest(id), end_};
    for (auto id = order_.rbegin(); id != order_.rend(); ++id) bound_latest(*id);
  }

  const std::vector<InstructionId>& order() const { return order_; }
  PlaceInterval when(InstructionId id) const { return when_.at(id); }
  bool contains(InstructionId id) const { return when_.count(id) != 0; }
  size_t end() const { return end_; }

 private:
  size_t earliest(InstructionId id) const {
    const auto place = compute_.find(id);
    if (place != compute_.end()) return place->second;
    size_t result = 0;
    const auto before = before_.find(id);
    if (before == before_.end()) return result;
    for (const InstructionId other : before->second) {
      if (when_.count(other) == 0) continue;
      result = std::max(result, when_.at(other).begin + compute_.count(other));
    }
    return result;
  }

  /// What `id` waits for has finished when it runs.
  void bound_latest(InstructionId id) {
    const auto place = compute_.find(id);
    if (place != compute_.end()) when_[id].end = place->second;
    const auto before = before_.find(id);
    if (before == before_.end()) return;
    for (const InstructionId other : before->second) {
      const auto known = when_.find(other);
      if (known != when_.end()) known->second.end = std::min(known->second.end, when_[id].end);
    }
  }

  size_t end_;
  std::vector<InstructionId> order_;
  std::map<InstructionId, std::vector<InstructionId>> before_;
  std::map<InstructionId, size_t> compute_;
  std::map<InstructionId, PlaceInterval> when_;
};

/// The most that one device holds; results that a group shares count as the device's part of them.
class DeviceMemory {
 public:
  DeviceMemory(const Plan& plan, const Domain& domain) : plan_(plan), domain_(domain) {
    for (const Instruction& instruction : plan.instructions) {
      if (std::holds_alternative<StoreBlock>(instruction.data)) stored_.insert(instruction.operands[0]);
    }
  }

  /// The most while `group` runs.
  double run(const RankGroup& group) {
    one_group_ = plan_.groups.size() == 1;
    live_.clear();
    kept_ = 0;
    return run_blocks(group.blocks, true);
  }

 private:
  /// The most while `blocks` run, with what lives already.
  double run_blocks(const std::vector<Block>& blocks, bool outermost) {
    double most = held();
    for (size_t i = 0; i < blocks.size(); ++i) {
      const bool last = outermost && i + 1 == blocks.size();
      most = std::max(most, blocks[i].repeat ? run_repeat(blocks[i]) : run_queues(blocks[i], last));
    }
    return most;
  }

  double held() const {
    double sum = kept_;
    for (const auto& [id, bytes] : live_) sum += bytes;
    return sum;
  }

  /// Stacked inputs stay until the last iteration has its slice, stacked outputs exist from the first one on.
  double run_repeat(const Block& block) {
    const Repeat& repeat = *block.repeat;
    const std::set<PlanValueId> stacked(repeat.stacked.begin(), repeat.stacked.end());
    double most = held();
    for (const PlanValueId id : block.last_uses) {
      if (stacked.count(id) == 0) release(id);
    }
    for (const auto* ids : {&repeat.arguments, &repeat.slices, &repeat.stacks}) {
      for (const PlanValueId id : *ids) live_[id] = type_bytes(id);
    }
    keep_stored();
    const double kept_before = kept_;
    most = std::max(most, run_blocks(repeat.body, false));
    // What an iteration stores stays, iteration by iteration.
    const double stored = (kept_ - kept_before) * static_cast<double>(std::max<int64_t>(0, repeat.count - 1));
    kept_ += stored;
    for (const PlanValueId id : repeat.results) live_[id] = type_bytes(id);
    most = std::max(most + stored, held());
    for (const auto* ids : {&repeat.arguments, &repeat.slices, &repeat.yields, &repeat.parts, &block.last_uses}) {
      for (const PlanValueId id : *ids) release(id);
    }
    keep_stored();
    return most;
  }

  void release(PlanValueId id) {
    if (stored_.count(id) == 0) live_.erase(id);
  }

  double type_bytes(PlanValueId id) const { return bytes_of(plan_.value(id).type, domain_); }

  /// Whether the meeting makes something that its members share; `members` is how many they are.
  bool is_shared(const Instruction& instruction, double& members) const {
    const auto* collective = std::get_if<Collective>(&instruction.data);
    if (collective == nullptr || collective->kind == CollectiveKind::assert_equal || !one_group_) return false;
    const Communicator& communicator = plan_.communicators[collective->communicator.index()];
    members = static_cast<double>(plan_.mesh->size(communicator.group));
    return true;
  }

  /// All members have finished `last` when this device finishes the next meeting behind it: until then one of them may
  /// hold what they share. Nothing when no such meeting is certain.
  std::optional<size_t> shared_end(const Block& block, const Timing& timing, const Instruction& meeting, size_t from,
                                   bool last_block) const {
    const CommunicatorId communicator = std::get<Collective>(meeting.data).communicator;
    const Queue& queue = block.queues[plan_.communicators[communicator.index()].queue.index()];
    for (const InstructionId id : queue.instructions) {
      if (timing.when(id).begin > from) return timing.when(id).end;
    }
    return last_block ? std::optional(timing.end()) : std::nullopt;
  }

  double run_queues(const Block& block, bool last_block) {
    const Timing timing(plan_, block);
    std::map<PlanValueId, size_t> ends;  // of values that end in this block
    for (const InstructionId id : timing.order()) {
      for (const PlanValueId value : plan_.instruction(id).last_uses) {
        if (stored_.count(value) == 0) ends[value] = timing.when(id).end;
      }
    }
    std::vector<double> change(timing.end() + 2, 0);
    const auto add = [&](size_t begin, size_t end, double bytes) {
      change[begin] += bytes;
      change[end + 1] -= bytes;
    };
    for (const auto& [id, bytes] : live_) add(0, ends.count(id) != 0 ? ends[id] : timing.end(), bytes);
    for (const InstructionId id : timing.order()) {
      const Instruction& instruction = plan_.instruction(id);
      for (const PlanValueId value : instruction.results) {
        define(block, timing, last_block, id, value, ends, add);
      }
    }
    double now = kept_, most = kept_;
    finish_block(block, ends);
    for (const double bytes : change) most = std::max(most, now += bytes);
    return most;
  }

  template <class Add>
  void define(const Block& block, const Timing& timing, bool last_block, InstructionId id, PlanValueId value,
              const std::map<PlanValueId, size_t>& ends, const Add& add) {
    const Instruction& instruction = plan_.instruction(id);
    const auto ended = ends.find(value);
    const size_t begin = timing.when(id).begin;
    size_t end = std::max(begin, ended == ends.end() ? timing.end() : ended->second);
    double bytes = weight(instruction, value), members = 1;
    if (is_shared(instruction, members)) {
      const std::optional<size_t> all = shared_end(block, timing, instruction, end, last_block);
      const auto kind = std::get<Collective>(instruction.data).kind;
      if (kind == CollectiveKind::reduce_scatter || kind == CollectiveKind::all_to_all) {
        // Members take blocks of the sum, or of all operands: as much again, until all have done so.
        add(begin, all.value_or(timing.end()), all ? bytes : bytes * members);
      } else if (all) {
        bytes /= members;
        end = std::max(end, *all);
      }
    }
    add(begin, end, bytes);
    live_[value] = bytes;
  }

  void finish_block(const Block& block, const std::map<PlanValueId, size_t>& ends) {
    for (const auto& [value, end] : ends) live_.erase(value);
    for (const PlanValueId value : block.last_uses) release(value);
    keep_stored();
  }

  /// Stored values stay to the end, whatever becomes of their names.
  void keep_stored() {
    for (const PlanValueId value : stored_) {
      const auto known = live_.find(value);
      if (known == live_.end()) continue;
      kept_ += known->second;
      live_.erase(known);
    }
  }

  /// What a result takes: nothing when it is a whole global.
  double weight(const Instruction& instruction, PlanValueId value) const {
    if (const auto* load = std::get_if<LoadBlock>(&instruction.data)) {
      if (load->start.empty() &&
          std::all_of(load->count.begin(), load->count.end(), [](int64_t count) { return count == 1; }))
        return 0;
    }
    return type_bytes(value);
  }

  const Plan& plan_;
  const Domain& domain_;
  std::set<PlanValueId> stored_;
  bool one_group_ = true;
  std::map<PlanValueId, double> live_;
  double kept_ = 0;  ///< stored
};

/// Copies of operands and of a result that is being made.
double scratch_of(const Plan& plan, const Instruction& instruction, const Domain& domain) {
  double bytes = 0;
  for (const PlanValueId id : instruction.operands) bytes += bytes_of(plan.value(id).type, domain);
  for (const PlanValueId id : instruction.results) bytes += bytes_of(plan.value(id).type, domain);
  const auto* load = std::get_if<LoadBlock>(&instruction.data);
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
    const double ranks = group.positions.empty() ? devices : static_cast<double>(group.positions.size());
    result.values += ranks * device.run(group);
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
