// The command `sim`: runs one program on virtual devices and tells what came out. A program with state errors is
// refused, since it has no agreed meaning, and so is a run that this machine's memory cannot hold, before anything is
// allocated. Inputs are read or drawn (sim_start.cc), the Plan runs step after step on the same engine as in `check`,
// and each step is looked at: scalars for a table, copies of one output that disagree, integers that leave their
// declared range. Such findings are warnings; the first copy goes on. What is stored by the devices is put together to
// whole arrays, or stacked per device, and written. Exit codes tell bad input from a run that failed.
#include <algorithm>
#include <chrono>
#include <functional>

#include "catalogue/catalogue.h"
#include "command_line/commands/sim_report.h"
#include "command_line/commands/sim_start.h"
#include "command_line/signals.h"
#include "command_line/terminal.h"
#include "command_line/watch.h"
#include "core/plan/memory/plan_memory.h"
#include "core/support/result.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/domains/residues/ring_a.h"
#include "sim/evaluate/conversion.h"
#include "sim/lockstep/run.h"
#include "sim/planned/planned_arenas.h"
#include "sim/run/assemble.h"
#include "sim/run/memory_estimate.h"
#include "sim/run/per_device.h"
#include "sim/run/steps.h"
#include "sim/run/work_estimate.h"
#include "verify/answers/words.h"
#include "verify/deadlock/deadlock.h"

namespace isoshard::command_line {
namespace {

constexpr size_t kRingLanes = 2;

/// An output of the program with the name it has in the archive.
struct NamedOutput {
  std::string name;
  GlobalId updates;  ///< invalid for what is returned
  sim::Assembled whole;
};

void report_replicas(const NamedOutput& output, const Mesh& mesh, DiagnosticSink& sink) {
  if (output.whole.disagreements.empty()) return;
  const sim::Disagreement& first = output.whole.disagreements.front();
  sink.warning("I-replicas", {},
               (output.updates.valid() ? "updated @" : "output @") + output.name + ": the devices at positions " +
                   std::to_string(first.position) + " and " + std::to_string(first.other) + " of mesh @" + mesh.name() +
                   " hold different copies, first at " + verify::index_in_words(first.index) +
                   "; the first copy is written");
}

/// Assembles every output; the engine's Plan stores each element exactly once per replica.
std::vector<NamedOutput> assemble_all(const Plan& plan, const sim::RunResult& result) {
  std::vector<NamedOutput> outputs;
  for (size_t i = 0; i < plan.outputs.size(); ++i) {
    const Output& output = plan.outputs[i];
    outputs.push_back(NamedOutput{output.name, output.updates, sim::assemble(output.type, result.outputs[i])});
  }
  return outputs;
}

/// Whether the name of an output is the path of a parameter, which has slashes: of --init, and of what a model made of
/// modules updates.
bool is_path(const NamedOutput& output, const Settings& settings) {
  return settings.init || (settings.key && output.updates.valid());
}

/// The whole outputs, or what every device holds of them.
std::optional<std::vector<NamedTensor>> to_arrays(const std::vector<NamedOutput>& outputs, const sim::RunResult& result,
                                                  int64_t devices, const sim::Domain& domain, const Settings& settings,
                                                  DiagnosticSink& sink) {
  std::vector<NamedTensor> arrays;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Result<sim::Value> value = outputs[i].whole.value;
    if (settings.per_device) value = sim::stack_devices(outputs[i].name, result.outputs[i], devices);
    if (!value) {
      sink.add(value.error());
      return std::nullopt;
    }
    std::string name = outputs[i].name;
    if (is_path(outputs[i], settings)) std::replace(name.begin(), name.end(), '.', '/');
    arrays.push_back(NamedTensor{std::move(name), sim::to_tensor(*value, domain)});
  }
  return arrays;
}

/// What --outputs holds: all arrays, or of a run that begins with --key and updates parameters only these, so that the
/// archive is a beginning for another optimizer.
std::vector<NamedTensor> to_write(const Plan& plan, const std::vector<NamedOutput>& outputs,
                                  const std::vector<NamedTensor>& arrays, const Settings& settings) {
  std::vector<NamedTensor> params;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const bool updates = outputs[i].updates.valid();
    if (updates && plan.globals[outputs[i].updates.index()].role == Role::param) params.push_back(arrays[i]);
  }
  return settings.key && !settings.init && !params.empty() ? params : arrays;
}

/// Reports a run that this machine's memory cannot hold: globals are held as arrays as well.
bool fits_this_machine(const Plan& plan, const MemoryPlan* memory, const sim::Domain& domain, int workers,
                       DiagnosticSink& sink) {
  sim::MemoryEstimate estimate = sim::estimate_memory(plan, domain, workers);
  estimate.globals *= 2;
  if (memory != nullptr) estimate.bookkeeping += static_cast<double>(sim::arena_bytes(plan, *memory));
  const std::optional<Diagnostic> error = sim::exceeds_memory(
      "@" + plan.program + " on " + devices_text(plan.mesh->device_count()), estimate, sim::machine_memory());
  if (error) sink.add(*error);
  return !error;
}

