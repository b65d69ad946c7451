#pragma once  // internal

#include <vector>

#include "core/ir/module.h"

namespace isoshard::verify {

/// Gradients that a program or a check asks for and that are 0 whatever the inputs are (W-zero-gradient): nothing that
/// is differentiated depends on the argument, or only behind a stop_gradient or through integers.
std::vector<Diagnostic> zero_gradients(const Module& module);

}  // namespace isoshard::verify
