#include "verify/note_rung.h"

#include <numeric>

namespace isoshard::verify {

AskedOutputs::AskedOutputs(const Pair& pair)
    : outputs(pair.sharded.plan.outputs.size()), wanted(pair.sharded.plan.outputs.size(), true) {
  std::iota(outputs.begin(), outputs.end(), size_t{0});
}

RungRecord note_rung(const AskedOutputs& asked, const RingOutcome& now, RungClock::time_point begin) {
  RungRecord r;
  r.rung = now.deciding.front();
  r.generalised = now.soft_predicates;
  r.silent = now.failure ? now.failure->message : now.undecidable;
  if (!now.speaks()) r.location = now.failure ? now.failure->location : now.undecidable_location;
  for (size_t o = 0; o < asked.outputs.size() && now.speaks(); ++o) {
    if (!asked.wanted[o]) continue;
    const RungSays says = now.outputs[o].equal ? RungSays::equal : RungSays::differs;
    const std::string& rests_on = now.outputs[o].rests_on;
    const std::string why = rests_on.empty() ? "" : "rests on " + rests_on;
    r.answers.push_back(RungAnswer{asked.outputs[o], says, now.outputs[o].first_index, why, {}});
  }
  r.lanes = now.lanes;
  r.log2_error = now.log2_error;
  r.draws = now.draws;
  r.decisions = now.decisions;
  r.factors = now.factors;
  r.log2_prime = now.log2_prime;
  r.masks = !now.masks.empty();
  r.seconds = std::chrono::duration<double>(RungClock::now() - begin).count();
  return r;
}

RungRecord note_rung(const AskedOutputs& asked, const Judged& judged, RungClock::time_point begin) {
  RungRecord r = note_rung(asked, judged.ring, begin);
  auto answer = r.answers.begin();
  for (size_t o = 0; o < asked.outputs.size() && !r.answers.empty(); ++o) {
    if (!asked.wanted[o]) continue;
    if (!judged.doubts[o].empty()) {
      if (answer->says == RungSays::equal) answer->says = RungSays::improbable;
      answer->why = judged.doubts[o];
      answer->location = judged.locations[o];
    }
    ++answer;
  }
  return r;
}

}  // namespace isoshard::verify
