#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/ir/module.h"

/// Reverse-mode differentiation of functions, Program -> Program (docs/spec/autodiff.md; docs/adr/0019-autodiff.md).
namespace isoshard::autodiff {

/// What a scan keeps of its iterations for the backward pass.
enum class Remat : uint8_t {
  none,  ///< all that the backward pass reads, stacked: nothing is computed twice (jax.lax.scan, torch)
  full,  ///< the carries; each iteration is computed again (jax.checkpoint, torch.utils.checkpoint of the body)
};

struct GradOptions {
  Remat remat = Remat::none;
};

/// A function in two parts, both functions of the module.
struct Vjp {
  /// The arguments of the original; gives its results and then the residuals.
  ProgramId forward{};
  /// One cotangent for each of `active_results`, then the residuals; gives one cotangent for each of `wrt`.
  ProgramId backward{};
  size_t residuals = 0;
  std::vector<size_t> wrt;             ///< arguments
  std::vector<size_t> active_results;  ///< results that depend on them
};

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
