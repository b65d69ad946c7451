#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/ir/program.h"

namespace isoshard {

/// `check @left == @right`: the claim that two programs compute the same outputs.
struct Check {
  ProgramId left;
  ProgramId right;
  Location location;
};

/// A file, elaborated: meshes, globals, programs and functions in order, and the claims about them.
struct Module {
  std::vector<std::shared_ptr<const Mesh>> meshes;
  std::vector<Global> globals;
  std::vector<Program> programs;
  std::vector<Check> checks;

  const Global& global(GlobalId id) const { return globals[id.index()]; }
  const Program& program(ProgramId id) const { return programs[id.index()]; }
  std::optional<GlobalId> find_global(std::string_view name) const;
  /// The program (not function) called `name`.
  std::optional<ProgramId> find_program(std::string_view name) const;
  /// The state errors of `id` and of every function it calls, in that order.
  std::vector<Diagnostic> state_errors(ProgramId id) const;
};

}  // namespace isoshard
