#include "verify/check_claim.h"

#include <utility>

#include "sim/run/work_estimate.h"
#include "verify/answers/words.h"
#include "verify/bounds/memory.h"
#include "verify/compare/make_pair.h"
#include "verify/deadlock/deadlock.h"
#include "verify/equivalence.h"
#include "verify/race/decide_races.h"
#include "verify/state_errors.h"

namespace isoshard::verify {

ProgramReport program_report(const Mesh& mesh, const std::string& name) {
  ProgramReport r;
  r.name = name;
  r.devices = mesh.device_count();
  if (mesh.axis_count() == 0) return r;
  r.mesh = "@" + mesh.name() + " [";
  for (size_t a = 0; a < mesh.axis_count(); ++a) {
    const MeshAxis& axis = mesh.axes()[a];
    r.mesh += (a > 0 ? ", " : "") + axis.name + "=" + std::to_string(axis.size);
  }
  r.mesh += "]";
  return r;
}

namespace {

void decide_order(const Pair& pair, CheckReport& report) {
  report.deadlock = decide_deadlock(pair.sharded.plan);
  if (report.deadlock.none()) report.deadlock = decide_deadlock(pair.reference.plan);
  report.race = decide_races(pair.sharded.plan);
  if (report.race.none()) report.race = decide_races(pair.reference.plan);
}

}  // namespace

void decide_pair(const Pair& pair, std::vector<Diagnostic> state_errors, const CheckOptions& options,
                 CheckReport& report) {
  if (std::optional<Diagnostic> error = exceeds_memory(pair, options.lanes, options.workers.count)) {
    report.bad_input.push_back(std::move(*error));
    return;
  }
  for (const Side* side : {&pair.sharded, &pair.reference}) {
    if (std::optional<Diagnostic> error = sim::exceeds_instructions(side->plan, pair.steps)) {
      report.bad_input.push_back(std::move(*error));
      return;
    }
  }
  report.state_errors = std::move(state_errors);
  if (options.order) {
    options.workers.begin_part("deadlock and race");
    decide_order(pair, report);
  }
  if (report.deadlock.verdict == DeadlockVerdict::deadlock) return;  // no values to compare
  decide_equivalence(pair, EquivalenceOptions{options}, report);
}

CheckReport check_claim(const Module& module, const Check& check, const CheckOptions& options) {
  const Program &left = module.program(check.left), &right = module.program(check.right);
  CheckReport report;
  report.claim.location = check.location;
  report.claim.left = program_report(left.mesh(), left.name());
  report.claim.right = program_report(right.mesh(), right.name());
  report.claim.seed = options.seed;
  report.claim.accept_sampled = options.accept_sampled;
  DiagnosticSink sink;
  if (!check_outputs(module, check, sink)) {
    report.bad_input = sink.diagnostics();
    return report;
  }
  decide_pair(make_pair_of(module, check), type_errors(module, check), options, report);
  if (report.equivalence != Verdict::not_equal) {
    for (const std::string& condition : check.assumes) add_once(condition, report.assumes.conditions);
  }
  return report;
}

}  // namespace isoshard::verify
