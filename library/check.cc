// Programs::check. Gradients are claimed of a copy, so that the handle stays what was loaded. The inputs of a
// counterexample are always kept: a report outlives the programs that it is about.
#include <utility>

#include "library/claims.h"
#include "library/counterexample.h"
#include "library/findings.h"
#include "library/guarded.h"
#include "library/named_arrays.h"
#include "library/states.h"
#include "library/waiting_caller.h"
#include "verify/check.h"

namespace isoshard {
inline namespace v1 {
namespace {

verify::CheckOptions check_options_of(const CheckSettings& settings, sim::Caller& caller) {
  verify::CheckOptions options;
  options.seed = settings.seed;
  options.workers.count = settings.workers;
  options.workers.caller = &caller;
  options.accept_sampled = settings.accept_sampled;
  options.keep_inputs = options.bounds = true;
  if (settings.error_exponent != 0) library::bound_error(settings.error_exponent, options);
  return options;
}

/// What is wrong with what a caller asks for is said as of an input.
void refuse(const std::string& message) {
  DiagnosticSink sink;
  sink.error("", {}, message);
  library::throw_errors(sink);
}

void check_arguments(size_t claim, const detail::ProgramsState& state, const CheckSettings& settings) {
  const size_t count = state.module.checks.size();
  if (count == 0) refuse(state.input + " has no `check` line, so that there is nothing to decide");
  if (claim >= count) {
    refuse("there is no claim " + std::to_string(claim) + ": " + state.input + " has " + std::to_string(count));
  }
  if (settings.workers < 0) refuse("workers is " + std::to_string(settings.workers) + "; expected 0 or more");
  if (settings.error_exponent != 0 && (settings.error_exponent < 20 || settings.error_exponent > 240)) {
    refuse("error_exponent is " + std::to_string(settings.error_exponent) + "; expected 0, or 20 to 240");
  }
}

Report check_module(const Module& module, const Check& claim, const CheckSettings& settings) {
  library::WaitingCaller caller(settings.stop, settings.progress);
  verify::CheckReport report = verify::check(module, claim, check_options_of(settings, caller));
  if (!report.bad_input.empty()) throw InputError(library::to_findings(report.bad_input));
  std::vector<NamedArray> arrays =
      library::to_arrays(library::counterexample_arrays(module, claim, report, settings.seed));
  return Report(std::make_shared<const detail::ReportState>(detail::ReportState{std::move(report), std::move(arrays)}));
}

}  // namespace

Report Programs::check(size_t claim, const CheckSettings& settings) const {
  check_arguments(claim, *state_, settings);
  return library::guarded(state_->input, [&] {
    if (!settings.gradients) return check_module(state_->module, state_->module.checks[claim], settings);
    Module module = state_->module;
    DiagnosticSink sink;
    library::claim_gradients(module, sink);
    library::throw_errors(sink);
    return check_module(module, module.checks[claim], settings);
  });
}

}  // namespace v1
}  // namespace isoshard
