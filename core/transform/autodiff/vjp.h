#pragma once

#include <optional>
#include <vector>

#include "core/ir/module.h"
#include "core/transform/autodiff/grad_options.h"
#include "core/transform/autodiff/vjp_parts.h"

/// Reverse-mode differentiation of functions, Program -> Program (docs/spec/autodiff.md; docs/adr/0019-autodiff.md).
namespace isoshard::autodiff {

/// The parts of `function` with respect to the arguments `wrt`, which have gradients. Errors: A-wrt at `location`,
/// where the derivative is asked for, and A-not-differentiable at the op, with the reason.
std::optional<Vjp> build_vjp(Module& module, ProgramId function, const std::vector<size_t>& wrt, DiagnosticSink& sink,
                             const Location& location = Location::here(), const GradOptions& options = {});

/// The function of the same arguments that gives the results of `function` and the gradients of the first one, the
/// loss, with respect to `wrt`; none of them has a gradient itself (jax.value_and_grad, has_aux for further results).
///
/// The gradient begins with 1 on every device for a loss that is I or P, with 1 on one device for R; V is an error
/// (A-loss), as are no result and other shapes than a float scalar. Gradients have the dual states of the arguments;
/// nothing is reduced.
std::optional<ProgramId> build_grad(Module& module, ProgramId function, const std::vector<size_t>& wrt,
                                    DiagnosticSink& sink, const Location& location = Location::here(),
                                    const GradOptions& options = {});

}  // namespace isoshard::autodiff
