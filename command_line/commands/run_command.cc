// The command `run`: runs one program on devices, by CUDA and NCCL or by their stand-in on the CPU, and tells what came
// out as `sim` does, on the same inputs. The Plan is planned into buffers and made into a list of calls for each rank;
// --print-calls prints these on any machine. Ranks are started (run_ranks.cc), each step gives whole outputs, of which
// all copies must have the same bits, and its updates begin the next. --repeat asks for the same bits again, --check
// for those of sim or for what rounding explains (run_check.cc). A failed run is told with the rank and its reason, and
// never waits longer than --deadline. Cost: that of the ranks, beside a copy of inputs and outputs.
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "command_line/commands/run_algorithms.h"
#include "command_line/commands/run_check.h"
#include "command_line/commands/run_difference.h"
#include "command_line/commands/run_launched.h"
#include "command_line/commands/run_memory.h"
#include "command_line/commands/run_plan.h"
#include "command_line/commands/run_ranks.h"
#include "command_line/commands/sim_report.h"
#include "command_line/commands/sim_start.h"
#include "command_line/terminal.h"
#include "core/support/counted.h"
#include "core/support/result.h"
#include "exec/run/steps.h"
#include "sim/evaluate/conversion.h"
#include "verify/answers/words.h"

namespace isoshard::command_line {
namespace {

/// What a command has said so far.
struct Told {
  std::string text;
  int code = kBadInput;
  bool abandon = false;  ///< a rank goes on in this process
};

std::string bits_text(const Tensor& scalar) {
  char text[64];
  uint64_t bits = 0;
  for (size_t i = scalar.bytes().size(); i-- > 0;) bits = bits << 8 | static_cast<uint64_t>(scalar.bytes()[i]);
  std::snprintf(text, sizeof text, "%.9g (0x%llx)", sim::number_at(scalar, 0), static_cast<unsigned long long>(bits));
  return text;
}

/// All steps of a run, once or several times.
class Run {
 public:
  Run(const Plan& plan, exec::Crew& crew, std::optional<exec::AlgorithmCache>& algorithms, const Settings& settings,
      DiagnosticSink& sink)
      : plan_(plan),
        crew_(crew),
        algorithms_(algorithms),
        settings_(settings),
        sink_(sink),
        check_(plan, settings),
        told_(told_scalars(plan)) {
    if (settings.steps == 1) told_.clear();
    for (const size_t i : told_) history_.names.push_back(plan.outputs[i].name);
  }

  /// The exit code; whatever failed is reported.
  int go(const std::vector<Tensor>& globals) {
    if (const exec::Outcome<> opened = crew_.open(); !opened) return report_failure(opened.error(), sink_);
    if (algorithms_ && !keep_algorithms(crew_.job(), *algorithms_, sink_)) return kBadInput;
    for (int64_t round = 1; round <= settings_.repeat; ++round) {
      if (const int code = go_once(round, globals); code != kHolds) return code;
    }
    if (const exec::Outcome<> finished = crew_.finish(); !finished) return report_failure(finished.error(), sink_);
    return settings_.check ? check_.code() : kHolds;
  }

  /// The globals with which the first step began that is not as in sim, or leaves ranks with different copies; nothing
  /// where none is or sim was not asked.
  const std::optional<std::vector<Tensor>>& differing() const { return differing_; }

  /// Of the last step.
  std::vector<NamedTensor> arrays() const {
    std::vector<NamedTensor> arrays;
    for (size_t o = 0; o < last_.size(); ++o) arrays.push_back(NamedTensor{plan_.outputs[o].name, last_[o]});
    return arrays;
  }

  std::string text() const {
    std::string text = describe_outputs(history_, arrays()) + times_;
    if (algorithms_) text += algorithms_->text();
    if (settings_.repeat > 1) text += "the same bits " + std::to_string(settings_.repeat) + " times\n";
    return settings_.check ? text + issued_text() + check_.text() : text;
  }

 private:
  int go_once(int64_t round, std::vector<Tensor> globals) {
    for (int64_t step = 1; step <= settings_.steps; ++step) {
      const exec::Outcome<exec::StepOutputs> outputs = exec::run_step(crew_, plan_, globals, step == 1);
      if (!outputs) return report_failure(outputs.error(), sink_);
      if (settings_.time) note_time(round, step, outputs->seconds);
      const bool good =
          round == 1 ? first_time(step, globals, outputs->arrays) : same_again(round, step, outputs->arrays);
      const bool alike = report_copies(*outputs, step);
      if (settings_.check && !differing_ && (!alike || check_.differs())) differing_ = globals;
      if (!alike || !good) return kDoesNotHold;
      last_ = outputs->arrays;
      globals = exec::next_globals(plan_, std::move(globals), outputs->arrays);
    }
    return kHolds;
  }

