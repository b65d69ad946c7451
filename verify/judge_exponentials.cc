#include "verify/judge_exponentials.h"

#include <algorithm>
#include <utility>

#include "verify/certify.h"
#include "verify/certify_cuts.h"
#include "verify/words.h"

namespace isoshard::verify {
namespace {

/// Gives `why` as the doubt of all `wanted` outputs.
void doubt(Judged& judged, const std::vector<bool>& wanted, const std::string& why, const Location& location) {
  for (size_t o = 0; o < wanted.size(); ++o) {
    if (!wanted[o]) continue;
    judged.doubts[o] = "rung " + judged.ring.rung + " " + why;
    judged.locations[o] = location;
  }
}

void take_certificate(const Certificate& certificate, RingOutcome& ring) {
  ring.perturbed = certificate.perturbed;
  ring.silent = certificate.silent;
}

/// Where exponentials are nested too deeply for the `wanted` outputs, opaque identities may separate them; false where
/// they do not, with the reason in the doubts.
bool separate(const Pair& pair, const RingOptions& options, const std::vector<bool>& wanted, Judged& judged) {
  CutOutcome cut = certify_with_cuts(pair, options, judged.ring, wanted);
  for (size_t o = 0; o < wanted.size(); ++o) {
    if (wanted[o] && cut.ring) judged.doubts[o].clear();
    if (wanted[o] && !cut.reason.empty()) judged.doubts[o] += "; " + cut.reason;
    if (!wanted[o] && cut.ring) cut.ring->outputs[o] = judged.ring.outputs[o];
  }
  if (!cut.ring) return false;
  judged.ring = std::move(*cut.ring);
  return true;
}

/// Certifies the `wanted` outputs, which are equal: together, or else each by itself.
void certify_outputs(const Pair& pair, const RingOptions& options, const std::vector<bool>& wanted, Judged& judged) {
  const Certificate together = certify(pair, options, judged.ring, wanted);
  take_certificate(together, judged.ring);
  if (together.reason.empty()) return;
  doubt(judged, wanted, together.reason, together.location);
  if (together.too_deep && separate(pair, options, wanted, judged)) return;
  if (std::count(wanted.begin(), wanted.end(), true) == 1) return;
  for (size_t o = 0; o < wanted.size(); ++o) {
    if (!wanted[o]) continue;
    std::vector<bool> alone(wanted.size(), false);
    alone[o] = true;
    const Certificate own = certify(pair, options, judged.ring, alone);
    judged.doubts[o] = own.reason.empty() ? "" : "rung " + judged.ring.rung + " " + own.reason;
    judged.locations[o] = own.location;
    if (own.reason.empty()) take_certificate(own, judged.ring);
  }
}

}  // namespace

Judged judge_exponentials(const Pair& pair, const RingOptions& options, const std::vector<bool>& wanted) {
  Judged judged{compare_in_ring(pair, options, wanted), std::vector<std::string>(wanted.size()),
                std::vector<Location>(wanted.size())};
  const RingOutcome& ring = judged.ring;
  std::vector<bool> equal = wanted;
  for (size_t o = 0; o < equal.size(); ++o) equal[o] = equal[o] && ring.speaks() && ring.outputs[o].equal;
  if (std::find(equal.begin(), equal.end(), true) == equal.end()) return judged;
  if (ring.zero_denominator) {
    doubt(judged, equal, "cannot divide by %" + ring.zero_denominator->value + ", which has no inverse in any draw",
          ring.zero_denominator->location);
  } else if (ring.log2_error > options.lanes.worst) {
    doubt(judged, equal,
          "finds the outputs equal, but the formulas have so high a degree that it may err with a probability above " +
              power_of_2(options.lanes.worst),
          {});
    separate(pair, options, equal, judged);
  } else {
    certify_outputs(pair, options, equal, judged);
  }
  return judged;
}

}  // namespace isoshard::verify
