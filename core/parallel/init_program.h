#pragma once

#include "core/parallel/module.h"

namespace isoshard {

/// Builds the program `name` that gives every parameter of `params` its first value, from a scalar `key` global, and
/// updates it in its own layout (spec/seeds.md 7).
///
/// The key of a parameter is that of the program, folded over the axis of each enclosing wrapper and split at each
/// enclosing scan, from outside in, then folded with its path and counter. Wrappers with a mask leave zeros on the
/// other devices. Parameters must have a `global`.
std::optional<ProgramId> build_init_program(const Params& params, GlobalId key, const std::string& name,
                                            const std::shared_ptr<const Mesh>& mesh, Module& module,
                                            DiagnosticSink& sink);

/// The init program of `program`, which stands in the module as `@NAME_init`, and the global of its key.
struct InitProgram {
  ProgramId program;
  GlobalId key;
};
std::optional<InitProgram> find_init_program(const Module& module, ProgramId program);

/// Declares the key and builds `@NAME_init` for the program `name`; nothing to do where it has no parameters.
bool add_init_program(const Params& params, const std::string& name, const std::shared_ptr<const Mesh>& mesh,
                      Module& module, DiagnosticSink& sink);

}  // namespace isoshard