/// Looks at what each step has stored: copies that differ, scalars for the table, how far the run is.
class Watcher {
 public:
  Watcher(const Plan& plan, const sim::Domain& domain, const Settings& settings, Watch& watch, DiagnosticSink& sink)
      : plan_(plan), domain_(domain), steps_(settings.steps), sink_(sink), watch_(watch) {
    watch_.begin_piece("@" + plan.program);
    if (steps_ == 1 || settings.domain == "ring") return;
    scalars_ = told_scalars(plan);
    for (const size_t i : scalars_) history_.names.push_back(plan.outputs[i].name);
  }

  void operator()(int64_t step, const sim::RunResult& stored) {
    record(stored);
    done_ = step;
    if (step < steps_) watch_.begin_piece("@" + plan_.program);
    watch_.remark(history_.last());
    // The next step goes on with the first copy; those of the last step are compared when it is reported.
    if (step == steps_ || sink_.diagnostics().size() > told_before_) return;
    for (const NamedOutput& output : assemble_all(plan_, stored)) {
      if (!output.updates.valid()) continue;
      report_replicas(output, *plan_.mesh, sink_);
      report_range(plan_.globals[output.updates.index()], sim::to_tensor(output.whole.value, domain_), step, sink_);
    }
  }

  const History& history() const { return history_; }
  /// How many steps there were.
  int64_t done() const { return done_; }

 private:
  void record(const sim::RunResult& stored) {
    if (scalars_.empty()) return;
    history_.steps.emplace_back();
    for (const size_t i : scalars_) {
      const sim::Value value = sim::assemble(plan_.outputs[i].type, stored.outputs[i]).value;
      history_.steps.back().push_back(sim::number_at(sim::to_tensor(value, domain_), 0));
    }
  }

  const Plan& plan_;
  const sim::Domain& domain_;
  int64_t steps_;
  DiagnosticSink& sink_;
  Watch& watch_;
  size_t told_before_ = sink_.diagnostics().size();
  int64_t done_ = 0;
  std::vector<size_t> scalars_{};
  History history_{};
};

/// The result of `run`, or after Ctrl-C the error that says how far it came; the table of its steps is printed then.
Result<sim::RunResult> run_watched(const Watcher& watcher, Watch& watch, const Settings& settings,
                                   const std::function<Result<sim::RunResult>()>& run) {
  try {
    Result<sim::RunResult> result = run();
    if (interrupted()) throw Interrupted();
    return result;
  } catch (const Interrupted&) {
    watch.wipe();
    if (!settings.json && !settings.quiet && watcher.done() > 0) write_out(describe_outputs(watcher.history(), {}));
    return tl::unexpected(Diagnostic{Severity::error,
                                     "",
                                     {},
                                     "interrupted " + watch.where() + " of step " + std::to_string(watcher.done() + 1) +
                                         " of " + std::to_string(settings.steps) + "; nothing was written",
                                     {}});
  }
}

/// Makes the globals with which a run begins; nothing after an error.
using ReadInputs = std::function<std::optional<std::vector<sim::Value>>(const sim::Domain& domain)>;

/// Runs `plan`, in the buffers of `memory` where that is not null, and writes its outputs; nothing after an error,
/// whose exit code is `code` then.
std::optional<Simulated> simulate(const Plan& plan, const MemoryPlan* memory, const ReadInputs& read,
                                  const Settings& settings, DiagnosticSink& sink, int& code) {
  const sim::RingDomain ring(kRingLanes, settings.seed);
  const sim::Domain& domain = settings.domain == "ring"  ? static_cast<const sim::Domain&>(ring)
                              : settings.domain == "f64" ? sim::float_domain(sim::Precision::f64)
                                                         : sim::float_domain(sim::Precision::as_written);
  code = kBadInput;
  if (!check_steps(plan, settings.steps, sink)) return std::nullopt;
  if (const std::optional<Diagnostic> error = sim::exceeds_instructions(plan, 1)) {
    sink.add(*error);
    return std::nullopt;
  }
  if (!fits_this_machine(plan, memory, domain, settings.workers, sink)) return std::nullopt;
  const std::optional<std::vector<sim::Value>> inputs = read(domain);
  if (!inputs) return std::nullopt;
  sim::RunOptions options;
  options.workers = settings.workers;
  options.interleave_seed = settings.interleave_seed;
  std::optional<sim::PlannedArenas> arenas;
  if (memory != nullptr) options.memory = &arenas.emplace(plan, *memory, domain);
  const auto start = std::chrono::steady_clock::now();
  std::optional<Watch> watch;
  watch.emplace("step", static_cast<size_t>(settings.steps), settings.quiet);
  options.workers.caller = &*watch;
  Watcher watcher(plan, domain, settings, *watch, sink);
  const auto after_step = [&](int64_t step, const sim::RunResult& stored) {
    if (arenas) arenas->poison();
    watcher(step, stored);
  };
  const Result<sim::RunResult> result = run_watched(watcher, *watch, settings, [&] {
    return sim::run_steps(plan, domain, *inputs, settings.steps, options, after_step);
  });
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  watch.reset();  // what is written from here on is written whole, or Ctrl-C ends at once
  if (!result) {
    sink.add(result.error());
    code = interrupted() ? kInterrupted : static_cast<int>(kDoesNotHold);
    return std::nullopt;
  }
  const std::vector<NamedOutput> outputs = assemble_all(plan, *result);
  for (const NamedOutput& output : outputs) report_replicas(output, *plan.mesh, sink);
  std::optional<std::vector<NamedTensor>> arrays =
      to_arrays(outputs, *result, plan.mesh->device_count(), domain, settings, sink);
  if (!arrays) return std::nullopt;
  if (!settings.write_arrays.empty()) {
    const Result<void> written = write_npz(settings.write_arrays, to_write(plan, outputs, *arrays, settings));
    if (!written) {
      sink.add(written.error());
      return std::nullopt;
    }
  }
  code = kHolds;
  const std::string name = settings.domain == "bf16" ? "bf16" : std::string(domain.name());
  return Simulated{plan.program,
                   plan.mesh->device_count(),
                   name,
                   settings.steps,
                   elapsed.count(),
                   std::move(*arrays),
                   watcher.history(),
                   arenas ? std::optional(sim::arena_bytes(plan, *memory)) : std::nullopt};
}

