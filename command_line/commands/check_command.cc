// The command `check`: loads each input, proves or refutes each of its claims and writes the reports. With --grad each
// claim becomes one about gradients first (docs/adr/0020-gradients-of-globals.md). An input without a claim is no
// success: nothing was decided. The exit code is the worst of all claims, so that a script can rely on it. Each report
// is printed when it is known, so that Ctrl-C loses only the claim that is being decided; of that one what its rungs
// said is told. What is no error is a warning (verify/warnings/warnings.h), which changes no exit code.
#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "command_line/check_options.h"
#include "command_line/check_output.h"
#include "command_line/counterexample_file.h"
#include "command_line/load_plan.h"
#include "command_line/terminal.h"
#include "command_line/usage.h"
#include "command_line/watch.h"
#include "library/claims.h"
#include "library/load/load.h"
#include "pictures/page/page.h"
#include "verify/check.h"
#include "verify/check_plan.h"
#include "verify/warnings/warnings.h"

namespace isoshard::command_line {
namespace {

/// `check a.shard, b.shard`.
std::string page_title(const std::vector<std::string>& inputs) {
  std::string title;
  for (const std::string& input : inputs) title += (title.empty() ? "check " : ", ") + input;
  return title;
}

/// One run of `check`: what it was asked, where its answers go, and who looks after it.
struct CheckRun {
  const Settings& settings;
  CheckOutput output;
  Watch watch;
  CounterexampleFile file;
  std::optional<pictures::Page> page;  ///< where one is wanted

  explicit CheckRun(const Settings& asked)
      : settings(asked), output(asked), watch("input", asked.inputs.size(), asked.quiet), file(asked) {
    if (!asked.page.empty()) page.emplace(page_title(asked.inputs));
  }

