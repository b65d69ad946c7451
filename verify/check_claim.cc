#include "verify/check_claim.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/engine/beside.h"
#include "sim/run/work_estimate.h"
#include "verify/answers/words.h"
#include "verify/bounds/memory.h"
#include "verify/compare/integer_values.h"
#include "verify/compare/make_pair.h"
#include "verify/compare/steps.h"
#include "verify/deadlock/deadlock.h"
#include "verify/equivalence.h"
#include "verify/race/decide_races.h"
#include "verify/state_errors.h"
#include "verify/warnings/overflow.h"
#include "verify/warnings/rounding.h"

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

DeadlockReport deadlock_of(const Pair& pair) {
  DeadlockReport sharded = decide_deadlock(pair.sharded.plan);
  return sharded.none() ? decide_deadlock(pair.reference.plan) : sharded;
}

RaceReport race_of(const Pair& pair) {
  RaceReport sharded = decide_races(pair.sharded.plan);
  return sharded.none() ? decide_races(pair.reference.plan) : sharded;
}

/// Whether runs that hold `bytes` at most are worth threads beside them, and leave them cores and memory.
bool may_go_beside(const Pair& pair, double bytes) {
  constexpr double kWorthAThread = 0x1p22, kRunsAtOnce = 3;  // rings, rung F and warnings
  return bytes >= kWorthAThread && kRunsAtOnce * bytes <= sim::machine_memory().bytes && !both_are_large(pair);
}

/// What floats do otherwise than formulas.
std::vector<Diagnostic> warnings_of(const Pair& pair, uint64_t seed, const sim::Workers& workers) {
  std::vector<Diagnostic> result = overflow_warnings(pair, seed, workers);
  for (Diagnostic& rounding : rounding_warnings(pair, seed, workers)) result.push_back(std::move(rounding));
  return result;
}

/// Warnings are for what holds; they are looked for beside the values where that is of use.
void decide_values(const Pair& pair, const CheckOptions& options, bool side_by_side, CheckReport& report) {
  const auto warnings = [&](const sim::Workers& workers) { return warnings_of(pair, options.seed, workers); };
  std::optional<sim::Beside<std::vector<Diagnostic>>> beside;
  if (options.warnings && side_by_side) beside.emplace(options.workers, warnings);
  EquivalenceOptions of_values{options};
  of_values.side_by_side = side_by_side;
  decide_equivalence(pair, of_values, report);
  if (options.warnings && report.exit_code() == 0) report.warnings = beside ? beside->get() : warnings(options.workers);
}

/// Races do not depend on values: they are looked for beside these. After a deadlock there are no values to compare.
void decide_order_and_values(const Pair& pair, const CheckOptions& options, bool side_by_side, CheckReport& report) {
  options.workers.begin_part("deadlock and race");
  report.deadlock = deadlock_of(pair);
  sim::Beside<RaceReport> race(side_by_side ? options.workers : options.workers.alone(),
                               [&pair](const sim::Workers&) { return race_of(pair); });
  if (report.deadlock.verdict != DeadlockVerdict::deadlock) decide_values(pair, options, side_by_side, report);
  report.race = race.get();
}

}  // namespace

void decide_pair(const Pair& pair, std::vector<Diagnostic> state_errors, const CheckOptions& options,
                 CheckReport& report) {
  MemoryNeed memory = memory_need(pair, options.lanes, options.workers.count);
  std::optional<Diagnostic> too_much = std::move(memory.error);
  if (!too_much) too_much = sim::exceeds_instructions(pair.sharded.plan, pair.steps);
  if (!too_much) too_much = sim::exceeds_instructions(pair.reference.plan, pair.steps);
  if (too_much) {
    report.bad_input.push_back(std::move(*too_much));
    return;
  }
  report.state_errors = std::move(state_errors);
  const bool side_by_side = may_go_beside(pair, memory.most);
  if (options.order) {
    decide_order_and_values(pair, options, side_by_side, report);
  } else {
    decide_values(pair, options, side_by_side, report);
  }
}

namespace {

/// Those that nothing in the report names yet.
void add_ranges(const Module& module, const Check& check, std::vector<std::string>& ranges) {
  for (const GlobalId id : check.ranged) {
    const Global& global = module.global(id);
    const std::string start = "@" + global.name + " in ";
    const bool named =
        std::any_of(ranges.begin(), ranges.end(), [&](const std::string& r) { return r.starts_with(start); });
    if (!named && global.range) ranges.push_back(start + range_in_words(*global.range, global.type.dtype));
  }
}

}  // namespace

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
    add_ranges(module, check, report.assumes.ranges);
  }
  return report;
}

}  // namespace isoshard::verify
