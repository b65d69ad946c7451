#pragma once

#include "core/ir/module.h"
#include "core/plan/plan.h"
#include "verify/check_options.h"
#include "verify/report/report.h"

namespace isoshard::verify {

/// The claim that a Plan computes what a program of `module` computes, on the globals that both name.
struct PlanClaim {
  const Plan& plan;  ///< that read_plan has verified
  const Module& module;
  ProgramId program;
  Location location;  ///< where it is claimed
};

/// Decides `claim` as `check` decides one about two programs (verify/check.h); the Plan stands on the left, and has no
/// states.
///
/// Bad input (CheckReport::bad_input, exit code 2) are outputs or updates that do not stand on both sides with one type
/// (C-outputs), globals of one name that differ (C-globals), and messages that a Plan receives before it sends them, in
/// issue order (C-issue-order).
CheckReport check_plan(const PlanClaim& claim, const CheckOptions& options = {});

}  // namespace isoshard::verify
