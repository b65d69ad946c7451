// Programs::simulate: one program on virtual devices, from whole arrays to whole arrays. As in the command `sim` a
// program with state errors has no agreed meaning and is refused, and so is a run that this machine's memory cannot
// hold, before anything is allocated. Devices whose copies of an output disagree are an error here, where nobody reads
// warnings: which copy would be the result?
#include <algorithm>
#include <utility>

#include "core/plan/passes/lower.h"
#include "core/support/result.h"
#include "library/findings.h"
#include "library/guarded.h"
#include "library/load/arrays.h"
#include "library/load/load.h"
#include "library/named_arrays.h"
#include "library/states.h"
#include "library/waiting_caller.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/evaluate/conversion.h"
#include "sim/run/assemble.h"
#include "sim/run/machine_memory.h"
#include "sim/run/memory_estimate.h"
#include "sim/run/steps.h"
#include "sim/run/work_estimate.h"

namespace isoshard {
inline namespace v1 {
namespace {

using library::throw_errors;

ProgramId program_to_run(const detail::ProgramsState& state, const std::string& name) {
  library::LoadRequest request;
  request.program = name;
  DiagnosticSink sink;
  const std::optional<ProgramId> id = library::choose_program(state.module, state.input, request, sink);
  throw_errors(sink);
  for (const Diagnostic& error : state.module.state_errors(*id)) sink.add(error);
  throw_errors(sink);
  return *id;
}

void check_steps(const Plan& plan, int64_t steps) {
  DiagnosticSink sink;
  const bool updates =
      std::any_of(plan.outputs.begin(), plan.outputs.end(), [](const Output& o) { return o.updates.valid(); });
  if (steps < 1 || (steps > 1 && !updates)) {
    sink.error("I-steps", {},
               "steps is " + std::to_string(steps) + "; expected 1" +
                   (updates ? " or more" : ", as @" + plan.program + " updates no global: all steps would be alike"));
  }
  throw_errors(sink);
}

/// Of one step: a run of many tells its progress and stops where it is told to.
void check_work(const Plan& plan) {
  DiagnosticSink sink;
  if (std::optional<Diagnostic> error = sim::exceeds_instructions(plan, 1)) sink.add(std::move(*error));
  throw_errors(sink);
}

void check_memory(const Plan& plan, const sim::Domain& domain, int workers) {
  sim::MemoryEstimate estimate = sim::estimate_memory(plan, domain, workers);
  estimate.globals *= 2;  // they are held as arrays as well
  DiagnosticSink sink;
  if (std::optional<Diagnostic> error = sim::exceeds_memory("@" + plan.program, estimate, sim::machine_memory())) {
    sink.add(std::move(*error));
  }
  throw_errors(sink);
}

std::vector<sim::Value> globals_of(const Module& module, ProgramId program, const std::vector<NamedArray>& arrays,
                                   uint64_t seed, const sim::Domain& domain) {
  DiagnosticSink sink;
  std::optional<std::vector<NamedTensor>> given;
  if (!arrays.empty()) given = library::to_tensors(arrays, sink);
  throw_errors(sink);
  const std::vector<bool> reads = library::globals_program_reads(module, program);
  const std::optional<std::vector<Tensor>> tensors =
      library::gather_arrays(module.globals, reads, given, "arrays", {}, seed, sink);
  throw_errors(sink);
  std::vector<sim::Value> values;
  for (const Tensor& tensor : *tensors) values.push_back(sim::from_tensor(tensor, domain));
  return values;
}

std::vector<NamedArray> whole_outputs(const Plan& plan, const sim::RunResult& result, const sim::Domain& domain) {
  std::vector<NamedArray> arrays;
  DiagnosticSink sink;
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const Output& output = plan.outputs[i];
    const sim::Assembled whole = sim::assemble(output.type, result.outputs[i]);
    if (!whole.disagreements.empty()) {
      const sim::Disagreement& first = whole.disagreements.front();
      sink.error("I-replicas", {},
                 "output @" + output.name + ": the devices at positions " + std::to_string(first.position) + " and " +
                     std::to_string(first.other) + " of mesh @" + plan.mesh->name() + " hold different copies");
    }
    arrays.push_back(library::to_array({output.name, sim::to_tensor(whole.value, domain)}));
  }
  if (sink.has_errors()) throw RunError(library::to_findings(sink.diagnostics()));
  return arrays;
}

std::vector<NamedArray> run_program(const detail::ProgramsState& state, const std::vector<NamedArray>& arrays,
                                    const SimulateSettings& settings) {
  const ProgramId program = program_to_run(state, settings.program);
  const Plan plan = isoshard::lower(state.module, program);
  const sim::Domain& domain = sim::float_domain(settings.f64 ? sim::Precision::f64 : sim::Precision::as_written);
  check_steps(plan, settings.steps);
  check_work(plan);
  check_memory(plan, domain, settings.workers);
  const std::vector<sim::Value> globals = globals_of(state.module, program, arrays, settings.seed, domain);
  library::WaitingCaller caller(settings.stop, settings.progress);
  sim::RunOptions options;
  options.workers.count = settings.workers;
  options.workers.caller = &caller;
  const auto after_step = [&](int64_t step, const sim::RunResult&) {
    caller.begin_part("step " + std::to_string(step) + " of " + std::to_string(settings.steps));
  };
  const Result<sim::RunResult> result = sim::run_steps(plan, domain, globals, settings.steps, options, after_step);
  if (!result) throw RunError(library::to_findings({result.error()}));
  return whole_outputs(plan, *result, domain);
}

}  // namespace

std::vector<NamedArray> Programs::simulate(const std::vector<NamedArray>& arrays,
                                           const SimulateSettings& settings) const {
  return library::guarded(state_->input, [&] { return run_program(*state_, arrays, settings); });
}

}  // namespace v1
}  // namespace isoshard
