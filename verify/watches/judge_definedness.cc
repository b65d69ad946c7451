// n s / s is n as a formula, but has no value where s is 0. Where the sharded program has such uses that may fail
// widely, both programs run once more in a ring in which each element also has the conditions under which it has no
// value (sim/domains/undefined): those of each element of the sharded program must follow from those of the same
// element of the reference. A condition is named by the element that is not as needed, so that both programs name it
// alike. Uses that fail on a thin set only, x - 3 = 0, are told so, too, and those that are missing are listed; f64
// must have seen them to hold. Of large programs, or where there are too many conditions, uses are compared by their
// elements for the whole program. Costs one more run in one thread where there are partial uses.
#include "verify/watches/judge_definedness.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "verify/answers/words.h"
#include "verify/facts/cones.h"
#include "verify/facts/reach.h"
#include "verify/watches/element_conditions.h"
#include "verify/watches/never_zero.h"
#include "verify/watches/rare_conditions.h"
#include "verify/watches/undefined_readers.h"
#include "verify/watches/use_words.h"

namespace isoshard::verify {
namespace {

/// Uses that are not told for each element.
class Together {
 public:
  Together(const Pair& pair, const PairUses& uses, const UseMarks& sharded)
      : pair_(pair), uses_(sharded.uses()), beyond_(uses.sharded.beyond(uses.reference)) {}

  /// What the reference applies a partial function to, too, is a condition of all outputs, unless it is 0 wherever it
  /// is looked at.
  void take_wide(uint64_t seed, Definedness& result) {
    std::vector<RareCondition> conditions;
    std::vector<size_t> of_use;
    for (size_t u = 0; u < uses_.size(); ++u) {
      if (!uses_[u].wide || uses_[u].arguments.empty()) continue;
      if (beyond_[u]) rest(u, result);
      if (beyond_[u]) continue;
      add_once(use_in_words(pair_.sharded, uses_[u]), result.conditions);
      for (const PartialArgument& argument : uses_[u].arguments) {
        if (argument.needs != Needs::nonzero && argument.needs != Needs::positive) continue;
        conditions.push_back({.left = argument.value, .of = ConditionOf::some});
        of_use.push_back(u);
      }
    }
    const std::vector<bool> held = hold_somewhere(pair_, conditions, seed);
    for (size_t c = 0; c < held.size(); ++c) {
      if (!held[c]) rest(of_use[c], result);
    }
  }

  /// Thin uses that the reference has nowhere, and `missed`, all where nothing is known of single elements. Of those
  /// that fail only where something is infinite, what made it so.
  void take_thin(uint64_t seed, const std::optional<ElementConditions::Thin>& missed, Definedness& result) {
    std::vector<bool> listed(uses_.size());
    for (size_t u = 0; u < uses_.size(); ++u) {
      listed[u] = is_thin(uses_[u]) && (!missed || beyond_[u] || missed->uses.count(u) != 0);
    }
    if (missed) add_causes(missed->uses, listed);
    list(listed, seed, missed, result);
  }

 private:
  /// Lists the thin ones among them. Those that are 0 for all inputs are no conditions but faults; `missed`: but for
  /// zeros that reach no output, as rows of padding do.
  void list(const std::vector<bool>& counts, uint64_t seed, const std::optional<ElementConditions::Thin>& missed,
            Definedness& result) {
    std::vector<RareCondition> conditions;
    std::vector<size_t> of_use;
    for (size_t u = 0; u < uses_.size(); ++u) {
      if (!counts[u]) continue;
      add_once(use_in_words(pair_.sharded, uses_[u]), result.conditions);
      for (const PartialArgument& argument : uses_[u].arguments) {
        conditions.push_back({.left = argument.value, .of = missed ? ConditionOf::padded : ConditionOf::all});
        of_use.push_back(u);
      }
    }
    for (const auto& [place, u] : missed ? missed->places : std::map<ElementPlace, size_t>()) {
      conditions.push_back({.left = place.value, .place = place});
      of_use.push_back(u);
    }
    const std::vector<bool> held = hold_somewhere(pair_, conditions, seed);
    for (size_t c = 0; c < held.size(); ++c) {
      if (!held[c]) rest(of_use[c], result);
    }
  }

  static bool is_thin(const PartialUse& use) { return !use.wide && !use.of_infinity && !use.arguments.empty(); }

