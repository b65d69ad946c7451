#pragma once

#include <vector>

#include "command_line/settings.h"
#include "core/plan/plan.h"
#include "exec/algorithms/product_algorithm.h"
#include "exec/load_backend.h"
#include "exec/start/ranks.h"

namespace isoshard::command_line {

/// The device that the settings name.
exec::Device device_of(const Settings& settings);

/// Whether steps are issued as graphs. Making one issues all calls once more and makes nodes of them; with each
/// launch a call costs 0.7 us in place of 3.3 (docs/gpu-results.md): `auto` is on where 8 steps and more are done.
bool makes_graph(const Settings& settings);

/// On what ranks run, and as what; threads on the stand-in and processes on GPUs unless --launcher says another.
exec::RankSettings rank_settings(const Settings& settings, const exec::KnownAlgorithms& known);

/// The job of a Plan, whose ranks take the algorithms that are known. Nothing of CUDA is touched in this process.
exec::Outcome<exec::PreparedJob> make_job(const Plan& plan, std::vector<calls::CallList> lists,
                                          const exec::RankSettings& settings);

}  // namespace isoshard::command_line
