#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/plan/plan.h"
#include "core/value/tensor.h"
#include "exec/run/crew.h"

namespace isoshard::exec {

/// Two ranks hold the same box of an output with different bits.
struct CopyDifference {
  size_t output = 0;
  std::vector<int64_t> index;  ///< of the first element that differs, in the whole output
  int64_t first = 0;           ///< the first rank that holds the box
  int64_t other = 0;           ///< a later one
  Tensor of_first, of_other;   ///< that element, as scalars
};

/// What a step gave.
struct StepOutputs {
  std::vector<Tensor> arrays;  ///< by output of the Plan; of copies that differ the first
  std::vector<CopyDifference> differences;
  double seconds = 0;  ///< of the slowest rank
};

/// Per global: whether a step gives the next one its value.
std::vector<bool> updated_globals(const Plan& plan);

/// Puts the boxes that each rank reads on the desk: of all globals, or of those that steps update.
void lay_inputs(const Job& job, std::span<const Tensor> globals, bool all);

/// The same for one rank.
void lay_inputs_of(const Job& job, size_t rank, std::span<const Tensor> globals, bool all);

/// Puts the outputs together from the boxes on the desk; what no rank stores is zero bytes.
StepOutputs collect_outputs(const Job& job, const Plan& plan);

/// Does a step of `plan` on `globals`, of which the crew has those that no step updates unless `all` says otherwise.
Outcome<StepOutputs> run_step(Crew& crew, const Plan& plan, std::span<const Tensor> globals, bool all);

/// The globals with which the next step begins.
std::vector<Tensor> next_globals(const Plan& plan, std::vector<Tensor> globals, std::span<const Tensor> outputs);

}  // namespace isoshard::exec
