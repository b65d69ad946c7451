#pragma once

#include <optional>
#include <vector>

#include "verify/causes/explain.h"
#include "verify/causes/trial.h"
#include "verify/ring/ring_outcome.h"

namespace isoshard::verify {

/// Explains why outputs are wrong by an op that stands where the reference has another one, or takes other operands:
/// what the reference has there, put in its place in `trial`, makes all outputs right. `found` are the values without
/// counterpart whose operands are right.
std::optional<Explanation> explain_by_twin(const Evidence& e, const RingOutcome& outcome, const Trial& trial,
                                           const std::vector<InstructionId>& found);

/// The same of the first value behind `found` for which that is so: the programs are built differently up to there.
std::optional<Explanation> explain_behind(const Evidence& e, const RingOutcome& outcome, const Trial& trial,
                                          const std::vector<InstructionId>& found);

}  // namespace isoshard::verify
