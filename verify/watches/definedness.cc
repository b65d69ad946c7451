// n s / s is n as a formula, but has no value where s is 0. Where the sharded program has such uses that may fail
// widely, both programs run once more in a ring in which each element also has the conditions under which it has no
// value (sim/domains/undefined): those of each element of the sharded program must follow from those of the same
// element of the reference. A condition is named by the element that is not as needed, so that both programs name it
// alike. Uses that fail on a thin set only, x - 3 = 0, are told so, too, and those that are missing are listed; f64
// must have seen them to hold. Of large programs, or where there are too many conditions, uses are compared by their
// elements for the whole program. Costs one more run in one thread where there are partial uses.
#include "verify/watches/definedness.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "core/support/result.h"
#include "sim/domains/undefined/undefined_domain.h"
#include "sim/run/assemble.h"
#include "verify/answers/words.h"
#include "verify/facts/block_rows.h"
#include "verify/facts/cones.h"
#include "verify/facts/is_one_of.h"
#include "verify/pair_facts/work.h"
#include "verify/watches/rare_conditions.h"

namespace isoshard::verify {
namespace {

using sim::UndefinedDomain;
using sim::UndefinedSets;

/// Sets of the elements of larger programs take minutes.
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

std::string use_in_words(const Side& side, const PartialUse& use) {
  const Instruction& i = side.plan.instruction(use.use);
  return side.name(use.arguments[0].value) + " " + std::string(in_words(use.arguments[0].needs)) + " (" + i.op +
         " at " + i.location.to_string() + ")";
}

/// Both programs in the ring with conditions.
class ElementByElement {
 public:
  /// `thin`: uses of the sharded program that fail on a thin set only have conditions, too.
  ElementByElement(const Pair& pair, const UseMarks& sharded, const UseMarks& reference,
                   std::unique_ptr<sim::ExactRing> ring, bool thin = false)
      : pair_(pair), sharded_(sharded), reference_(reference), domain_(std::move(ring)), thin_(thin) {}

