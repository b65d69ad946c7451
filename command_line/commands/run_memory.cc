// What `run` needs of this machine's memory, from types and lists alone, before anything is read or drawn: whole
// globals and outputs, the boxes of all ranks on the desk, what sim holds beside them where --check asks it, and the
// memory of all ranks where the stand-in has it here. Cost: a walk over the Plan and over the boxes of the lists.
#include "command_line/commands/run_memory.h"

#include "core/support/counted.h"
#include "exec/run/boxes.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/run/memory_estimate.h"

namespace isoshard::command_line {
namespace {

double desk_bytes(const Plan& plan, const calls::CallList& list) {
  double bytes = 0;
  for (const calls::HeldBox& box : list.inputs) {
    bytes += static_cast<double>(exec::box_bytes(box.range, plan.globals[box.of].type.dtype));
  }
  for (const calls::HeldBox& box : list.outputs) {
    bytes += static_cast<double>(exec::box_bytes(box.range, plan.outputs[box.of].type.dtype));
  }
  return bytes;
}

sim::MemoryEstimate estimate(const Plan& plan, std::span<const calls::CallList> lists, const Settings& settings) {
  sim::MemoryEstimate all = sim::estimate_memory(plan, sim::float_domain(sim::Precision::as_written), settings.workers);
  if (settings.check) {  // arrays of the run, and those of sim
    all.globals *= 2;
    all.outputs *= 2;
  } else {
    all.values = all.scratch = 0;
  }
  for (const calls::CallList& list : lists) {
    all.bookkeeping += desk_bytes(plan, list);
    if (settings.device != "cuda") all.values += static_cast<double>(list.bytes);
  }
  return all;
}

}  // namespace

bool fits_memory(const Plan& plan, std::span<const calls::CallList> lists, const Settings& settings,
                 DiagnosticSink& sink) {
  const std::optional<Diagnostic> error =
      sim::exceeds_memory("@" + plan.program + " on " + counted(static_cast<int64_t>(lists.size()), "rank"),
                          estimate(plan, lists, settings), sim::machine_memory());
  if (error) sink.add(*error);
  return !error;
}

}  // namespace isoshard::command_line
