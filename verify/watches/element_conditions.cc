// Both programs run once more in a ring in which each element also has the conditions under which it has no value
// (sim/domains/undefined): those of each element of the sharded program must follow from those of the same element of
// the reference. A condition is named by the element that is not as needed, so that both programs name it alike. What
// has a value where its operand has none, such as a comparison, may make another value of it than the formula: where
// the reference has such a thing, outputs must be equal whatever it makes. Costs one run in one thread, or two.
#include "verify/watches/element_conditions.h"

#include <algorithm>

#include "core/support/result.h"
#include "sim/domains/tower/tower_domain.h"
#include "sim/run/assemble.h"
#include "verify/answers/words.h"
#include "verify/facts/block_rows.h"
#include "verify/pair_facts/work.h"
#include "verify/watches/use_words.h"

namespace isoshard::verify {
namespace {

using sim::UndefinedSets;

constexpr uint64_t kMostElements = uint64_t{1} << 21;

uint32_t bits_of(Needs needs) {
  switch (needs) {
    case Needs::nonnegative:
      return UndefinedSets::kNonnegative;
    case Needs::nonzero:
      return UndefinedSets::kNonzero;
    case Needs::positive:
      return UndefinedSets::kNonnegative | UndefinedSets::kNonzero;
    case Needs::inside_1:
      return UndefinedSets::kInside1;
    case Needs::finite:
      break;
  }
  return UndefinedSets::kFinite;
}

/// Zeros of two programs that may have either sign are not known to have the same.
uint32_t bits_of(ZeroSign zero, bool of_reference) {
  if (zero == ZeroSign::plus) return 0;
  if (zero == ZeroSign::of_input) return UndefinedSets::kZeroOfInput;
  return of_reference ? UndefinedSets::kAnyZeroThere : UndefinedSets::kAnyZeroHere;
}

}  // namespace

ElementConditions::ElementConditions(const Pair& pair, const UseMarks& sharded, const UseMarks& reference,
                                     RingAgain again, bool thin)
    : pair_(pair),
      sharded_(sharded),
      reference_(reference),
      domain_(std::move(again.ring)),
      draw_(std::move(again.draw)),
      hard_order_(again.hard_order),
      thin_(thin) {}

bool ElementConditions::can_run(const Pair& pair) { return elements_computed(pair) <= kMostElements; }

std::optional<std::vector<std::string>> ElementConditions::run() {
  std::vector<std::string> rests_on(pair_.sharded.plan.outputs.size());
  const auto drawn = [&](const Global& g, uint32_t step) { return domain_.with_sets(draw_(g, step)); };
  PairRun run(pair_, domain_, drawn, 1);
  run.substitute(marking(sharded_, false), marking(reference_, true));
  for (int64_t step = 1; step <= pair_.steps; ++step) {
    if (!run.next() || domain_.sets().exceeded()) return std::nullopt;
    compare(run.result(), rests_on);
  }
  if (turned_) return rests_on;  // integers are those of the other program
  const std::string integers = of_wide(domain_.sets().missing(domain_.integers(false), domain_.integers(true)));
  for (std::string& words : rests_on) words = words.empty() ? integers : words;
  return rests_on;
}

void ElementConditions::add_of_integers(std::vector<std::string>& conditions) {
  for (const Missing& missing : domain_.sets().missing(domain_.integers(false), 0)) {
    add_once(in_words({missing}), conditions);
  }
}

/// What the sharded program is said to need may be more than it does, and what the reference needs less: where both
/// runs, of which the second has parts exchanged, see one set for each operand, that is the set.
bool ElementConditions::sees_alike(const std::vector<bool>& asked) {
  if (hard_order_) return false;
  domain_.see_undefined();
  const std::optional<std::vector<std::string>> rests_on = run();
  for (size_t o = 0; rests_on && o < asked.size(); ++o) {
    if (asked[o] && !(*rests_on)[o].empty()) return false;
  }
  if (!missed_.uses.empty()) return false;
  turned_ = true;
  if (!rests_on || !run() || !domain_.sees_alike()) return false;
  return std::none_of(unequal_.begin(), unequal_.end(), [&](size_t o) { return asked[o]; });
}

sim::Substitute ElementConditions::marking(const UseMarks& marks, bool of_reference) {
  return [this, &marks, of_reference](int64_t position, PlanValueId id, sim::Value value) {
    domain_.run_reference(of_reference != turned_);
    const size_t time = of_reference || marks.at(id).empty() ? 0 : times_[{position, id}]++;
    uint32_t needs = 0;
    for (const UseMarks::Mark& mark : marks.at(id)) {
      const PartialUse& use = marks.uses()[mark.use];
      const bool counts = thin_ || use.wide;
      if (counts || of_reference) needs |= bits_of(mark.needs) | bits_of(mark.zero, of_reference);
      if (counts && !of_reference) note(mark, value, {id, position, time, 0});
    }
    if (of_reference) note_shown(marks.shown_at(id), value);
    if ((needs & UndefinedSets::kFinite) != 0) value = domain_.marked_maximum(value);
    needs &= ~static_cast<uint32_t>(UndefinedSets::kFinite);
    return needs == 0 ? value : domain_.marked(value, needs);
  };
}

/// A wide use is told before a thin one that needs the same of an element.
void ElementConditions::note(const UseMarks::Mark& mark, const sim::Value& value, ElementPlace place) {
  auto& uses = sharded_.uses()[mark.use].wide ? wide_use_of_ : thin_use_of_;
  for (int64_t i = 0; i < value.size(); ++i) {
    const Element element = domain_.element_of(value, i);
    uses.emplace(std::pair(element, bits_of(mark.needs)), mark.use);
    place.index = i;
    places_.emplace(element, place);
  }
}

/// An element that has a value on all inputs is as its construction shows on all inputs, and so is the same element of
/// the sharded program, however that is made.
void ElementConditions::note_shown(const std::vector<Needs>& shown, const sim::Value& value) {
  if (shown.empty()) return;
  uint32_t needs = 0;
  for (const Needs needed : shown) needs |= bits_of(needed);
  const std::vector<Set> sets = domain_.sets_of(value);
  for (int64_t i = 0; i < value.size(); ++i) {
    const bool always = domain_.sets().conditions(sets[static_cast<size_t>(i)]) == 0;
    if (always) shown_[domain_.element_of(value, i)] |= needs;
  }
}

/// A ring that has met what it takes for infinities may have 0 for what is positive: there nothing is known.
bool ElementConditions::is_shown(const Missing& missing) const {
  const auto* tower = dynamic_cast<const sim::TowerDomain*>(&domain_.inside().calculating());
  if (tower != nullptr && !tower->infinities().empty()) return false;
  const auto shown = shown_.find(missing.element);
  return shown != shown_.end() && (missing.needs & ~shown->second) == 0;
}

void ElementConditions::compare(const PairResult& result, std::vector<std::string>& rests_on) {
  for (size_t o = 0; o < rests_on.size(); ++o) {
    if (domain_.sees_undefined() && !is_equal(result, o)) unequal_.insert(o);
    const TensorType& type = pair_.sharded.plan.outputs[o].type;
    if (!is_float(type.dtype) && type.dtype != DType::pred) continue;
    const sim::Value whole = sim::assemble(type, result.reference.outputs[pair_.reference_output[o]]).value;
    const std::vector<Set> expected = domain_.sets_of(whole);
    for (const sim::StoredBlock& block : result.sharded.outputs[o]) {
      if (rests_on[o].empty()) rests_on[o] = missing_in(block, type, expected);
    }
  }
}

/// In the ring inside, which knows no conditions.
bool ElementConditions::is_equal(const PairResult& result, size_t output) const {
  std::vector<sim::StoredBlock> blocks = result.sharded.outputs[output];
  std::vector<sim::StoredBlock> expected = result.reference.outputs[pair_.reference_output[output]];
  std::vector<sim::Value*> values;
  for (auto* all : {&blocks, &expected}) {
    for (sim::StoredBlock& block : *all) {
      block.value = domain_.without_sets(block.value);
      values.push_back(&block.value);
    }
  }
  const TensorType& type = pair_.sharded.plan.outputs[output].type;
  if (!domain_.inside().compares_bits(type.dtype)) domain_.inside().make_comparable(values);
  const sim::Assembled own = sim::assemble(type, blocks), whole = sim::assemble(type, expected);
  return own.disagreements.empty() && whole.disagreements.empty() && sim::same_bits(own.value, whole.value);
}

std::string ElementConditions::missing_in(const sim::StoredBlock& block, const TensorType& type,
                                          const std::vector<Set>& expected) {
  const std::vector<Set> own = domain_.sets_of(block.value);
  std::string words;
  for_each_row(block, type.shape, [&](const BlockRow& row) {
    for (int64_t i = 0; i < row.length && words.empty(); ++i) {
      words = missing(own[static_cast<size_t>(row.in_block + i)], expected[static_cast<size_t>(row.in_whole + i)]);
    }
  });
  return words;
}

const std::string& ElementConditions::missing(Set sharded, Set reference) {
  const auto [at, is_new] = missing_.emplace(std::pair(sharded, reference), "");
  if (!is_new || sharded == 0) return at->second;
  std::vector<Missing> all = domain_.sets().missing(sharded, reference);
  const std::set<Element> positive = domain_.sets().positive(reference);
  const auto follows = [&](const Missing& m) { return is_shown(m) || is_product(m, positive); };
  all.erase(std::remove_if(all.begin(), all.end(), follows), all.end());
  return at->second = of_wide(all);
}

/// Of two elements that are positive where the reference has a value.
bool ElementConditions::is_product(const Missing& missing, const std::set<Element>& positive) {
  constexpr uint32_t kSigns = UndefinedSets::kNonnegative | UndefinedSets::kNonzero;
  if ((missing.needs & ~kSigns) != 0) return false;
  return std::any_of(positive.begin(), positive.end(), [&](Element x) {
    UndefinedSets& sets = domain_.sets();
    return positive.count(sets.product(missing.element, sets.inverse(x))) != 0;
  });
}

/// The first wide use among them in words; thin ones are kept. That what is 0 for all inputs, such as what a permute
/// leaves on a device that nobody sends to, is not 0 would be an assumption that never holds.
std::string ElementConditions::of_wide(const std::vector<Missing>& missing) {
  const Element zero = domain_.sets().complement(0);
  std::vector<Missing> wide;
  for (const Missing& m : missing) {
    const size_t use = use_of(m);
    const bool never = m.element == zero && (m.needs & UndefinedSets::kNonzero) != 0;
    if (sharded_.uses()[use].wide || never) wide.push_back(m);
    if (sharded_.uses()[use].wide || never) continue;
    missed_.uses.insert(use);
    const auto place = places_.find(m.element);
    if (place != places_.end()) missed_.places.emplace(place->second, use);
  }
  return in_words(wide);
}

/// The use that it is of, a wide one where there is one, of several that which needs most; the first one of all where
/// that is not known.
size_t ElementConditions::use_of(const Missing& missing) const {
  for (const UsesOf* uses : {&wide_use_of_, &thin_use_of_}) {
    std::optional<size_t> found;
    const auto end = uses->lower_bound({missing.element + 1, 0});
    for (auto use = uses->lower_bound({missing.element, 0}); use != end; ++use) {
      if ((use->first.second & missing.needs) != 0) found = use->second;
    }
    if (found) return *found;
  }
  return (wide_use_of_.empty() ? thin_use_of_ : wide_use_of_).begin()->second;
}

std::string ElementConditions::in_words(const std::vector<Missing>& missing) const {
  return missing.empty() ? "" : use_in_words(pair_.sharded, sharded_.uses()[use_of(missing[0])]);
}

}  // namespace isoshard::verify
