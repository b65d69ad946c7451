#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/module.h"
#include "core/support/result_fwd.h"

/// `.shard` files: text -> Module and back (docs/language.md).
namespace isoshard::text {

/// Reads a file that another one imports.
using ImportReader = std::function<Result<std::shared_ptr<const SourceFile>>(const std::string& path)>;

/// What the caller changes in a file: `--mesh model=8` and `--set d=512`.
struct ElaborateOptions {
  /// New sizes of axes, in every mesh of the file that has the axis.
  std::vector<std::pair<std::string, int64_t>> mesh_sizes;
  /// New values of lets, as written (integers).
  std::vector<std::pair<std::string, std::string>> settings;
  /// How many ops, iterations and elements of spreads a file may ask for (E-limit).
  int64_t max_ops = 1'000'000;
  /// Reads imported files; read_source without it.
  ImportReader read{};
};

/// The largest mesh that a file may ask for.
inline constexpr int64_t kMaxDevices = int64_t{1} << 20;

/// The file at `path`; a missing, unreadable or too large (1 GiB) file and a directory are errors (P-file).
Result<std::shared_ptr<const SourceFile>> read_source(const std::string& path);

/// Reads `file` and elaborates it for concrete mesh sizes; nothing after an error.
///
/// Errors of syntax are P-..., of names, numbers and limits E-..., of shapes and dtypes T-..., of structure V-...;
/// state errors are no errors here, they stay with their ops. Several errors are reported at once.
std::optional<Module> parse_module(const std::shared_ptr<const SourceFile>& file, const ElaborateOptions& options,
                                   DiagnosticSink& sink);

struct PrintOptions {
  /// Each op followed by ` : f32[8,16] {V: data, P: model}`; functions once per set of states, as @f, @f_2, ...
  bool types = false;
  /// Values by what they are, `%q` and `%dot_general_21`, and not by the names that they have.
  bool names = false;
};

/// The whole module as a file: no lets, loops or expressions are left. Parsing it gives the same text again.
std::string print(const Module& module, const PrintOptions& options = {});
/// One program with the mesh, globals and functions that it uses, as a file.
std::string print(const Module& module, ProgramId program, const PrintOptions& options = {});

}  // namespace isoshard::text
