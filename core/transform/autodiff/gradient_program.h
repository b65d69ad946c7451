#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/module.h"

namespace isoshard::autodiff {

/// What one device starts with backwards from an output: 1, or the device's block of a global.
struct Cotangent {
  size_t output = 0;  ///< of the program
  std::optional<GlobalId> global{};
};

/// A global, and the name of the output that returns its gradient.
struct Wanted {
  GlobalId global;
  std::string name;
};

struct GradientRequest {
  ProgramId program{};
  std::string name;  ///< of the program that is made
  std::vector<Cotangent> cotangents;
  std::vector<Wanted> wrt;
  /// Gradients of the sum of all devices' losses, of an untyped program (docs/spec/originals.md, "Conventions").
  bool unchecked = false;
};

/// Whether an output can be differentiated: a float that depends on globals with a gradient.
bool has_gradient(const Program& program, const Output& output);
/// Whether the program reads the global where it has a gradient.
bool reads(const Program& program, GlobalId global);

/// Adds the program that computes what the requested one does and returns the gradients of its outputs, each times its
/// cotangent, with respect to globals (docs/adr/0020-gradients-of-globals.md). `update`s are left out.
///
/// A global that the program does not read has the gradient 0. Errors: A-untyped where `unchecked` does not go with the
/// program, A-loss for an output that is P, or V where its layout does not split, A-wrt for a global without a
/// gradient, A-view for one that a function views, A-not-differentiable at the op. State errors of the program stay
/// with the ops of the new one.
std::optional<ProgramId> build_gradient_program(Module& module, const GradientRequest& request, DiagnosticSink& sink,
                                                const Location& location = Location::here());

}  // namespace isoshard::autodiff
