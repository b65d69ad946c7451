#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "core/ir/program.h"

namespace isoshard {

/// `map @global = @source [layout]` of a check: `global` starts as what one device reads of `source` through `layout`.
struct GlobalMap {
  GlobalId global;
  GlobalId source;
  Layout layout;
  Location location;
};

/// `check @left == @right {steps=K}`: the claim that two programs compute the same outputs in each of K steps, and the
/// same updated globals after them.
struct Check {
  ProgramId left;
  ProgramId right;
  Location location;
  int64_t steps = 1;
  std::vector<GlobalMap> maps{};
  std::vector<std::string> assumes{};  ///< what whoever made the claim cannot know, which a verdict that holds rests on
  std::vector<GlobalId> ranged{};  ///< integers whose range has decided what the programs are: a verdict is for these
};

/// A file, elaborated: meshes, globals, programs and functions in order, and the claims about them.
struct Module final : SymbolTable {
  std::vector<std::shared_ptr<const Mesh>> meshes;
  std::vector<Global> globals;
  std::vector<Program> programs;
  std::vector<Check> checks;
  std::vector<Diagnostic> remarks;  ///< warnings that only whoever read the text can give

  const Global& global(GlobalId id) const override { return globals[id.index()]; }
  FunctionSignature function(ProgramId id) const override { return program(id).signature(); }
  const Program& program(ProgramId id) const { return programs[id.index()]; }
  std::optional<GlobalId> find_global(std::string_view name) const;
  /// The program (not function) called `name`.
  std::optional<ProgramId> find_program(std::string_view name) const;
  /// The state errors of `id` and of every function it calls, in that order.
  std::vector<Diagnostic> state_errors(ProgramId id) const;
};

}  // namespace isoshard
