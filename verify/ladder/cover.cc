// Asks rings about both programs with all integers, keys, predicates and orders standing for all their values at once
// (docs/spec/verdict.md, "Integers"). Equal so is equal, for all of them. What differs so may lack a law, and what
// draws find equal then rests on draws: one ask after another takes fewer numbers as all values, or keeps more laws,
// each dearer than the one before: rung A with maxima of sets, rung E, odds of a largest element, exponentials for
// sinusoids, floats as tables over parts, cases of maxima, the order of exponentials, cells between constants, each
// output alone, and few integers one by one (cover_cases.cc). Every output rests on one ask, and the errors of all asks
// that covered some output are added up. Later asks run only what open outputs need, which lowers degrees, and none is
// made for outputs that numbers refute. Costs one comparison of both programs per ask; tables only for programs of up
// to 2^20 elements.
#include "verify/ladder/cover.h"

#include <algorithm>
#include <utility>

#include "verify/answers/words.h"
#include "verify/facts/block_rows.h"
#include "verify/facts/integers/integer_dependence.h"
#include "verify/ladder/judge_exponentials.h"
#include "verify/ladder/note_rung.h"
#include "verify/pair_facts/contents.h"
#include "verify/pair_facts/work.h"
#include "verify/ring/generic_parts.h"
#include "verify/ring/ring_run.h"

