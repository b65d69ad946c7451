#pragma once

#include <optional>
#include <span>
#include <vector>

#include "command_line/commands/run_ranks.h"
#include "command_line/settings.h"
#include "core/plan/plan.h"
#include "core/value/tensor.h"
#include "exec/launch/launch.h"

namespace isoshard::command_line {

/// Finds out whether a launcher has started this process as one rank of several; --launcher says that none has. False
/// where its variables are wrong (I-launcher).
bool find_launch(const Settings& settings, std::optional<exec::Launch>& launch, DiagnosticSink& sink);

/// Whether it has started as many ranks as the mesh has devices (I-ranks).
bool check_launch(const Plan& plan, const exec::Launch& launch, DiagnosticSink& sink);

/// Rank 0 of a launched job: its ranks, as start_ranks has them, once all have come.
std::optional<StartedRanks> start_launched(const Plan& plan, std::vector<calls::CallList> lists,
                                           std::span<const Tensor> globals, const exec::KnownAlgorithms& known,
                                           const exec::Launch& launch, const Settings& settings, DiagnosticSink& sink,
                                           int& code);

/// Any other rank: does what rank 0 says, to the end; the exit code.
int serve_rank_of(const Plan& plan, std::vector<calls::CallList> lists, std::span<const Tensor> globals,
                  const exec::KnownAlgorithms& known, const exec::Launch& launch, const Settings& settings,
                  DiagnosticSink& sink);

}  // namespace isoshard::command_line
