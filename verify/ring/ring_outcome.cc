#include "verify/ring/ring_outcome.h"

#include <algorithm>

namespace isoshard::verify {

bool RingOutcome::equal() const {
  return std::all_of(outputs.begin(), outputs.end(), [](const RingOutput& o) { return o.equal; });
}

}  // namespace isoshard::verify
