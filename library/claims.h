#pragma once

#include <cstddef>

#include "core/ir/module.h"
#include "verify/check_options.h"

namespace isoshard::library {

/// Each claim about values becomes one about gradients; false after an error, which goes to `sink`.
bool claim_gradients(Module& module, DiagnosticSink& sink);

/// Fewer or more lanes, so that a wrong EQUAL has probability 2^-`exponent` at most.
void bound_error(int exponent, verify::CheckOptions& options);

}  // namespace isoshard::library
