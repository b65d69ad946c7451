#include "verify/bounds/pair_degrees.h"

#include "verify/bounds/count_degrees.h"

namespace isoshard::verify {

PairDegrees count_degrees(const Pair& pair, const std::optional<ExpDegrees>& exponential, const Generic& generic) {
  const auto count = [&](const Side& side, const std::map<PlanValueId, Ratio>& ends) {
    return count_degrees(side.plan, pair.steps, exponential, ends.empty() ? side.opaque : marks(side.plan, ends),
                         generic);
  };
  return {count(pair.sharded, generic.layers.sharded), count(pair.reference, generic.layers.reference)};
}

}  // namespace isoshard::verify