/// How buffers may be used again: in issue order, but where that is an order in which ranks wait for each other.
Reuse reuse_of(const Plan& plan) {
  const bool in_order = verify::decide_deadlock(plan).verdict != verify::DeadlockVerdict::launch_order;
  return in_order ? Reuse::tokens : Reuse::ordered;
}

/// The same, in the buffers that are planned for `plan` where the settings ask for them.
std::optional<Simulated> simulate(const Plan& plan, const ReadInputs& read, const Settings& settings,
                                  DiagnosticSink& sink, int& code) {
  if (!settings.planned) return simulate(plan, nullptr, read, settings, sink, code);
  if (settings.domain == "f64" || settings.domain == "ring") {
    sink.error(
        "I-domain", {},
        "--planned --domain " + settings.domain +
            ": buffers have the bytes of each value's dtype, which this domain computes in another format; expected "
            "the domain f32, which takes every dtype as it is written, or bf16");
    code = kBadInput;
    return std::nullopt;
  }
  Plan ordered = plan;
  const Result<MemoryPlan> memory = plan_memory(ordered, reuse_of(plan));
  if (memory) return simulate(ordered, &*memory, read, settings, sink, code);
  sink.add(memory.error());
  code = kUndecided;
  return std::nullopt;
}

/// --domain bf16 is the setting `dtype=bf16` of a model; without one nothing says what is bf16.
bool ask_for_bf16(Settings& settings, DiagnosticSink& sink) {
  const ModelInfo* model = find_model(settings.inputs[0]);
  const auto has_bf16 = [](const SettingInfo& setting) {
    const auto& words = setting.choices;
    return setting.name == "dtype" && std::find(words.begin(), words.end(), "bf16") != words.end();
  };
  if (model != nullptr && std::any_of(model->settings.begin(), model->settings.end(), has_bf16)) {
    settings.set.emplace_back("dtype=bf16");
    return true;
  }
  sink.error("I-domain", {},
             "--domain bf16: " + settings.inputs[0] +
                 " has no setting dtype=bf16, so that nothing says which of its values are bf16; expected a model that "
                 "has one, as tp_training, or a program that converts by itself in the domain f32, which takes every "
                 "dtype as it is written");
  return false;
}

std::optional<Simulated> simulate_input(Settings settings, DiagnosticSink& sink, int& code) {
  code = kBadInput;
  if (settings.domain == "bf16" && !ask_for_bf16(settings, sink)) return std::nullopt;
  const std::optional<RunStart> start = load_start(settings, sink);
  if (!start) return std::nullopt;
  const auto read = [&](const sim::Domain& domain) -> std::optional<std::vector<sim::Value>> {
    const std::optional<std::vector<Tensor>> arrays = read_inputs(*start, settings, sink);
    return arrays ? std::optional(to_values(*arrays, domain)) : std::nullopt;
  };
  return simulate(start->plan, read, settings, sink, code);
}

}  // namespace

int run_sim(const Settings& settings) {
  DiagnosticSink sink;
  int code = kBadInput;
  const std::optional<Simulated> run = simulate_input(settings, sink, code);
  std::string text = run ? describe(*run) : "";
  if (settings.json) text = describe_json(run, settings, code, sink);
  const bool written = settings.quiet || write_out(text);
  std::vector<Diagnostic> told = sink.diagnostics();
  if (settings.quiet) std::erase_if(told, [](const Diagnostic& d) { return d.severity != Severity::error; });
  print_diagnostics(told, settings.color);
  return written ? code : kBadInput;
}

}  // namespace isoshard::command_line
