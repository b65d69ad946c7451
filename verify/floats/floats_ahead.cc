// Rungs and floats need each other's answers only where something is not plainly equal. What F runs beside an EQUAL
// that has no masks, no limits of integers and no other reading of constants is the same whatever a rung says, so that
// it may run at the same time; elsewhere it was for nothing, which costs a core that would have been idle.
#include "verify/floats/floats_ahead.h"

#include <algorithm>

#include "verify/facts/block_rows.h"

namespace isoshard::verify {

void FloatsAhead::begin() {
  run_.emplace(options_.workers, [this](const sim::Workers& workers) {
    FloatOptions options = options_;
    options.workers = workers;
    return compare_in_floats(pair_, options, std::vector<bool>(pair_.sharded.plan.outputs.size(), false));
  });
}

std::optional<FloatOutcome> FloatsAhead::take(const RingOutcome& ring, const std::vector<bool>& differs) {
  const auto is_plain = [&](const RingOutput& output) {
    return !output.masked && output.covered_by == nullptr && int64_t{output.step} == pair_.steps;
  };
  const bool as_begun = !any_output(differs) && ring.assumes.readings.empty() &&
                        std::all_of(ring.outputs.begin(), ring.outputs.end(), is_plain);
  if (run_ && as_begun) return run_->get();
  run_.reset();
  return std::nullopt;
}

}  // namespace isoshard::verify
