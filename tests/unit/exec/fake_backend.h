#pragma once

#include <memory>
#include <vector>

#include "core/plan/plan.h"
#include "exec/run/job.h"
#include "tests/unit/exec/fake_rank.h"

/// Runs with a backend that computes nothing.
namespace isoshard::exec::testing {

/// Opens a FakeBackend.
OpenBackend fake_backend(const Faults& faults, int devices = 4);

/// A Plan whose two devices each hold half of @x and all of @w, and give both back, @w as its next value.
Plan echo_plan();
/// What its ranks issue: nothing, in memory for their boxes.
std::vector<calls::CallList> echo_lists();
/// A job of these lists that gives up after a second.
std::shared_ptr<Job> echo_job(const Plan& plan, const OpenBackend& open_backend);

}  // namespace isoshard::exec::testing
