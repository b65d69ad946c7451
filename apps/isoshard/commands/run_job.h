#pragma once

#include <memory>
#include <vector>

#include "apps/isoshard/settings.h"
#include "core/plan/plan.h"
#include "exec/algorithms/product_algorithm.h"
#include "exec/load_backend.h"
#include "exec/run/job.h"
#include "exec/run/probe.h"

namespace isoshard::app {

/// What ranks are told, and on what they run.
struct RunJob {
  std::shared_ptr<exec::Job> job;  ///< its devices taken in turn
  exec::Machine machine;
};

/// The device that the settings name.
exec::Device device_of(const Settings& settings);

/// Whether steps are issued as graphs. Making one issues all calls once more and makes nodes of them; with each
/// launch a call costs 0.7 us in place of 3.3 (docs/gpu-results.md): `auto` is on where 8 steps and more are done.
bool makes_graph(const Settings& settings);

/// Puts a rank on a device of a machine.
void place(exec::Job& job, size_t rank, int device, const exec::Machine& machine);

/// The job of a Plan, whose ranks take the algorithms that are known. Nothing of CUDA is touched in this process.
exec::Outcome<RunJob> make_job(const Plan& plan, std::vector<calls::CallList> lists, const exec::KnownAlgorithms& known,
                               const Settings& settings);

}  // namespace isoshard::app
