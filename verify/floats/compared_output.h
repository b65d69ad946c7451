#pragma once  // internal

#include <vector>

#include "sim/engine/engine.h"
#include "verify/answers/counterexample.h"
#include "verify/floats/float_draws.h"

namespace isoshard::verify {

/// Both programs' values of one output of a run, with their rounding bounds.
struct ComparedOutput {
  const TensorType& type;
  const std::vector<sim::StoredBlock>& blocks;
  sim::Value whole;  ///< the reference's
};

/// Notes in `out` the first element that is further apart than rounding explains, and the distances where `run`
/// measures them.
void compare_output_in_floats(const FloatRun& run, const ComparedOutput& output, FloatOutput& out);

/// The same of an output whose verdict stands on infinite masks, with the masks as they are written: what they do
/// counts where it is more than the rounding of any element, and is a trace otherwise.
void compare_as_written(FloatRun run, const ComparedOutput& output, FloatOutput& out);

}  // namespace isoshard::verify
