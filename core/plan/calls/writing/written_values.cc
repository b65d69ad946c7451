// What can be seen of a rank while it runs, without another way of running: the calls are those of the list, and copies
// stand between them, each on the stream of the call that it follows. A value is known by its instruction and by which
// run of that made it. Runs are those of the sync plan; calls name their instruction, and each of its runs has equally
// many, or else, where chains were fused in some only, none is told. Cost: a pass over runs and calls, and a place for
// each.
#include "core/plan/calls/writing/written_values.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "core/plan/calls/writing/call_writer.h"
#include "core/plan/calls/writing/make_call_list.h"
#include "core/plan/memory/memory_places.h"
#include "core/plan/passes/sync_plan.h"
#include "core/plan/renames.h"

namespace isoshard::calls {
namespace {

/// The iterations of the loops around each run of an instruction.
using Runs = std::vector<std::vector<int64_t>>;

bool is_told(const Instruction& instruction) {
  return instruction.results.size() == 1 && !std::holds_alternative<StoreBlock>(instruction.data());
}

std::map<InstructionId, Runs> runs_of(const Plan& plan, int64_t position) {
  const SyncPlan sync = sync_plan(plan, group_at(plan, position));
  std::map<InstructionId, Runs> runs;
  for (const IssuedRun& run : sync.runs) {
    if (!is_told(plan.instruction(run.instruction))) continue;
    const std::span<const int64_t> iterations = sync.iterations_of(run);
    runs[run.instruction].emplace_back(iterations.begin(), iterations.end());
  }
  return runs;
}

/// The calls of each instruction that write something.
std::map<InstructionId, std::vector<size_t>> calls_of(const CallList& list) {
  std::map<InstructionId, std::vector<size_t>> calls;
  for (size_t c = 0; c < list.calls.size(); ++c) {
    const auto& what = list.calls[c].what;
    const bool writes = !std::holds_alternative<Record>(what) && !std::holds_alternative<Wait>(what);
    if (writes && list.calls[c].origin.valid()) calls[list.calls[c].origin].push_back(c);
  }
  return calls;
}

}  // namespace

std::vector<WrittenValue> written_values(const Plan& plan, const MemoryPlan& memory, const CallList& list) {
  const MemoryPlaces places(plan, memory);
  const std::map<InstructionId, Runs> runs = runs_of(plan, list.position);
  std::vector<WrittenValue> values;
  for (const auto& [instruction, calls] : calls_of(list)) {
    const auto known = runs.find(instruction);
    if (known == runs.end() || calls.size() % known->second.size() != 0) continue;
    const size_t each = calls.size() / known->second.size();
    const PlanValueId id = plan.instruction(instruction).results[0];
    for (size_t time = 0; time < known->second.size(); ++time) {
      const std::optional<int64_t> place = places.offset(id, known->second[time]);
      if (place) values.push_back({id, time, {*place, &plan.value(id).type()}, calls[(time + 1) * each - 1]});
    }
  }
  std::sort(values.begin(), values.end(), [](const WrittenValue& a, const WrittenValue& b) { return a.call < b.call; });
  return values;
}

CallList with_copies(const CallList& list, std::span<const WrittenValue> values) {
  CallList copied = list;
  copied.outputs.clear();
  copied.calls.clear();
  size_t next = 0;
  for (size_t c = 0; c < list.calls.size(); ++c) {
    copied.calls.push_back(list.calls[c]);
    for (; next < values.size() && values[next].call == c; ++next) {
      const Held& held = values[next].held;
      const Held copy{copied.bytes, held.type};
      const auto bytes = static_cast<int64_t>(bytes_of(*held.type));
      copied.sections.push_back({"copy", copied.bytes, bytes});
      copied.bytes += aligned(bytes);
      copied.outputs.push_back({static_cast<uint32_t>(next),
                                {std::vector<int64_t>(held.type->shape.size(), 0), held.type->shape},
                                copy.place});
      CallWriter writer({}, {}, 0, Products::exact);
      writer.copy(held, copy);
      for (LocalCall& call : writer.take().calls) {
        const auto add = [&](auto& what) {
          copied.calls.push_back({list.calls[c].stream, list.calls[c].origin, what});
        };
        std::visit(add, call);
      }
    }
  }
  return copied;
}

}  // namespace isoshard::calls
