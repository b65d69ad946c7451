// Compares with opaque identities between nested exponentials (docs/spec/opaque.md, "Opaque identities"). First as deep
// as the small tower tells apart, which leaves most laws usable; then flat, an identity after every exponential, which
// has the lowest degrees. Sound either way: equal for every function there means equal for the identity. Where neither
// helps the first reason is told. Cost: at most two runs of the ring at half the height.
#include "verify/abstraction/compare_with_cuts.h"

#include "verify/abstraction/exponential_cuts.h"
#include "verify/answers/words.h"
#include "verify/ring/ring_run.h"

namespace isoshard::verify {
namespace {

bool all_equal(const RingOutcome& ring, const std::vector<bool>& wanted) {
  bool equal = ring.speaks() && !ring.zero_denominator;
  for (size_t o = 0; o < wanted.size(); ++o) equal = equal && (!wanted[o] || ring.outputs[o].equal);
  return equal;
}

CutOutcome with_depth(const Pair& pair, const RingOptions& options, const RingOutcome& now,
                      const std::vector<bool>& wanted, int depth) {
  CutOutcome result;
  const Cuts cuts = place_cuts(pair, options, now.last_draw, wanted, depth);
  result.reason = cuts.reason;
  if (!result.reason.empty() || cuts.places.empty()) return result;
  RingOutcome ring = compare_in_ring(*cuts.pair, options);
  ring.assumes.opaque = cuts.places;
  const std::string places = "with opaque identities at " + joined(cuts.places);
  if (!all_equal(ring, wanted)) {
    result.reason = places + " the outputs are not found equal";
  } else if (ring.terms.log2_error > options.lanes.worst) {
    result.reason = places + " the formulas still have too high a degree";
  } else {
    result.ring = std::move(ring);
  }
  return result;
}

}  // namespace

CutOutcome compare_with_cuts(const Pair& pair, const RingOptions& options, const RingOutcome& now,
                             const std::vector<bool>& wanted) {
  RingOptions low = options;
  low.tower_height = kCutDepth + 1;
  CutOutcome result = with_depth(pair, low, now, wanted, kCutDepth);
  if (result.ring) return result;
  CutOutcome flat = with_depth(pair, low, now, wanted, 1);
  return flat.ring || result.reason.empty() ? std::move(flat) : std::move(result);
}

}  // namespace isoshard::verify
