#include "verify/ladder/note_rung.h"

#include <algorithm>
#include <string>

#include "verify/answers/words.h"

namespace isoshard::verify {

namespace {

RungAnswer answer_of(const RingOutput& output, size_t index) {
  const RungSays equal = output.doubt.empty() ? RungSays::equal : RungSays::improbable;
  RungAnswer answer{index, output.equal ? equal : RungSays::differs, output.first_index, output.doubt};
  if (answer.why.empty() && !output.rests_on.empty()) answer.why.text = "rests on " + output.rests_on;
  return answer;
}

/// `rung A: 3 of 5 outputs equal`
std::string finding(const RungRecord& r) {
  const std::string who = rungs_in_words({r.rung()});
  if (!r.silent.empty()) return who + " could not speak: " + r.silent.text;
  const auto equal =
      std::count_if(r.answers.begin(), r.answers.end(), [](const RungAnswer& a) { return a.says == RungSays::equal; });
  const size_t asked = r.answers.size();
  return who + ": " + std::to_string(equal) + " of " + std::to_string(asked) + (asked == 1 ? " output" : " outputs") +
         " equal";
}

}  // namespace

RungRecord note_rung(const AskedOutputs& asked, const RingOptions& options, const RingOutcome& now,
                     RungClock::time_point begin) {
  RungRecord r;
  r.terms = now.terms;
  r.silent = now.failure ? Reason{now.failure->message, now.failure->location} : now.silent;
  for (size_t o = 0; o < asked.outputs.size() && now.speaks(); ++o) {
    if (asked.wanted[o]) r.answers.push_back(answer_of(now.outputs[o], asked.outputs[o]));
  }
  r.generic = options.generic;
  r.covered = options.covered != nullptr;
  r.by_exponentials = options.by_exponentials;
  r.masks = !now.assumes.masks.empty();
  r.seconds = std::chrono::duration<double>(RungClock::now() - begin).count();
  options.workers.found(finding(r));
  return r;
}

}  // namespace isoshard::verify
