#pragma once

#include <string>

#include "tests/autodiff/adjoint_identity.h"

namespace isoshard::autodiff {

/// Cuts `vjp.backward` into an input and a weight part, at a random choice of inputs, runs them one after the other,
/// and compares with the gradients of the whole, bit by bit. Empty where all is well.
std::string parts_problem(Module& module, const Vjp& vjp, const AdjointIdentity& at, const Values& gradients,
                          uint64_t seed);

}  // namespace isoshard::autodiff
