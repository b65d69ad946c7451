#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command_line/commands/run_job.h"
#include "command_line/settings.h"
#include "core/plan/plan.h"
#include "exec/algorithms/product_algorithm.h"
#include "exec/run/crew.h"

namespace isoshard::command_line {

/// The ranks of a run, and what they run on in words.
struct StartedRanks {
  std::unique_ptr<exec::Crew> crew;
  std::string machine;
};

/// Starts a rank for each list on the device of the settings, which takes the algorithms that are known; errors go to
/// `sink` (`report_failure`). Nothing of CUDA is touched in this process.
std::optional<StartedRanks> start_ranks(const Plan& plan, std::vector<calls::CallList> lists,
                                        const exec::KnownAlgorithms& known, const Settings& settings,
                                        DiagnosticSink& sink, int& code);

/// Reports why a run ended; the exit code of that: kNoDevice (R-device), kUndecided for what exec cannot do
/// (R-unsupported), kBadInput where a device is too small (D-memory), else kDoesNotHold (R-failed, R-deadline,
/// R-issued).
int report_failure(const exec::Failure& failure, DiagnosticSink& sink);

}  // namespace isoshard::command_line
