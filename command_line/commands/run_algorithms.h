#pragma once

#include <optional>

#include "command_line/settings.h"
#include "core/support/diagnostic.h"
#include "exec/algorithms/algorithm_cache.h"
#include "exec/run/job.h"

namespace isoshard::command_line {

/// Reads what `--algorithms` names; nothing is read without that option. False where that cannot be: `I-algorithms`.
bool read_algorithms(const Settings& settings, std::optional<exec::AlgorithmCache>& cache, DiagnosticSink& sink);

/// Takes note of what all ranks use, and writes what is new. False where that cannot be: `I-algorithms`.
bool keep_algorithms(const exec::Job& job, exec::AlgorithmCache& cache, DiagnosticSink& sink);

}  // namespace isoshard::command_line
