#pragma once  // internal

#include "core/ir/module.h"
#include "verify/check_options.h"
#include "verify/report/report.h"

namespace isoshard::verify {

/// Decides `check` alone: everything of verify/check.h but CheckReport::backwards and the time.
CheckReport check_claim(const Module& module, const Check& check, const CheckOptions& options);

}  // namespace isoshard::verify
