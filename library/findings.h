#pragma once  // internal

#include <isoshard/errors.h>

#include <vector>

#include "core/support/diagnostic.h"

namespace isoshard::library {

/// The same for a user of the library, with its text.
Finding to_finding(const Diagnostic& diagnostic);
std::vector<Finding> to_findings(const std::vector<Diagnostic>& diagnostics);

/// Throws an InputError of all that `sink` has when there is an error in it.
void throw_errors(const DiagnosticSink& sink);

}  // namespace isoshard::library
