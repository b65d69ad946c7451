#pragma once

#include <optional>

#include "core/ir/module.h"

namespace isoshard {

/// The most ops that a program may have once its calls are inlined.
inline constexpr double kMostInlinedOps = 1'000'000;

/// The ops of `program` where every call is replaced by the body that it calls, scans counted once; a double, since a
/// few lines of calls may ask for more than integers hold.
double inlined_ops(const Module& module, ProgramId program);

/// The error (E-limit) that lowering `program` would write more than kMostInlinedOps ops, at the call that asks for
/// most of them; nothing when it would not.
std::optional<Diagnostic> exceeds_inlined_ops(const Module& module, ProgramId program);

}  // namespace isoshard