  /// Per output what it rests on; nothing where there are too many conditions.
  std::optional<std::vector<std::string>> run(const DrawGlobal& draw) {
    std::vector<std::string> rests_on(pair_.sharded.plan.outputs.size());
    const auto drawn = [&](const Global& g, uint32_t step) { return domain_.with_sets(draw(g, step)); };
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

  /// The uses that fail on a thin set only and that some element of the sharded program rests on where the same element
  /// of the reference does not.
  const std::set<size_t>& thin() const { return missed_; }

  /// What integers of the sharded program need to be those of the reference: which output has which is not told.
  void add_of_integers(std::vector<std::string>& conditions) {
    for (const UndefinedSets::Missing& missing : domain_.sets().missing(domain_.integers(false), 0)) {
      add_once(in_words({missing}), conditions);
    }
  }

  /// Whether is_finite is one function of its operand in both programs, and each output among `asked` has a value
  /// wherever the reference has one. In the sharded program a condition may hold, in the reference it does hold: these
  /// are the same where the programs change parts and no set is another one.
  bool sees_alike(const DrawGlobal& draw, const std::vector<bool>& asked) {
    const std::optional<std::vector<std::string>> rests_on = run(draw);
    for (size_t o = 0; rests_on && o < asked.size(); ++o) {
      if (asked[o] && !(*rests_on)[o].empty()) return false;
    }
    if (!missed_.empty()) return false;
    turned_ = true;
    return rests_on && run(draw) && domain_.finite_is_a_function();
  }

 private:
  sim::Substitute marking(const UseMarks& marks, bool of_reference) {
    return [this, &marks, of_reference](int64_t, PlanValueId id, sim::Value value) {
      domain_.run_reference(of_reference != turned_);
      uint32_t needs = 0;
      for (const UseMarks::Mark& mark : marks.at(id)) {
        const bool counts = thin_ || marks.uses()[mark.use].wide;
        if (counts || of_reference) needs |= bits_of(mark.needs);
        if (counts && !of_reference) note(mark, value);
      }
      if ((needs & UndefinedSets::kFinite) != 0) value = domain_.marked_maximum(value);
      needs &= ~static_cast<uint32_t>(UndefinedSets::kFinite);
      return needs == 0 ? value : domain_.marked(value, needs);
    };
  }

  /// A wide use is told before a thin one that needs the same of an element.
  void note(const UseMarks::Mark& mark, const sim::Value& value) {
    auto& uses = sharded_.uses()[mark.use].wide ? wide_use_of_ : thin_use_of_;
    for (int64_t i = 0; i < value.size(); ++i) {
      uses.emplace(std::pair(domain_.element_of(value, i), bits_of(mark.needs)), mark.use);
    }
  }

  void compare(const PairResult& result, std::vector<std::string>& rests_on) {
    for (size_t o = 0; o < rests_on.size(); ++o) {
      const TensorType& type = pair_.sharded.plan.outputs[o].type;
      if (!is_float(type.dtype) && type.dtype != DType::pred) continue;
      const sim::Value whole = sim::assemble(type, result.reference.outputs[pair_.reference_output[o]]).value;
      const std::vector<UndefinedDomain::Set> expected = domain_.sets_of(whole);
      for (const sim::StoredBlock& block : result.sharded.outputs[o]) {
        if (rests_on[o].empty()) rests_on[o] = missing_in(block, type, expected);
      }
    }
  }

  std::string missing_in(const sim::StoredBlock& block, const TensorType& type,
                         const std::vector<UndefinedDomain::Set>& expected) {
    const std::vector<UndefinedDomain::Set> own = domain_.sets_of(block.value);
    std::string words;
    for_each_row(block, type.shape, [&](const BlockRow& row) {
      for (int64_t i = 0; i < row.length && words.empty(); ++i) {
        words = missing(own[static_cast<size_t>(row.in_block + i)], expected[static_cast<size_t>(row.in_whole + i)]);
      }
    });
    return words;
  }

  const std::string& missing(UndefinedDomain::Set sharded, UndefinedDomain::Set reference) {
    const auto [at, is_new] = missing_.emplace(std::pair(sharded, reference), "");
    if (!is_new || sharded == 0) return at->second;
    std::vector<UndefinedSets::Missing> all = domain_.sets().missing(sharded, reference);
    const std::set<UndefinedSets::Element> positive = domain_.sets().positive(reference);
    const auto follows = [&](const UndefinedSets::Missing& m) { return is_product(m, positive); };
    all.erase(std::remove_if(all.begin(), all.end(), follows), all.end());
    return at->second = of_wide(all);
  }

  /// Of two elements that are positive where the reference has a value.
  bool is_product(const UndefinedSets::Missing& missing, const std::set<UndefinedSets::Element>& positive) {
    constexpr uint32_t kSigns = UndefinedSets::kNonnegative | UndefinedSets::kNonzero;
    if ((missing.needs & ~kSigns) != 0) return false;
    return std::any_of(positive.begin(), positive.end(), [&](UndefinedSets::Element x) {
      UndefinedSets& sets = domain_.sets();
      return positive.count(sets.product(missing.element, sets.inverse(x))) != 0;
    });
  }

  /// The first wide use among them in words; thin ones are kept.
  std::string of_wide(const std::vector<UndefinedSets::Missing>& missing) {
    std::vector<UndefinedSets::Missing> wide;
    for (const UndefinedSets::Missing& m : missing) {
      const size_t use = use_of(m);
      if (sharded_.uses()[use].wide) wide.push_back(m);
      if (!sharded_.uses()[use].wide) missed_.insert(use);
    }
    return in_words(wide);
  }

  /// The use that it is of, a wide one where there is one, of several that which needs most; the first one of all where
  /// that is not known.
  size_t use_of(const UndefinedSets::Missing& missing) const {
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

  std::string in_words(const std::vector<UndefinedSets::Missing>& missing) const {
    return missing.empty() ? "" : use_in_words(pair_.sharded, sharded_.uses()[use_of(missing[0])]);
  }

  const Pair& pair_;
  const UseMarks &sharded_, &reference_;
  UndefinedDomain domain_;
  bool thin_, turned_ = false;
  using UsesOf = std::map<std::pair<UndefinedSets::Element, uint32_t>, size_t>;  ///< by element and what is needed
  UsesOf wide_use_of_, thin_use_of_;  ///< of the sharded program, the first ones
  std::set<size_t> missed_;           ///< thin ones
  std::map<std::pair<UndefinedDomain::Set, UndefinedDomain::Set>, std::string> missing_;
};

/// Uses that are not told for each element.
class Together {
 public:
  Together(const Pair& pair, const PairUses& uses)
      : pair_(pair), uses_(uses.sharded.marks().uses()), beyond_(uses.sharded.beyond(uses.reference)) {}

  /// What the reference applies a partial function to, too, is a condition of all outputs.
  void take_wide(Definedness& result) {
    for (size_t u = 0; u < uses_.size(); ++u) {
      if (!uses_[u].wide) continue;
      if (beyond_[u]) rest(u, result);
      if (!beyond_[u]) add_once(use_in_words(pair_.sharded, uses_[u]), result.conditions);
    }
  }

  /// Those that the reference has nowhere, and `missed`. Those that are 0 for all inputs are no conditions but faults.
  void take_thin(uint64_t seed, const std::set<size_t>& missed, Definedness& result) {
    std::vector<RareCondition> conditions;
    std::vector<size_t> of_use;
    for (size_t u = 0; u < uses_.size(); ++u) {
      if (uses_[u].wide || (!beyond_[u] && missed.count(u) == 0)) continue;
      add_once(use_in_words(pair_.sharded, uses_[u]), result.conditions);
      for (const PartialArgument& argument : uses_[u].arguments) {
        conditions.push_back({false, argument.value});
        of_use.push_back(u);
      }
    }
    const std::vector<bool> held = hold_somewhere(pair_, conditions, seed);
    for (size_t c = 0; c < held.size(); ++c) {
      if (!held[c]) rest(of_use[c], result);
    }
  }

 private:
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

bool asks_is_finite(const Plan& plan, size_t output, int64_t steps) {
  const std::vector<bool> cone = cone_over_steps(plan, static_cast<uint32_t>(output), steps);
  for (size_t i = 0; i < cone.size(); ++i) {
    if (cone[i] && is_one_of<IsFinite>(local_op(plan.instructions[i]))) return true;
  }
  return false;
}

/// Per output of the sharded program: whether is_finite has a part in it, in either program.
std::vector<bool> outputs_that_ask(const Pair& pair) {
  std::vector<bool> asked;
  for (size_t o = 0; o < pair.sharded.plan.outputs.size(); ++o) {
    asked.push_back(asks_is_finite(pair.sharded.plan, o, pair.steps) ||
                    asks_is_finite(pair.reference.plan, pair.reference_output[o], pair.steps));
  }
  return asked;
}

/// What overflows is a number in rings, and not finite in floats.
std::string no_overflow(const Pair& pair) {
  for (const Side* side : {&pair.sharded, &pair.reference}) {
    for (const Instruction& i : side->plan.instructions) {
      if (!is_one_of<IsFinite>(local_op(i))) continue;
      return "no overflow in " + side->name(i.operands[0]) + " (" + i.op + " at " + i.location.to_string() + ")";
    }
  }
  return "";
}

/// Where all partial functions of both programs have values, is_finite holds throughout: that is a condition of the
/// outputs that ask it.
class AllDefined {
 public:
  AllDefined(const Pair& pair, Definedness& result) : pair_(pair), result_(result) {}

  void need(const UseMarks& marks, bool of_reference, size_t output) {
    const Side& side = of_reference ? pair_.reference : pair_.sharded;
    const size_t own = of_reference ? pair_.reference_output[output] : output;
    const std::vector<bool> cone = cone_over_steps(side.plan, static_cast<uint32_t>(own), pair_.steps);
    for (const PartialUse& use : marks.uses()) {
      if (!cone[use.use.index()]) continue;
      const std::string words = use_in_words(side, use);
      if (use.wide) rest(output, words);
      if (!use.wide) add_once(words, result_.conditions);
      for (size_t a = 0; a < use.arguments.size() && !use.wide; ++a) {
        thin_.push_back({of_reference, use.arguments[a].value, {}, words});
        outputs_.push_back(output);
      }
    }
  }

  /// Those that are 0 for all inputs are no conditions but faults.
  void look_for_faults(uint64_t seed) {
    const std::vector<bool> held = hold_somewhere(pair_, thin_, seed);
    for (size_t c = 0; c < held.size(); ++c) {
      if (!held[c]) rest(outputs_[c], thin_[c].words);
    }
  }

 private:
  void rest(size_t output, const std::string& words) {
    if (result_.rests_on[output].empty()) result_.rests_on[output] = words;
  }

  const Pair& pair_;
  Definedness& result_;
  std::vector<RareCondition> thin_;
  std::vector<size_t> outputs_;  ///< of these conditions
};

/// is_finite sees where formulas have no value, so that the reference has one there: both programs must have none for
/// the same inputs, or none may be missing at all.
void judge_is_finite(const Pair& pair, const PairUses& uses, const std::function<RingAgain()>& again, uint64_t seed,
                     Definedness& result) {
  const std::vector<bool> asked = outputs_that_ask(pair);
  const UseMarks &sharded = uses.sharded.marks(), &reference = uses.reference.marks();
  if (!any_output(asked)) return;
  add_once(no_overflow(pair), result.conditions);
  if (sharded.uses().empty() && reference.uses().empty()) return;
  if (elements_computed(pair) <= kMostElements) {
    RingAgain with = again();
    if (ElementByElement(pair, sharded, reference, std::move(with.ring), true).sees_alike(with.draw, asked)) return;
  }
  AllDefined all(pair, result);
  for (size_t o = 0; o < asked.size(); ++o) {
    if (!asked[o]) continue;
    all.need(sharded, false, o);
    all.need(reference, true, o);
  }
  all.look_for_faults(seed);
}

}  // namespace

Definedness judge_definedness(const Pair& pair, const PairUses& uses, const std::function<RingAgain()>& again,
                              uint64_t seed) {
  Definedness result;
  result.rests_on.resize(pair.sharded.plan.outputs.size());
  const UseMarks &sharded = uses.sharded.marks(), &reference = uses.reference.marks();
  judge_is_finite(pair, uses, again, seed, result);
  if (sharded.uses().empty()) return result;
  Together together(pair, uses);
  std::optional<std::vector<std::string>> rests_on;
  std::set<size_t> thin;
  // With conditions of thin uses there may be too many, where those of wide ones alone can be told.
  for (const bool with_thin : {true, false}) {
    const bool asks = with_thin ? sharded.any_thin() : sharded.any_wide();
    if (rests_on || !asks || elements_computed(pair) > kMostElements) continue;
    RingAgain with = again();
    ElementByElement by_element(pair, sharded, reference, std::move(with.ring), with_thin);
    rests_on = by_element.run(with.draw);
    if (!rests_on) continue;
    by_element.add_of_integers(result.conditions);
    thin = by_element.thin();
  }
  for (size_t o = 0; rests_on && o < rests_on->size(); ++o) {
    if (result.rests_on[o].empty()) result.rests_on[o] = std::move((*rests_on)[o]);
  }
  if (!rests_on) together.take_wide(result);
  together.take_thin(seed, thin, result);
  return result;
}

}  // namespace isoshard::verify
