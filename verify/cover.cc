// Equal so is equal. What differs so may lack a law, and what draws find equal then rests on draws: one ask after
// another takes fewer numbers as all values, or keeps more laws.
#include "verify/cover.h"

#include <algorithm>
#include <utility>

#include "verify/facts/contents.h"
#include "verify/facts/work.h"
#include "verify/generic_parts.h"
#include "verify/note_rung.h"
#include "verify/steps.h"

namespace isoshard::verify {

Cover::Cover(const Pair& pair, const RingOptions& options, std::vector<RungRecord>& records)
    : pair_(pair), options_(options), records_(records) {
  options_.covered = by_name(integer_values(pair.sharded.plan, pair.reference.plan));
}

Cover::Integers Cover::by_name(const std::vector<IntegerValues>& values) const {
  auto result = std::make_shared<IntegerInputs>();
  for (size_t g = 0; g < values.size(); ++g) result->emplace(pair_.module->globals[g].name, values[g]);
  return result;
}

/// Those that stand for all as far as one output goes.
Cover::Integers Cover::integers_of(size_t output) const {
  const Plan &sharded = pair_.sharded.plan, &reference = pair_.reference.plan;
  const auto cone = [&](const Plan& plan, size_t o) {
    return OutputCone{static_cast<uint32_t>(o), cone_over_steps(plan, static_cast<uint32_t>(o), pair_.steps)};
  };
  return by_name(
      integer_values(sharded, cone(sharded, output), reference, cone(reference, pair_.reference_output[output])));
}

std::optional<RingOutcome> Cover::ask() {
  asked_ = true;
  return ask(options_, {});
}

std::optional<RingOutcome> Cover::ask_more(const std::vector<bool>& equal) {
  if (elements_computed(pair_) <= kMostTabledElements) {
    RingOptions tabled = options_;
    tabled.tabled = true;
    if (std::optional<RingOutcome> all = ask(std::move(tabled), {})) return all;
  }
  for (size_t o = 0; o < covered_.size(); ++o) {
    if (covered_[o] || !equal[o]) continue;
    if (std::optional<RingOutcome> all = ask_alone(o)) return all;
  }
  return std::nullopt;
}

std::optional<RingOutcome> Cover::ask_alone(size_t output) {
  RingOptions alone = options_;
  alone.covered = integers_of(output);
  const bool same = std::equal(alone.covered->begin(), alone.covered->end(), options_.covered->begin(),
                               [](const auto& a, const auto& b) { return a.second.values == b.second.values; });
  return same ? std::nullopt : ask(std::move(alone), output);
}

/// `only`: what is said of this output; empty: of all.
std::optional<RingOutcome> Cover::ask(RingOptions asked, std::optional<size_t> only) {
  const AskedOutputs outputs(pair_);
  const std::vector<std::string> no_doubts(outputs.outputs.size());
  asked.max_of_sets = true;
  for (const RingOptions& way : {with_generic_parts(pair_, asked), asked}) {
    const RungClock::time_point begin = RungClock::now();
    RingOutcome now = compare_in_ring(pair_, way);
    records_.push_back(note_rung(outputs, now, begin));
    records_.back().generic = way.generic;
    if (std::optional<RingOutcome> all = take(std::move(now), no_doubts, way, only)) return all;
    if (!way.generic.any()) break;
  }
  if (!contents_of(pair_).exponential) return std::nullopt;
  asked.exponential = true;
  asked.max_of_sets = false;
  const RungClock::time_point begin = RungClock::now();
  Judged judged = judge_exponentials(pair_, asked, outputs.wanted);
  records_.push_back(note_rung(outputs, judged, begin));
  asked.tower_height = 4;  // of a search among integers, which has no depth to know
  return take(std::move(judged.ring), judged.doubts, asked, only);
}

std::optional<RingOutcome> Cover::take(RingOutcome now, const std::vector<std::string>& doubts,
                                       const RingOptions& asked, std::optional<size_t> only) {
  records_.back().covered = true;
  covered_.resize(doubts.size(), false);
  if (!now.speaks() || now.zero_denominator || now.log2_error > options_.lanes.worst) return std::nullopt;
  for (size_t o = 0; o < doubts.size(); ++o) {
    if (only && o != *only) continue;
    covered_[o] = covered_[o] || (now.outputs[o].equal && doubts[o].empty());
    if (!now.outputs[o].equal) told_apart_[o] = std::make_shared<RingOptions>(asked);
  }
  if (std::find(covered_.begin(), covered_.end(), false) != covered_.end()) return std::nullopt;
  for (RingOutput& output : now.outputs) output.equal = true;  // those that differ here were equal before
  return now;
}

}  // namespace isoshard::verify
