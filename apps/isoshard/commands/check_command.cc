// The command `check`: loads each input, proves or refutes each of its claims and writes the reports. With --grad each
// claim becomes one about gradients first (docs/adr/0020-gradients-of-globals.md). An input without a claim is no
// success: nothing was decided. The exit code is the worst of all claims, so that a script can rely on it. The options
// that bound the error are turned into lanes here: a target below what is asked leaves room for the sum of several
// rungs.
#include <unistd.h>

#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/isoshard/check_options.h"
#include "apps/isoshard/counterexample_file.h"
#include "apps/isoshard/json_output.h"
#include "apps/isoshard/load.h"
#include "apps/isoshard/terminal.h"
#include "apps/isoshard/usage.h"
#include "core/text/print/json_fields.h"
#include "core/transform/autodiff/gradient_check.h"
#include "verify/check.h"

namespace isoshard::app {
namespace {

/// Everything one run of `check` found, over all inputs.
struct Outcome {
  int code = kHolds;
  std::string text;
  Json checks = Json::array();
  std::vector<Diagnostic> diagnostics;
};

void report_diagnostics(const std::vector<Diagnostic>& diagnostics, const Settings& settings, Outcome& outcome) {
  print_diagnostics(diagnostics, settings.color);
  outcome.diagnostics.insert(outcome.diagnostics.end(), diagnostics.begin(), diagnostics.end());
}

void add_report(const verify::CheckReport& report, const std::string& input, const std::string& counterexample,
                const Settings& settings, Outcome& outcome) {
  outcome.code = worst(outcome.code, report.exit_code());
  if (settings.json) {
    Json entry{{"input", input}};
    entry.update(Json::parse(verify::to_json(report)));
    if (!counterexample.empty()) entry["counterexample_file"] = settings.counterexample;
    outcome.checks.push_back(std::move(entry));
    return;
  }
  if (report.exit_code() == kBadInput) {
    print_diagnostics(report.bad_input, settings.color);
    return;
  }
  if (!outcome.text.empty()) outcome.text += "\n";
  outcome.text += counterexample;
  outcome.text += verify::to_text(report, use_colour(settings.color, STDOUT_FILENO), settings.explain);
}

void check_input(const std::string& input, const Settings& settings, CounterexampleFile& file, Outcome& outcome) {
  DiagnosticSink sink;
  const std::optional<Module> module = load_claims(input, settings, sink);
  report_diagnostics(sink.diagnostics(), settings, outcome);
  if (sink.has_errors()) outcome.code = worst(outcome.code, module ? kUndecided : kBadInput);
  if (!module) return;
  for (const Check& claim : module->checks) {
    DiagnosticSink written;
    const verify::CheckReport report = verify::check(*module, claim, check_options(settings));
    add_report(report, input, file.take(*module, claim, report, input, written), settings, outcome);
    report_diagnostics(written.diagnostics(), settings, outcome);
    if (written.has_errors()) outcome.code = kBadInput;
  }
}

/// Each claim about values becomes one about gradients; false after an error.
bool claim_gradients(Module& module, DiagnosticSink& sink) {
  std::map<std::string, ProgramId> made;
  for (Check& claim : module.checks) {
    std::optional<Check> gradients = autodiff::gradient_check(module, claim, made, sink);
    if (!gradients) return false;
    claim = std::move(*gradients);
  }
  return true;
}

}  // namespace

std::optional<Module> load_claims(const std::string& input, const Settings& settings, DiagnosticSink& sink) {
  std::optional<Module> module = load(input, settings, sink);
  if (module && module->checks.empty()) {
    sink.error("", {}, input + " has no `check` line, so nothing was decided; add `check @sharded == @reference`");
  }
  if (module && settings.grad && !claim_gradients(*module, sink)) return std::nullopt;
  return module;
}

verify::CheckOptions check_options(const Settings& settings) {
  verify::CheckOptions options;
  options.seed = settings.seed;
  options.workers = settings.workers;
  options.only_rung = settings.rung;
  options.keep_inputs = !settings.counterexample.empty();
  options.accept_sampled = settings.accept == "sampled";
  options.bounds = settings.explain || settings.json;
  if (settings.lanes) options.lanes.least = options.lanes.most = static_cast<size_t>(*settings.lanes);
  if (!settings.error.empty()) {
    constexpr int kRungs = 3;  // log2 of how many rungs' errors may add up
    options.lanes.worst = -exponent_of(settings.error);
    options.lanes.target = options.lanes.worst - kRungs;
  }
  return options;
}

int run_check(const Settings& settings) {
  if (settings.explain && !settings.sweep.empty()) {
    print_error("check --explain explains one mesh and --sweep checks many; leave one of them out");
    return kBadInput;
  }
  if (!settings.counterexample.empty() && (settings.grad || !settings.sweep.empty())) {
    print_error("check --counterexample is for the programs of one file and mesh, which `sim` runs; leave " +
                std::string(settings.grad ? "--grad" : "--sweep") + " out");
    return kBadInput;
  }
  if (!settings.sweep.empty()) return run_sweep(settings);
  Outcome outcome;
  CounterexampleFile file(settings);
  for (const std::string& input : settings.inputs) check_input(input, settings, file, outcome);
  DiagnosticSink missing;
  file.finish(missing);
  report_diagnostics(missing.diagnostics(), settings, outcome);
  if (settings.json) {
    Json all = json_envelope(outcome.code);
    all["checks"] = std::move(outcome.checks);
    if (!outcome.diagnostics.empty()) all["diagnostics"] = to_json(outcome.diagnostics);
    outcome.text = text::json_to_text(all);
  }
  return write_out(outcome.text) ? outcome.code : kBadInput;
}

}  // namespace isoshard::app
