#include "verify/check.h"

#include <algorithm>
#include <chrono>

#include "verify/backwards.h"
#include "verify/equivalence.h"
#include "verify/memory.h"
#include "verify/types.h"

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

CheckReport check(const Module& module, const Check& check, const CheckOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
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
  decide_equivalence(pair, EquivalenceOptions{options}, report);
  if (options.backwards) report.backwards = compare_backwards(module, check, options);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace isoshard::verify
