#pragma once

#include <optional>
#include <string>

#include "core/plan/plan.h"
#include "core/support/diagnostic.h"

namespace isoshard::sim {

/// What a run has to do, loops counted as often as they run, over all devices; doubles, because counts in a file are
/// only claims.
struct WorkEstimate {
  double instructions = 0;  ///< an iteration of a loop counts as one more
  double elements = 0;      ///< of all results
  double products = 0;      ///< multiplications of dot_generals

  WorkEstimate times(double factor) const { return {instructions * factor, elements * factor, products * factor}; }
  /// A rough time of one thread, in floats; rings take a few times as long.
  double seconds() const;
};

/// The most instructions that a run, all of its steps together, may have.
inline constexpr double kMostInstructions = 500'000'000;

WorkEstimate estimate_work(const Plan& plan);

/// The error (E-limit) that `steps` steps of `plan` have more than kMostInstructions instructions, at the loop that has
/// most of them; nothing when they have not.
std::optional<Diagnostic> exceeds_instructions(const Plan& plan, int64_t steps);

}  // namespace isoshard::sim
