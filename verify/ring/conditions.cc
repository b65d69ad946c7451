// What equal outputs rest on, put together from both runs of a ring: with x > y taken for x >= y, and with ties apart.
// Cost: numbers in f64 for the ties that are listed.
#include "verify/ring/conditions.h"

#include "verify/answers/words.h"
#include "verify/watches/rare_conditions.h"

namespace isoshard::verify {

void take_definedness(const Definedness& defined, RingOutcome& ring) {
  for (const std::string& condition : defined.conditions) add_once(condition, ring.assumes.conditions);
  for (size_t o = 0; o < ring.outputs.size(); ++o) {
    if (ring.outputs[o].equal && ring.outputs[o].rests_on.empty()) ring.outputs[o].rests_on = defined.rests_on[o];
  }
}

void take_ties(const Pair& pair, uint64_t seed, const std::vector<bool>& holds, const Definedness& apart,
               RingOutcome& ring) {
  for (size_t o = 0; o < ring.outputs.size(); ++o) {
    std::string& rests_on = ring.outputs[o].rests_on;
    if (!ring.outputs[o].equal || holds[o]) continue;
    const std::vector<RareCondition> ties = ties_of(pair, o);
    const std::vector<bool> held = hold_somewhere(pair, ties, seed);
    for (size_t t = 0; t < ties.size(); ++t) {
      add_once(ties[t].words, ring.assumes.conditions);
      if ((ties[t].wide || !held[t]) && rests_on.empty()) rests_on = ties[t].words;
    }
    if (ties.empty() && rests_on.empty()) rests_on = apart.rests_on[o];
  }
}

}  // namespace isoshard::verify
