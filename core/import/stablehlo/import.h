#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/import/stablehlo/text/syntax.h"
#include "core/ir/module.h"
#include "core/support/diagnostic.h"

/// Programs that JAX has lowered to StableHLO (docs/jax.md).
namespace isoshard::stablehlo {

/// A text, and what its program is called.
struct NamedText {
  const ModuleText& text;
  std::string name;
  std::vector<MeshAxis> mesh{};          ///< of a text that names none, as those of older versions of JAX (--mesh)
  std::vector<std::string> arguments{};  ///< names of the arguments, in place of the text's own (--args)
  /// For so many arrays it was lowered, of a pair the same ones in one order; 0: nobody says so.
  size_t arrays = 0;
};

/// The numbers that an integer argument may have (--range); beyond them nothing is said.
struct ArgumentRange {
  std::string argument;
  ValueRange range;
};

/// The program of a text, untyped, with a global for each argument of its main; nothing after an error (M-...).
///
/// Arguments are called as `loc("x")` says or `arg0`, results as `jax.result_info` says or `result`.
std::optional<Module> import_program(const NamedText& text, const std::vector<ArgumentRange>& ranges,
                                     DiagnosticSink& sink);

/// The programs of two texts, which read the same globals, and the claim that they are equal. Arguments are paired by
/// position, or by name where one text has fewer; results by position. Where arguments have no names, the claim assumes
/// that those of one place are the same. Texts that have all of the `arrays` for which they were lowered are paired by
/// position, whatever names they have.
std::optional<Module> import_pair(const NamedText& left, const NamedText& right,
                                  const std::vector<ArgumentRange>& ranges, DiagnosticSink& sink);

}  // namespace isoshard::stablehlo
