#pragma once

#include "parallel/module/module.h"

namespace isoshard {

/// The init program of `@NAME` is `@NAME_init`, and the key that it reads `@init_key`.
inline constexpr const char* kInitKeyName = "init_key";
inline constexpr const char* kInitSuffix = "_init";

/// Updates every parameter of `params` with its first value from the scalar key `base`, as build_init_program does.
/// False after an error.
bool update_with_first_values(ModelBuilder& m, const Params& params, ValueId base);

/// Builds the program `name` that gives every parameter of `params` its first value, from a scalar `key` global, and
/// updates it in its own layout (docs/spec/random.md, "Keys of modules").
///
/// The key of a parameter is that of the program, folded over the axis of each enclosing wrapper and split at each
/// enclosing scan, from outside in, then folded with its path and counter. Wrappers with a mask leave zeros on the
/// other devices. Parameters must have a `global`.
std::optional<ProgramId> build_init_program(const Params& params, GlobalId key, const std::string& name,
                                            const std::shared_ptr<const Mesh>& mesh, Module& module,
                                            DiagnosticSink& sink);

/// The init program of `program`, which stands in the module as `@NAME_init`, and the global of its key. It updates the
/// program's globals; what it returns under the name of an input is a value for that.
struct InitProgram {
  ProgramId program;
  GlobalId key;
};
std::optional<InitProgram> find_init_program(const Module& module, ProgramId program);

/// Whether it is the init program of another one.
bool is_init_program(const Module& module, ProgramId program);

/// Declares the key and builds `@NAME_init` for the program `name`; nothing to do where it has no parameters.
bool add_init_program(const Params& params, const std::string& name, const std::shared_ptr<const Mesh>& mesh,
                      Module& module, DiagnosticSink& sink);

}  // namespace isoshard
