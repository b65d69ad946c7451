#include "verify/check_claim.h"

#include "verify/bounds/memory.h"
#include "verify/compare/make_pair.h"
#include "verify/deadlock/deadlock.h"
#include "verify/equivalence.h"
#include "verify/state_errors.h"

namespace isoshard::verify {
namespace {

ProgramReport program_report(const Program& program) {
  ProgramReport r;
  r.name = program.name();
  r.devices = program.mesh().device_count();
  if (program.mesh().axis_count() == 0) return r;
  r.mesh = "@" + program.mesh().name() + " [";
  for (size_t a = 0; a < program.mesh().axis_count(); ++a) {
    const MeshAxis& axis = program.mesh().axes()[a];
    r.mesh += (a > 0 ? ", " : "") + axis.name + "=" + std::to_string(axis.size);
  }
  r.mesh += "]";
  return r;
}

}  // namespace

CheckReport check_claim(const Module& module, const Check& check, const CheckOptions& options) {
  CheckReport report;
  report.claim.location = check.location;
  report.claim.left = program_report(module.program(check.left));
  report.claim.right = program_report(module.program(check.right));
  report.claim.seed = options.seed;
  report.claim.accept_sampled = options.accept_sampled;
  DiagnosticSink sink;
  if (!check_outputs(module, check, sink)) {
    report.bad_input = sink.diagnostics();
    return report;
  }
  const Pair pair = make_pair_of(module, check);
  if (std::optional<Diagnostic> error = exceeds_memory(pair, options.lanes, options.workers)) {
    report.bad_input.push_back(std::move(*error));
    return report;
  }
  report.state_errors = type_errors(module, check);
  report.deadlock = decide_deadlock(pair.sharded.plan);
  if (report.deadlock.none()) report.deadlock = decide_deadlock(pair.reference.plan);
  if (report.deadlock.verdict == DeadlockVerdict::deadlock) return report;  // no values to compare
  decide_equivalence(pair, EquivalenceOptions{options}, report);
  return report;
}

}  // namespace isoshard::verify
