// The command `check`: loads each input, proves or refutes each of its claims and writes the reports. With --grad each
// claim becomes one about gradients first (docs/adr/0020-gradients-of-globals.md). An input without a claim is no
// success: nothing was decided. The exit code is the worst of all claims, so that a script can rely on it.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/isoshard/check_options.h"
#include "apps/isoshard/counterexample_file.h"
#include "apps/isoshard/json_output.h"
#include "apps/isoshard/load_plan.h"
#include "apps/isoshard/terminal.h"
#include "apps/isoshard/usage.h"
#include "core/text/print/json_fields.h"
#include "library/claims.h"
#include "library/load/load.h"
#include "pictures/page/page.h"
#include "verify/check.h"
#include "verify/check_plan.h"

namespace isoshard::app {
namespace {

/// Everything one run of `check` found, over all inputs.
struct Outcome {
  int code = kHolds;
  std::string text;
  Json checks = Json::array();
  std::optional<pictures::Page> page;  ///< where one is wanted
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

/// `check a.shard, b.shard`.
std::string page_title(const std::vector<std::string>& inputs) {
  std::string title;
  for (const std::string& input : inputs) title += (title.empty() ? "check " : ", ") + input;
  return title;
}

/// Writes the page where a claim was decided; without one there is nothing to show, and an error has said why.
bool write_page(const pictures::Page& page, const Settings& settings) {
  return page.empty() || write_to(settings.page, page.html());
}

/// Decides one claim of a Plan.
void check_plan_claim(const Plan& plan, const text::PlanCheck& claim, const std::string& input,
                      const Settings& settings, Outcome& outcome) {
  DiagnosticSink sink, loading;
  const std::optional<Module> module = library::load(claim.file, settings, loading);
  for (Diagnostic found : loading.diagnostics()) {
    if (!found.location.known()) found.location = claim.location;  // as of a file that is not there
    sink.add(std::move(found));
  }
  const std::optional<ProgramId> program = module ? module->find_program(claim.program) : std::nullopt;
  if (module && !program) {
    sink.error("E-program", claim.location, "check: " + claim.file + " has no program @" + claim.program);
  }
  report_diagnostics(sink.diagnostics(), settings, outcome);
  if (!program) {
    outcome.code = worst(outcome.code, kBadInput);
    return;
  }
  const verify::PlanClaim decided{plan, *module, *program, claim.location};
  const verify::CheckReport report = check_plan(decided, check_options(settings));
  if (outcome.page) outcome.page->add(plan, report);
  add_report(report, input, "", settings, outcome);
}

void check_plan_file(const std::string& input, const Settings& settings, Outcome& outcome) {
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
  report_diagnostics(sink.diagnostics(), settings, outcome);
  if (sink.has_errors()) outcome.code = worst(outcome.code, file && settings.against.empty() ? kUndecided : kBadInput);
  for (const text::PlanCheck& claim : claims) check_plan_claim(file->plan, claim, input, settings, outcome);
}

/// Decides all claims of a module, which is none where loading it has failed.
void check_claims(const std::optional<Module>& module, const std::string& input, DiagnosticSink& sink,
                  const Settings& settings, CounterexampleFile& file, Outcome& outcome) {
  report_diagnostics(sink.diagnostics(), settings, outcome);
  if (sink.has_errors()) outcome.code = worst(outcome.code, module ? kUndecided : kBadInput);
  if (!module) return;
  for (const Check& claim : module->checks) {
    DiagnosticSink written;
    const verify::CheckReport report = verify::check(*module, claim, check_options(settings));
    if (outcome.page) outcome.page->add(*module, claim, report);
    add_report(report, input, file.take(*module, claim, report, input, written), settings, outcome);
    report_diagnostics(written.diagnostics(), settings, outcome);
    if (written.has_errors()) outcome.code = kBadInput;
  }
}

/// Whether --against was given, which is for Plans, and is an error for `input`.
bool refuse_against(const std::string& input, const Settings& settings, DiagnosticSink& sink) {
  if (settings.against.empty()) return false;
  sink.error("", {}, "--against: " + input + " is no Plan; its own `check` lines say what is compared");
  return true;
}

/// Two StableHLO texts, the sharded program and its reference.
void check_pair(const std::string& left, const std::string& right, const Settings& settings, CounterexampleFile& file,
                Outcome& outcome) {
  DiagnosticSink sink;
  std::optional<Module> module;
  if (!refuse_against(left, settings, sink)) module = library::load_pair(left, right, settings, sink);
  if (module && settings.grad && !library::claim_gradients(*module, sink)) module.reset();
  check_claims(module, left, sink, settings, file, outcome);
}

void check_input(const std::string& input, const Settings& settings, CounterexampleFile& file, Outcome& outcome) {
  if (library::is_plan(input)) return check_plan_file(input, settings, outcome);
  DiagnosticSink sink;
  std::optional<Module> module;
  if (!refuse_against(input, settings, sink)) module = load_claims(input, settings, sink);
  check_claims(module, input, sink, settings, file, outcome);
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
  options.bounds = settings.explain || settings.json;
  if (settings.lanes) options.lanes.least = options.lanes.most = static_cast<size_t>(*settings.lanes);
  if (!settings.error.empty()) library::bound_error(exponent_of(settings.error), options);
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
  if (!settings.sweep.empty() && std::any_of(settings.inputs.begin(), settings.inputs.end(), [&](const auto& input) {
        return library::is_stablehlo(input, settings);
      })) {
    print_error("check --sweep is for files that one can elaborate for many meshes; a StableHLO text is for one");
    return kBadInput;
  }
  if (!settings.sweep.empty() && !settings.page.empty()) {
    print_error("check --html is a page of one mesh and --sweep checks many; leave one of them out");
    return kBadInput;
  }
  if (!settings.sweep.empty()) return run_sweep(settings);
  Outcome outcome;
  if (!settings.page.empty()) outcome.page.emplace(page_title(settings.inputs));
  CounterexampleFile file(settings);
  for (size_t i = 0; i < settings.inputs.size(); ++i) {
    const bool pair = i + 1 < settings.inputs.size() && library::is_stablehlo(settings.inputs[i], settings) &&
                      library::is_stablehlo(settings.inputs[i + 1], settings);
    if (pair) {
      check_pair(settings.inputs[i], settings.inputs[i + 1], settings, file, outcome);
      ++i;
    } else {
      check_input(settings.inputs[i], settings, file, outcome);
    }
  }
  DiagnosticSink missing;
  file.finish(missing);
  report_diagnostics(missing.diagnostics(), settings, outcome);
  if (settings.json) {
    Json all = json_envelope(outcome.code);
    all["checks"] = std::move(outcome.checks);
    if (!outcome.diagnostics.empty()) all["diagnostics"] = to_json(outcome.diagnostics);
    outcome.text = text::json_to_text(all);
  }
  const bool paged = !outcome.page || write_page(*outcome.page, settings);
  return write_out(outcome.text) && paged ? outcome.code : kBadInput;
}

}  // namespace isoshard::app