  /// Lists the thin uses that may leave infinite what `missed` uses need to be finite, unless they need what others do.
  void add_causes(const std::set<size_t>& missed, std::vector<bool>& listed) const {
    std::vector<PlanValueId> finite;
    for (const size_t u : missed) {
      for (const PartialArgument& a : uses_[u].arguments) {
        if (uses_[u].of_infinity) finite.push_back(a.value);
      }
    }
    for (size_t u = 0; u < uses_.size() && !finite.empty(); ++u) {
      if (!is_thin(uses_[u]) || is_held(uses_[u], listed)) continue;
      const InstructionId cause = uses_[u].use;
      const std::vector<bool> reached = reached_from(
          pair_.sharded.plan, [&](const Instruction& i) { return i.id == cause; }, {}, {}, pair_.steps);
      listed[u] = std::any_of(finite.begin(), finite.end(), [&](PlanValueId id) { return reached[id.index()]; });
    }
  }

  bool is_held(const PartialUse& use, const std::vector<bool>& listed) const {
    return std::all_of(use.arguments.begin(), use.arguments.end(), [&](const PartialArgument& argument) {
      for (size_t u = 0; u < uses_.size(); ++u) {
        const std::vector<PartialArgument>& held = uses_[u].arguments;
        if (listed[u] && std::find(held.begin(), held.end(), argument) != held.end()) return true;
      }
      return false;
    });
  }

  void rest(size_t use, Definedness& result) {
    for (size_t o = 0; o < result.rests_on.size(); ++o) {
      if (cones_.size() == o) {
        cones_.push_back(cone_over_steps(pair_.sharded.plan, static_cast<uint32_t>(o), pair_.steps));
      }
      const bool counts = cones_[o][uses_[use].use.index()] && result.rests_on[o].empty();
      if (counts) result.rests_on[o] = use_in_words(pair_.sharded, uses_[use]);
    }
  }

  const Pair& pair_;
  const std::vector<PartialUse>& uses_;
  std::vector<bool> beyond_;
  std::vector<std::vector<bool>> cones_;  ///< per output, where some were asked for
};

bool rests_on_any(const Definedness& judged) {
  return std::any_of(judged.rests_on.begin(), judged.rests_on.end(), [](const std::string& on) { return !on.empty(); });
}

}  // namespace

Definedness judge_definedness(const Pair& pair, const PairUses& uses, const std::function<RingAgain()>& again,
                              uint64_t seed) {
  Definedness result;
  result.rests_on.resize(pair.sharded.plan.outputs.size());
  const UseMarks& all = uses.sharded.marks();
  const UseMarks& reference = uses.reference.marks();
  const std::vector<PartialArgument> shown = never_zero(pair, all, seed);
  const UseMarks sharded = all.without(shown);
  std::vector<bool> settled = judge_undefined_readers(pair, all, reference, again, seed, result);
  // Readers of both programs may see alike what both need; where they do not, no more is needed than what is not shown.
  if (!shown.empty() && rests_on_any(result)) {
    Definedness other;
    other.rests_on.resize(result.rests_on.size());
    std::vector<bool> settled_so = judge_undefined_readers(pair, sharded, reference, again, seed, other);
    if (!rests_on_any(other)) std::tie(result, settled) = std::pair(std::move(other), std::move(settled_so));
  }
  if (all.uses().empty()) return result;
  Together together(pair, uses, sharded);
  if (std::find(settled.begin(), settled.end(), false) == settled.end()) return result;
  std::optional<std::vector<std::string>> rests_on;
  std::optional<ElementConditions::Thin> thin;
  // With conditions of thin uses there may be too many, where those of wide ones alone can be told.
  for (const bool with_thin : {true, false}) {
    const bool asks = with_thin ? sharded.any_thin() : sharded.any_wide();
    if (rests_on || !asks || !ElementConditions::can_run(pair)) continue;
    ElementConditions by_element(pair, sharded, reference, again(), with_thin);
    rests_on = by_element.run();
    if (!rests_on) continue;
    by_element.add_of_integers(result.conditions);
    if (with_thin) thin = by_element.thin();
  }
  for (size_t o = 0; rests_on && o < rests_on->size(); ++o) {
    if (result.rests_on[o].empty() && !settled[o]) result.rests_on[o] = std::move((*rests_on)[o]);
  }
  if (!rests_on) together.take_wide(seed, result);
  together.take_thin(seed, thin, result);
  return result;
}

}  // namespace isoshard::verify
