#pragma once  // internal

#include <optional>
#include <vector>

#include "core/ir/module.h"
#include "core/transform/autodiff/vjp_parts.h"

namespace isoshard::autodiff {

/// A backward part in two: a pipeline stage sends its input gradient on and leaves the weight gradient for later (the
/// actions I and W of a schedule).
struct SplitBackward {
  /// The arguments `input_arguments` of vjp.backward; gives the cotangents of `inputs`, then what is handed over.
  ProgramId input{};
  /// The arguments `weight_arguments` of vjp.backward, then what is handed over; gives the cotangents of `weights`.
  ProgramId weight{};
  std::vector<size_t> input_arguments, weight_arguments;
  std::vector<size_t> inputs, weights;  ///< places in vjp.wrt
  size_t handed = 0;                    ///< cotangents of intermediate values that the weight part reads
};

/// Cuts vjp.backward. `inputs` are places in vjp.wrt, ascending; all others are weights. No op that moves or computes
/// data stands in both parts. A-wrt at `location` where there are no inputs or no weights.
std::optional<SplitBackward> split_backward(Module& module, const Vjp& vjp, const std::vector<size_t>& inputs,
                                            DiagnosticSink& sink, const Location& location = Location::here());

}  // namespace isoshard::autodiff