  void tell(const std::vector<Diagnostic>& diagnostics) {
    watch.wipe();
    output.add(diagnostics);
  }
  verify::CheckOptions options() {
    verify::CheckOptions result = check_options(settings);
    result.workers.caller = &watch;
    return result;
  }
  /// Writes the page where a claim was decided; without one there is nothing to show, and an error has said why.
  bool write_page() const { return !page || page->empty() || write_to(settings.page, page->html()); }
};

/// Whether a verdict may be followed by a warning about ranges: all others say more.
bool is_equal(const verify::CheckReport& report) { return report.bad_input.empty() && report.exit_code() == kHolds; }

/// The file of a claim of a Plan: beside it.
std::string beside(const std::string& plan, const std::string& file) {
  return file.starts_with('/') ? file : (std::filesystem::path(plan).parent_path() / file).string();
}

/// What a Plan is compared with: the `check` lines of its file, or --against.
std::vector<text::PlanCheck> claims_of(const text::PlanFile& file, const std::string& input, const Settings& settings,
                                       DiagnosticSink& sink) {
  if (settings.against.empty()) {
    if (file.checks.empty()) {
      sink.error("", {},
                 input +
                     " has no `check` line, so nothing was decided; add `check plan == @program in "
                     "\"file.shard\"`, or say --against FILE.shard@program");
    }
    std::vector<text::PlanCheck> claims = file.checks;
    for (text::PlanCheck& claim : claims) claim.file = beside(input, claim.file);
    return claims;
  }
  const size_t at = settings.against.rfind('@');
  if (at != std::string::npos && at > 0 && at + 1 < settings.against.size()) {
    return {{settings.against.substr(at + 1), settings.against.substr(0, at), {}}};
  }
  sink.error("", {},
             "--against " + settings.against +
                 ": expected a file or model and a program of it, as in --against dense.shard@dense");
  return {};
}

/// Decides one claim of a Plan.
void check_plan_claim(const Plan& plan, const text::PlanCheck& claim, const std::string& input, CheckRun& run) {
  DiagnosticSink sink, loading;
  const std::optional<Module> module = library::load(claim.file, run.settings, loading);
  for (Diagnostic found : loading.diagnostics()) {
    if (!found.location.known()) found.location = claim.location;  // as of a file that is not there
    sink.add(std::move(found));
  }
  const std::optional<ProgramId> program = module ? module->find_program(claim.program) : std::nullopt;
  if (module && !program) {
    sink.error("E-program", claim.location, "check: " + claim.file + " has no program @" + claim.program);
  }
  run.tell(sink.diagnostics());
  if (!program) return run.output.refuse_input(kBadInput);
  const verify::PlanClaim decided{plan, *module, *program, claim.location};
  run.watch.begin_claim();
  try {
    const verify::CheckReport report = check_plan(decided, run.options());
    run.watch.wipe();
    run.output.add(report, input, "");
    if (run.page) run.page->add(plan, report);
  } catch (const Interrupted&) {
    run.output.add_interrupted("@" + plan.program + " == @" + claim.program, claim.location, run.watch);
    throw;
  }
}

void check_plan_file(const std::string& input, CheckRun& run) {
  const Settings& settings = run.settings;
  DiagnosticSink sink;
  if (settings.grad || !settings.counterexample.empty()) {
    sink.error("", {},
               std::string(settings.grad ? "--grad" : "--counterexample") + ": " + input +
                   " is a Plan; gradients and counterexample files are for programs, leave the option out");
  }
  std::optional<text::PlanFile> file;
  if (!sink.has_errors()) file = load_plan(input, settings, sink);
  std::vector<text::PlanCheck> claims;
  if (file) claims = claims_of(*file, input, settings, sink);
  run.tell(sink.diagnostics());
  if (sink.has_errors()) run.output.refuse_input(file && settings.against.empty() ? kUndecided : kBadInput);
  for (const text::PlanCheck& claim : claims) check_plan_claim(file->plan, claim, input, run);
}

/// Decides one claim of a module.
void check_claim(const Module& module, const Check& claim, const std::string& input, CheckRun& run) {
  DiagnosticSink written;
  run.watch.begin_claim();
  try {
    verify::CheckOptions options = run.options();
    options.warnings = run.settings.warnings;
    const verify::CheckReport report = verify::check(module, claim, options);
    const std::string counterexample = run.file.take(module, claim, report, input, written);
    run.watch.wipe();
    run.output.add(report, input, counterexample);
    if (run.page) run.page->add(module, claim, report);
    if (is_equal(report)) run.tell(report.warnings);
  } catch (const Interrupted&) {
    run.watch.wipe();
    run.output.add_interrupted("@" + module.program(claim.left).name() + " == @" + module.program(claim.right).name(),
                               claim.location, run.watch);
    throw;
  }
  run.tell(written.diagnostics());
  if (written.has_errors()) run.output.set_code(kBadInput);
}

/// Decides all claims of a module, which is none where loading it has failed. Only texts that are read here are warned
/// about: what JAX leaves unused nobody wrote.
void check_claims(const std::optional<Module>& module, const std::string& input, DiagnosticSink& sink, CheckRun& run) {
  run.tell(sink.diagnostics());
  if (sink.has_errors()) run.output.refuse_input(module ? kUndecided : kBadInput);
  if (!module) return;
  if (run.settings.warnings && !library::is_stablehlo(input, run.settings)) run.tell(verify::module_warnings(*module));
  for (const Check& claim : module->checks) check_claim(*module, claim, input, run);
}

/// Whether --against was given, which is for Plans, and is an error for `input`.
bool refuse_against(const std::string& input, const Settings& settings, DiagnosticSink& sink) {
  if (settings.against.empty()) return false;
  sink.error("", {}, "--against: " + input + " is no Plan; its own `check` lines say what is compared");
  return true;
}

/// Two StableHLO texts, the sharded program and its reference.
void check_pair(const std::string& left, const std::string& right, CheckRun& run) {
  DiagnosticSink sink;
  std::optional<Module> module;
  if (!refuse_against(left, run.settings, sink)) module = library::load_pair(left, right, run.settings, sink);
  if (module && run.settings.grad && !library::claim_gradients(*module, sink)) module.reset();
  check_claims(module, left, sink, run);
}

void check_input(const std::string& input, CheckRun& run) {
  if (library::is_plan(input)) return check_plan_file(input, run);
  DiagnosticSink sink;
  std::optional<Module> module;
  if (!refuse_against(input, run.settings, sink)) module = load_claims(input, run.settings, sink);
  check_claims(module, input, sink, run);
}

void check_inputs(CheckRun& run) {
  const std::vector<std::string>& inputs = run.settings.inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    run.watch.begin_piece(inputs[i]);
    run.output.begin_input();
    const bool pair = i + 1 < inputs.size() && library::is_stablehlo(inputs[i], run.settings) &&
                      library::is_stablehlo(inputs[i + 1], run.settings);
    if (pair) {
      check_pair(inputs[i], inputs[i + 1], run);
      ++i;
    } else {
      check_input(inputs[i], run);
    }
  }
  DiagnosticSink missing;
  run.file.finish(missing);
  run.tell(missing.diagnostics());
}

/// Which options do not go together, in words; empty where all do.
std::string clash_of(const Settings& settings) {
  const char* const sweep = settings.sweep.empty() ? "--sweep-set" : "--sweep";
  if (settings.strict && !settings.sweeps()) return "--strict is about the rows of --sweep; leave it out";
  if (settings.explain && settings.sweeps()) {
    return std::string("check --explain explains one mesh and ") + sweep + " checks many; leave one of them out";
  }
  if (!settings.counterexample.empty() && (settings.grad || settings.sweeps())) {
    return std::string("check --counterexample is for the programs of one file and mesh, which `sim` runs; leave ") +
           (settings.grad ? "--grad" : sweep) + " out";
  }
  if (!settings.sweeps()) return "";
  if (!settings.page.empty()) {
    return std::string("check --html is a page of one mesh and ") + sweep + " checks many; leave one of them out";
  }
  const bool fixed = std::any_of(settings.inputs.begin(), settings.inputs.end(),
                                 [&](const auto& input) { return library::is_stablehlo(input, settings); });
  if (!fixed) return "";
  return std::string("check ") + sweep +
         " is for files that one can elaborate for many meshes; a StableHLO text is for one";
}

/// Says which options do not go together; true when some do not.
bool refuse_options(const Settings& settings) {
  const std::string clash = clash_of(settings);
  if (!clash.empty()) print_error(clash);
  return !clash.empty();
}

}  // namespace