namespace isoshard::verify {
namespace {

/// Whether every `wanted` output is `equal`.
bool holds_for_all(const std::vector<bool>& wanted, const std::vector<bool>& equal) {
  for (size_t o = 0; o < wanted.size(); ++o) {
    if (wanted[o] && !equal[o]) return false;
  }
  return true;
}

}  // namespace

Cover::Integers Cover::by_name(const std::vector<IntegerValues>& values) const {
  auto result = std::make_shared<IntegerInputs>();
  for (size_t g = 0; g < values.size(); ++g) result->emplace(pair_.module->globals[g].name, values[g]);
  return result;
}

std::optional<RingOutcome> Cover::ask() {
  options_.covered = by_name(integer_values(whole_));
  covered_.resize(pair_.sharded.plan.outputs.size());
  return ask(options_, {all_outputs(pair_), pair_});
}

std::vector<RingOptions> Cover::further_ways(const Pair& pair) const {
  const Contents contents = contents_of(pair);
  std::vector<RingOptions> ways;
  const auto add = [&](const RingOptions& from) -> RingOptions& { return ways.emplace_back(from); };
  if (!contents.reference_argmax.empty() && contents.sharded_argmax != contents.reference_argmax) {
    RingOptions& by_odds = add(options_);
    by_odds.places = static_cast<size_t>(*contents.reference_argmax.rbegin());
    by_odds.workers = options_.workers.alone();  // what odds are known of an element must not depend on threads
  }
  if (asks_by_exponentials(pair)) add(options_).by_exponentials = true;
  if (elements_computed(pair) > kMostTabledElements) return ways;
  RingOptions tabled = options_;
  tabled.tabled = true;
  tabled.workers =
      options_.workers.alone();  // which diagrams are small must not depend on threads, which name variables
  add(tabled).limits = sim::SoftLimits::linear();
  add(tabled);
  tabled.cases = true;
  if (contents.case_by_case) add(tabled);
  if (contents.choices && contents.exponential) {
    RingOptions& ordered = add(tabled);
    ordered.cases = false;
    ordered.ordered = true;
  }
  if (contents.order && elements_computed(pair) <= kMostElementsInCells) add(tabled).cells = true;
  if (has_larger_integers(sim::SoftLimits().everywhere) && elements_computed(pair) <= kMostElementsInLarge) {
    RingOptions& large = add(tabled);
    large.cases = false;
    large.limits = sim::SoftLimits::large();
  }
  return ways;
}

/// Whether some integer is one of more than `entries` numbers.
bool Cover::has_larger_integers(size_t entries) const {
  return std::any_of(options_.covered->begin(), options_.covered->end(),
                     [&](const auto& named) { return named.second.values.size() > entries; });
}

/// What is open, and worth to be asked about.
std::vector<bool> Cover::wanted() const {
  std::vector<bool> wanted;
  for (size_t o = 0; o < covered_.size(); ++o) wanted.push_back(!covered_[o] && (refuted_.empty() || !refuted_[o]));
  return wanted;
}

std::optional<RingOutcome> Cover::ask_more(const std::vector<bool>& equal, const std::vector<bool>& refuted) {
  refuted_ = refuted;
  for (const RingOptions& way : further_ways(restrict_to(pair_, wanted()).pair)) {
    if (!any_output(wanted())) return std::nullopt;
    const bool is_large = way.limits.joint > sim::SoftLimits().joint;
    if (is_large && !holds_for_all(wanted(), equal)) continue;  // dear, and for nothing where draws differ
    if (std::optional<RingOutcome> all = ask(way, restrict_to(pair_, wanted()))) return all;
  }
  for (size_t o = 0; o < covered_.size(); ++o) {
    if (!wanted()[o] || !equal[o]) continue;
    if (std::optional<RingOutcome> all = ask_alone(o)) return all;
  }
  return ask_cases(equal);
}

std::optional<RingOutcome> Cover::ask_alone(size_t output) {
  RingOptions alone = options_;
  alone.covered = by_name(integer_values(pair_, output));
  const bool same = std::equal(alone.covered->begin(), alone.covered->end(), options_.covered->begin(),
                               [](const auto& a, const auto& b) { return a.second.values == b.second.values; });
  std::vector<bool> only(covered_.size(), false);
  only[output] = true;
  return same ? std::nullopt : ask(std::move(alone), restrict_to(pair_, only));
}

std::optional<RingOutcome> Cover::ask(RingOptions asked, const Restricted& part) {
  if (asked.by_exponentials) return ask_exponentials(std::move(asked), part);
  asked.max_of_sets = true;
  for (const RingOptions& way : {with_generic_parts(part.pair, asked), asked}) {
    const RungClock::time_point begin = RungClock::now();
    RingOutcome now = compare_in_ring(part.pair, way);
    records_.push_back(note_rung(part, way, now, begin));
    if (std::optional<RingOutcome> all = take(std::move(now), way, part)) return all;
    if (!way.generic.any()) break;
  }
  const Contents contents = contents_of(part.pair);
  return contents.exponential || contents.minus_infinity ? ask_exponentials(std::move(asked), part) : std::nullopt;
}

std::optional<RingOutcome> Cover::ask_exponentials(RingOptions asked, const Restricted& part) {
  asked.rung = Rung::e;
  asked.max_of_sets = true;
  const RungClock::time_point begin = RungClock::now();
  RingOutcome now = judge_exponentials(part.pair, asked, std::vector<bool>(part.outputs.size(), true));
  records_.push_back(note_rung(part, asked, now, begin));
  asked.tower_height = 4;  // of a search among integers, which has no depth to know
  return take(std::move(now), asked, part);
}

/// Whether more outputs are covered now. Those of `part` that are not wanted, updates that others read, are not asked
/// about.
bool Cover::take_outputs(const RingOutcome& now, const RingOptions& asked, const Restricted& part) {
  bool more = false;
  for (size_t i = 0; i < part.outputs.size(); ++i) {
    const size_t o = part.outputs[i];
    const RingOutput& output = now.outputs[i];
    if (!part.wanted[i]) continue;
    if (!output.equal) told_apart_[o] = std::make_shared<RingOptions>(asked);
    if (covered_[o] || !output.equal || !output.rests_on.empty() || !output.doubt.empty()) continue;
    covered_[o] = output;
    covered_[o]->covered_by = asked.covered;
    more = true;
  }
  return more;
}

/// Once all are covered: each as its own ask said, and not as this one does.
std::optional<RingOutcome> Cover::take(RingOutcome now, const RingOptions& asked, const Restricted& part) {
  if (!now.speaks() || now.zero_denominator || now.terms.log2_error > options_.lanes.worst) return std::nullopt;
  ran_ = ran_ || part.outputs.size() == covered_.size();
  if (take_outputs(now, asked, part)) add_terms(now);
  return all_covered(std::move(now));
}

std::optional<RingOutcome> Cover::all_covered(RingOutcome now) const {
  if (std::find(covered_.begin(), covered_.end(), std::nullopt) != covered_.end()) return std::nullopt;
  now.outputs.clear();
  for (const std::optional<RingOutput>& output : covered_) now.outputs.push_back(*output);
  put_terms(now);
  return now;
}

/// Each output rests on one ask: all of them together may be wrong with the sum of their probabilities.
void Cover::add_terms(const RingOutcome& now) {
  log2_error_ = std::min(0.0, log2_sum(log2_error_, now.terms.log2_error));
  lanes_ = std::max(lanes_, now.terms.lanes);
  add_once(now.terms.deciding.front(), deciding_);
  assumes_.add(now.assumes);
}

void Cover::put_outputs(RingOutcome& known) const {
  for (size_t o = 0; o < known.outputs.size(); ++o) {
    if (covers(o)) known.outputs[o].covered_by = covered_[o]->covered_by;
    const auto told = told_apart_.find(o);
    if (told != told_apart_.end()) known.outputs[o].told_apart = told->second;
  }
}

void Cover::put_conditions(RingOutcome& known, bool asserts) const {
  for (size_t o = 0; o < covered_.size(); ++o) {
    if (covers(o)) known.outputs[o].rests_on.clear();
  }
  for (const std::string& condition : assumes_.conditions) add_once(condition, known.assumes.conditions);
  const Plan& plan = pair_.sharded.plan;
  if (!asserts || ran_ || discrete_inputs(pair_, false).empty()) return;
  const InstructionId id = asserted_integers(plan);
  for (RingOutput& output : known.outputs) {
    if (!id.valid() || !output.rests_on.empty()) continue;
    output.rests_on = "that assert_equal at " + plan.instruction(id).location().to_string() + " holds";
  }
}

void Cover::put_terms(RingOutcome& outcome) const {
  outcome.terms.log2_error = log2_error_;
  outcome.terms.lanes = lanes_;
  outcome.terms.deciding = deciding_;
  outcome.assumes = assumes_;
}

}  // namespace isoshard::verify