  bool first_time(int64_t step, const std::vector<Tensor>& globals, const std::vector<Tensor>& outputs) {
    if (settings_.repeat > 1) first_.push_back(outputs);
    if (step < settings_.steps) report_ranges(step, outputs);
    if (!told_.empty()) {
      history_.steps.emplace_back();
      for (const size_t i : told_) history_.steps.back().push_back(sim::number_at(outputs[i], 0));
    }
    const bool looks = (step - 1) % settings_.check_every == 0 || step == settings_.steps;
    return !settings_.check || !looks || check_.look(step, globals, outputs, crew_.job(), sink_);
  }

  /// What the next step begins with; the first step that leaves a range is told, as by sim.
  void report_ranges(int64_t step, const std::vector<Tensor>& outputs) {
    if (sink_.diagnostics().size() > told_before_) return;
    for (size_t o = 0; o < outputs.size(); ++o) {
      const GlobalId updates = plan_.outputs[o].updates;
      if (updates.valid()) report_range(plan_.globals[updates.index()], outputs[o], step, sink_);
    }
  }

  bool same_again(int64_t round, int64_t step, const std::vector<Tensor>& outputs) {
    const std::vector<Tensor>& first = first_[static_cast<size_t>(step - 1)];
    for (size_t o = 0; o < outputs.size(); ++o) {
      const auto ours = outputs[o].bytes(), theirs = first[o].bytes();
      if (std::equal(ours.begin(), ours.end(), theirs.begin())) continue;
      sink_.error("R-repeat", {},
                  "output @" + plan_.outputs[o].name + ": time " + std::to_string(round) +
                      " gave other bits than time 1" + " in step " + std::to_string(step) +
                      "; expected the same, as nothing in a Plan is left to chance");
      return false;
    }
    return true;
  }

  /// Copies that differ are an error, unless sim has been asked and has other copies, too.
  bool report_copies(const exec::StepOutputs& outputs, int64_t step) {
    bool good = true;
    for (const exec::CopyDifference& copies : outputs.differences) {
      const bool expected = settings_.check && check_.copies_differ(copies.output);
      std::string text =
          "output @" + plan_.outputs[copies.output].name + ": ranks " + std::to_string(copies.first) + " and " +
          std::to_string(copies.other) + " hold different copies after step " + std::to_string(step) + ", first at " +
          verify::index_in_words(copies.index) + ": " + bits_text(copies.of_first) + " and " +
          bits_text(copies.of_other) +
          (expected ? "; so do those of sim, with the same bits; the first copy counts" : "; expected the same bits");
      if (expected) {
        sink_.warning("R-replicas", {}, std::move(text));
      } else {
        sink_.error("R-replicas", {}, std::move(text));
        good = false;
      }
    }
    return good;
  }

  std::string issued_text() const {
    const exec::Job& job = crew_.job();
    int64_t issued = 0;
    for (size_t rank = 0; rank < job.lists.size(); ++rank) issued += job.desk->issued(rank);
    if (issued == 0) return "issued: not compared, the backend has no record of any call\n";
    std::string text("issued as listed: ");
    return text += counted(issued, "call") + " of CUDA, NCCL and cuBLASLt\n";
  }

  void note_time(int64_t round, int64_t step, double seconds) {
    char line[96];
    std::snprintf(line, sizeof line, "  step %lld  %.3f ms", static_cast<long long>(step), seconds * 1e3);
    times_ += line;
    if (settings_.repeat > 1) times_ += "  time " + std::to_string(round);
    times_ += "\n";
  }

