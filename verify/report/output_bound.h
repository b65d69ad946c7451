#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "verify/answers/rung.h"

namespace isoshard::verify {

struct Pair;
struct RungRecord;

/// What stands behind the error bound of one output on the rung that decided it, or on the last one that looked at it
/// (docs/spec/error_bound.md, "Per output"): counted over what this output needs, of both programs the larger one.
struct OutputBound {
  Rung rung = Rung::a;
  double log2_numerator = 0, log2_denominator = 0;  ///< of the degrees; -inf: constants
  double evaluations = 0;                           ///< M: of opaque functions, both programs together
  double log2_opaque_degree = 0;                    ///< Da: of the difference of two arguments; -inf: none
  int exp_depth = 0;                                ///< on E; counted up to kMostExpDepth + 1
  double decisions = 0;                             ///< s: of order, over all draws, on B and Eh
  double log2_error = 0;                            ///< of this output alone
  size_t lanes = 0;
};

/// What the ladder of `rungs` says of `output`, one of the sharded program's; nothing where no rung spoke about it.
std::optional<OutputBound> output_bound(const Pair& pair, const std::vector<RungRecord>& rungs, size_t output);

}  // namespace isoshard::verify
