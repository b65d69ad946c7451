#pragma once  // internal

#include <vector>

#include "core/ir/module.h"
#include "verify/check_options.h"
#include "verify/report/report.h"

namespace isoshard::verify {

/// Compares every user-written backward that the programs of `check` reach, also through funcs, with the rule that
/// autodiff derives for the same operands: both as functions of the arguments and cotangents, on the ladder of
/// docs/soundness.md. Equal findings for one name are one. It never changes the verdict of the check
/// (docs/adr/0021-user-written-derivatives.md).
std::vector<BackwardReport> compare_backwards(const Module& module, const Check& check, const CheckOptions& options);

}  // namespace isoshard::verify