std::optional<Module> load_claims(const std::string& input, const Settings& settings, DiagnosticSink& sink) {
  std::optional<Module> module = library::load(input, settings, sink);
  if (module && module->checks.empty()) {
    const bool text = library::is_stablehlo(input, settings);
    sink.error("", {},
               input + (text ? " is one program, so nothing was decided; name its reference, too: check sharded.mlir "
                               "reference.mlir"
                             : " has no `check` line, so nothing was decided; add `check @sharded == @reference`"));
  }
  if (module && settings.grad && !library::claim_gradients(*module, sink)) return std::nullopt;
  return module;
}

verify::CheckOptions check_options(const Settings& settings) {
  verify::CheckOptions options;
  options.seed = settings.seed;
  options.workers = settings.workers;
  options.only_rung = settings.rung;
  options.keep_inputs = !settings.counterexample.empty();
  options.accept_sampled = settings.accept == "sampled";
  options.bounds = settings.explain || settings.format == "json";
  if (settings.lanes) options.lanes.least = options.lanes.most = static_cast<size_t>(*settings.lanes);
  if (!settings.error.empty()) library::bound_error(exponent_of(settings.error), options);
  return options;
}

int run_check(const Settings& settings) {
  if (refuse_options(settings)) return kBadInput;
  if (settings.sweeps()) return run_sweep(settings);
  CheckRun run(settings);
  try {
    check_inputs(run);
  } catch (const Interrupted&) {
    // What was known is with the output already.
  }
  run.watch.wipe();
  const int code = run.output.finish();
  return run.write_page() ? code : kBadInput;
}

}  // namespace isoshard::command_line
