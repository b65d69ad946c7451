#pragma once  // internal

#include <string>
#include <vector>

#include "core/ir/module.h"
#include "verify/check_options.h"
#include "verify/compare/pair.h"
#include "verify/report/report.h"

namespace isoshard::verify {

/// Decides `check` alone: everything of verify/check.h but CheckReport::backwards and the time.
CheckReport check_claim(const Module& module, const Check& check, const CheckOptions& options);

/// A program of the claim, as the report names it.
ProgramReport program_report(const Mesh& mesh, const std::string& name);

/// Decides whether both sides of `pair` are equal, cannot deadlock and have no race, or reports that this machine's
/// memory does not do.
void decide_pair(const Pair& pair, std::vector<Diagnostic> state_errors, const CheckOptions& options,
                 CheckReport& report);

}  // namespace isoshard::verify