  const Plan& plan_;
  exec::Crew& crew_;
  std::optional<exec::AlgorithmCache>& algorithms_;
  const Settings& settings_;
  DiagnosticSink& sink_;
  size_t told_before_ = sink_.diagnostics().size();
  CheckAgainstSim check_;
  std::vector<size_t> told_;
  History history_{};
  std::vector<std::vector<Tensor>> first_{};  ///< outputs by step, of the first time
  std::vector<Tensor> last_{};
  std::optional<std::vector<Tensor>> differing_{};
  std::string times_{};
};

std::string headline(const Plan& plan, const std::string& machine, const Settings& settings, double seconds) {
  const int64_t ranks = plan.mesh->device_count();
  char time[32];
  std::snprintf(time, sizeof time, "%.1f ms", seconds * 1e3);
  return "@" + plan.program + " on " + std::to_string(ranks) + (ranks == 1 ? " rank, " : " ranks, ") + machine + ", " +
         (settings.steps > 1 ? std::to_string(settings.steps) + " steps, " : "") +
         (makes_graph(settings) ? "a graph from the second step on, " : "") + time + "\n";
}

using Launched = std::optional<exec::Launch>;

/// Where a run has parted with sim, in words, empty where it has not. The ranks end, since others need their devices:
/// those of a launcher, too, which starts none again, so that these are of the machine of rank 0 alone.
std::string parting(const Plan& plan, const Run& run, std::optional<StartedRanks>& ranks,
                    const exec::KnownAlgorithms& known, const Launched& launch, const Settings& settings) {
  if (!run.differing()) return "";
  const std::vector<calls::CallList> issued = ranks->crew->job().lists;
  ranks.reset();
  Settings again = settings;
  if (launch) again.launcher = "processes";
  return "first difference: " + first_difference(plan, issued, *run.differing(), known, again);
}

Told run_plan(const RunStart& start, std::vector<calls::CallList> lists, const Launched& launch,
              const Settings& settings, DiagnosticSink& sink) {
  Told told;
  const Plan& plan = start.plan;
  if (!check_steps(plan, settings.steps, sink) || !fits_memory(plan, lists, settings, sink)) return told;
  std::optional<exec::AlgorithmCache> algorithms;
  if (!read_algorithms(settings, algorithms, sink)) return told;
  const std::optional<std::vector<Tensor>> globals = read_inputs(start, settings, sink);
  if (!globals) return told;
  const exec::KnownAlgorithms known = algorithms ? algorithms->known() : nullptr;
  if (launch && launch->rank > 0) {
    told.code = serve_rank_of(plan, std::move(lists), *globals, known, *launch, settings, sink);
    return told;
  }
  std::optional<StartedRanks> ranks =
      launch ? start_launched(plan, std::move(lists), *globals, known, *launch, settings, sink, told.code)
             : start_ranks(plan, std::move(lists), known, settings, sink, told.code);
  if (!ranks) return told;
  const auto begin = std::chrono::steady_clock::now();
  Run run(plan, *ranks->crew, algorithms, settings, sink);
  told.code = run.go(*globals);
  told.abandon = ranks->crew->has_stragglers();
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
  const std::string text = headline(plan, ranks->machine, settings, elapsed.count()) + run.text();
  const std::string first = told.abandon ? "" : parting(plan, run, ranks, known, launch, settings);
  if (sink.has_errors() && !first.empty()) sink.warning("R-first", {}, first);
  if (sink.has_errors()) return told;
  told.text = text + (first.empty() ? "" : first + "\n");
  if (settings.write_arrays.empty()) return told;
  const Result<void> written = write_npz(settings.write_arrays, run.arrays());
  if (written) return told;
  sink.add(written.error());
  return Told{"", kBadInput, told.abandon};
}

Told run_input(const Settings& settings, Launched& launch, DiagnosticSink& sink) {
  Told told;
  if (!settings.print_calls && !find_launch(settings, launch, sink)) return told;
  const std::optional<RunStart> start = load_start(settings, sink);
  if (!start || (launch && !check_launch(start->plan, *launch, sink))) return told;
  std::optional<std::vector<calls::CallList>> lists = make_call_lists(start->plan, settings, sink, told.code);
  if (!lists) return told;
  if (!settings.print_calls) return run_plan(*start, std::move(*lists), launch, settings, sink);
  told.text = calls_text(start->plan, *lists, settings);
  return told;
}

/// What is told; by ranks of a launcher, whose outputs come together, with who tells it.
std::vector<Diagnostic> signed_by(const Launched& launch, const std::vector<Diagnostic>& diagnostics) {
  std::vector<Diagnostic> result = diagnostics;
  for (Diagnostic& diagnostic : result) {
    if (launch && launch->rank > 0)
      diagnostic.message = "rank " + std::to_string(launch->rank) + ": " + diagnostic.message;
  }
  return result;
}

}  // namespace

int run_run(const Settings& settings) {
  DiagnosticSink sink;
  Launched launch;
  const Told told = run_input(settings, launch, sink);
  const bool written = settings.quiet || write_out(told.text);
  std::vector<Diagnostic> said = signed_by(launch, sink.diagnostics());
  if (settings.quiet) std::erase_if(said, [](const Diagnostic& d) { return d.severity != Severity::error; });
  print_diagnostics(said, settings.color);
  const int code = written ? told.code : kBadInput;
  if (!told.abandon) return code;
  std::fflush(nullptr);
  _exit(code);  // a thread still uses what would be destroyed
}

}  // namespace isoshard::command_line
