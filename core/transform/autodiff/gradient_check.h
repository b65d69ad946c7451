#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/transform/autodiff/gradient_program.h"

namespace isoshard::autodiff {

/// One side of `check grad(@f.loss, wrt=[@W]) == ...`.
struct GradientSide {
  ProgramId program{};
  std::optional<size_t> output{};  ///< none written: the only loss, or with cotangents all
  bool cotangents = false;         ///< `vjp`: outputs of any shape, each with a random cotangent
  std::vector<Wanted> wrt{};
  bool unchecked = false;  ///< convention=shard_map_unchecked
  Location location{};
};

/// The program that gives the gradients of a side, called `@f.grad`, `@f.loss.grad` or `@f.vjp`; `made` has those that
/// were made before. A random cotangent is a `const` global that is called after its output, `@y.cotangent`.
///
/// Errors: A-loss where the output is no float scalar with a gradient (with cotangents: no float with a gradient), and
/// those of build_gradient_program.
std::optional<ProgramId> gradient_program(Module& module, const GradientSide& side,
                                          std::map<std::string, ProgramId>& made, DiagnosticSink& sink);

/// `check vjp(@a) == vjp(@b)` in place of `check @a == @b`, with respect to all params and inputs with a gradient that
/// both programs read, or that a map makes the same. Errors: A-wrt where there are none, A-loss where no output has
/// one, and those of build_gradient_program.
std::optional<Check> gradient_check(Module& module, const Check& check, std::map<std::string, ProgramId>& made,
                                    DiagnosticSink& sink);

}  // namespace isoshard::autodiff
