// n s / s is n as a formula, but has no value where s is 0. Both programs run once more in a ring in which each element
// also has the conditions under which it has no value (sim/domains/undefined): those of each element of the sharded
// program must be among those of the same element of the reference. A condition is named by the element that is not as
// needed, so that both programs name it alike. Denominators that are 0 on a thin set only, such as x - 3, are no
// conditions of elements: they are listed beside EQUAL unless the reference somewhere divides by the same; f64 looks
// for such inputs. Costs one more run of programs that have such denominators, in one thread; none of others.
#include "verify/definedness.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/support/result.h"
#include "sim/assemble.h"
#include "sim/domains/undefined/undefined_domain.h"
#include "verify/cones.h"
#include "verify/facts/partial_uses.h"
#include "verify/facts/work.h"
#include "verify/order_facts.h"
#include "verify/outputs.h"
#include "verify/rare_conditions.h"
#include "verify/words.h"

namespace isoshard::verify {
namespace {

using sim::UndefinedDomain;
using sim::UndefinedSets;

/// Larger programs would take minutes: their uses are compared together.
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

/// The partial functions of one program while it runs.
class PartialMarks {
 public:
  PartialMarks(const Plan& plan, int64_t steps, bool reference, const UndefinedDomain& domain)
      : reference_(reference), domain_(domain) {
    const std::vector<Renaming> renamed = renamings(plan);
    uses_ = partial_uses(plan, steps);
    of_value_.resize(plan.values.size());
    for (size_t u = 0; u < uses_.size(); ++u) {
      for (const PartialArgument& argument : uses_[u].arguments) {
        if (argument.needs == Needs::finite) {
          add(plan.instruction(uses_[u].use).results[0], {u, Needs::finite}, {});
        } else {
          add(argument.value, {u, argument.needs}, renamed);
        }
      }
    }
  }

  sim::Value mark(PlanValueId id, sim::Value value) {
    uint32_t needs = 0;
    for (const Mark& mark : of_value_[id.index()]) {
      if (uses_[mark.use].wide || reference_) needs |= bits_of(mark.needs);
      note(mark, value);
    }
    if ((needs & UndefinedSets::kFinite) != 0) value = domain_.marked_maximum(value);
    needs &= ~static_cast<uint32_t>(UndefinedSets::kFinite);
    return needs == 0 ? value : domain_.marked(value, needs);
  }

  const std::vector<PartialUse>& uses() const { return uses_; }
  /// By elements what some use needs of them.
  const std::map<UndefinedSets::Element, uint32_t>& needs() const { return needs_; }
  /// The elements that each use is applied to.
  const std::map<size_t, std::set<UndefinedSets::Element>>& elements() const { return elements_; }

 private:
  struct Mark {
    size_t use;
    Needs needs;
  };

  /// A loop hands on what others have made, and only that is seen.
  void add(PlanValueId id, const Mark& mark, const std::vector<Renaming>& renamed) {
    for (const PlanValueId name : earlier_names(id, renamed)) of_value_[name.index()].push_back(mark);
  }

  void note(const Mark& mark, const sim::Value& value) {
    for (int64_t i = 0; i < value.size(); ++i) {
      const bool number = mark.needs == Needs::nonzero && domain_.is_number(value.size(), value.data.get(), i);
      if (number && domain_.non_unit_lanes(value, i) == 0) continue;
      const UndefinedSets::Element element = domain_.element_of(value, i);
      elements_[mark.use].insert(element);
      needs_[element] |= bits_of(mark.needs);
    }
  }

  bool reference_;
  const UndefinedDomain& domain_;
  std::vector<PartialUse> uses_;
  std::vector<std::vector<Mark>> of_value_;
  std::map<UndefinedSets::Element, uint32_t> needs_;
  std::map<size_t, std::set<UndefinedSets::Element>> elements_;
};

class Judgement {
 public:
  Judgement(const Pair& pair, std::unique_ptr<sim::ExactRing> ring)
      : pair_(pair),
        domain_(std::move(ring)),
        sharded_(pair.sharded.plan, pair.steps, false, domain_),
        reference_(pair.reference.plan, pair.steps, true, domain_) {}

  Definedness run(const DrawGlobal& draw, uint64_t seed) {
    Definedness result;
    result.rests_on.resize(pair_.sharded.plan.outputs.size());
    const auto drawn = [&](const Global& g, uint32_t step) { return domain_.with_sets(draw(g, step)); };
    if (elements_computed(pair_) > kMostElements) domain_.sets().give_up();
    PairRun run(pair_, domain_, drawn, 1);
    run.substitute(marking(sharded_, false), marking(reference_, true));
    for (int64_t step = 1; step <= pair_.steps; ++step) {
      if (!run.next()) return all_rest(std::move(result));
      compare(run.result(), result);
    }
    const auto integers = domain_.sets().missing(domain_.integers(false), domain_.integers(true));
    if (!integers.empty()) {
      for (std::string& words : result.rests_on) words = words.empty() ? in_words(integers) : words;
    }
    if (domain_.sets().exceeded()) take_together(result);
    take_thin(seed, result);
    return result;
  }

 private:
  /// Where there are too many conditions to tell for each element: what the reference applies a partial function to
  /// somewhere, too, is a condition of all outputs.
  void take_together(Definedness& result) const {
    result.rests_on.assign(result.rests_on.size(), "");
    for (size_t u = 0; u < sharded_.uses().size(); ++u) {
      const PartialUse& use = sharded_.uses()[u];
      if (!use.wide) continue;
      if (!is_beyond(u)) {
        add_once(in_words(use), result.conditions);
        continue;
      }
      for (size_t o = 0; o < result.rests_on.size(); ++o) {
        const std::vector<bool> cone = cone_over_steps(pair_.sharded.plan, static_cast<uint32_t>(o), pair_.steps);
        if (cone[use.use.index()] && result.rests_on[o].empty()) result.rests_on[o] = in_words(use);
      }
    }
  }

  /// Those that are 0 for all inputs are no conditions but faults.
  void take_thin(uint64_t seed, Definedness& result) const {
    std::vector<RareCondition> conditions;
    std::vector<size_t> of_use;
    for (size_t u = 0; u < sharded_.uses().size(); ++u) {
      const PartialUse& use = sharded_.uses()[u];
      if (use.wide || !is_beyond(u)) continue;
      add_once(in_words(use), result.conditions);
      for (const PartialArgument& argument : use.arguments) {
        conditions.push_back({false, argument.value, {}, in_words(use)});
        of_use.push_back(u);
      }
    }
    if (conditions.empty()) return;
    const std::vector<bool> held = hold_somewhere(pair_, conditions, seed);
    for (size_t o = 0; o < result.rests_on.size(); ++o) {
      const std::vector<bool> cone = cone_over_steps(pair_.sharded.plan, static_cast<uint32_t>(o), pair_.steps);
      for (size_t c = 0; c < held.size(); ++c) {
        const bool counts = !held[c] && cone[sharded_.uses()[of_use[c]].use.index()] && result.rests_on[o].empty();
        if (counts) result.rests_on[o] = conditions[c].words;
      }
    }
  }

  sim::Substitute marking(PartialMarks& marks, bool of_reference) {
    return [this, &marks, of_reference](int64_t, PlanValueId id, sim::Value value) {
      domain_.run_reference(of_reference);
      return marks.mark(id, std::move(value));
    };
  }

  void compare(const PairResult& result, Definedness& judged) {
    for (size_t o = 0; o < judged.rests_on.size(); ++o) {
      const TensorType& type = pair_.sharded.plan.outputs[o].type;
      if (!is_float(type.dtype) && type.dtype != DType::pred) continue;
      const sim::Value whole = sim::assemble(type, result.reference.outputs[pair_.reference_output[o]]).value;
      const std::vector<UndefinedDomain::Set> expected = domain_.sets_of(whole);
      for (const sim::StoredBlock& block : result.sharded.outputs[o]) {
        if (judged.rests_on[o].empty()) judged.rests_on[o] = missing_in(block, type, expected);
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
    if (!is_new) return at->second;
    std::vector<UndefinedSets::Missing> all = domain_.sets().missing(sharded, reference);
    const std::set<UndefinedSets::Element> positive = domain_.sets().positive(reference);
    const auto follows = [&](const UndefinedSets::Missing& m) { return is_product(m, positive); };
    all.erase(std::remove_if(all.begin(), all.end(), follows), all.end());
    return at->second = in_words(all);
  }

  /// Of two elements that are positive where the reference has a value.
  bool is_product(const UndefinedSets::Missing& missing, const std::set<UndefinedSets::Element>& positive) {
    constexpr uint32_t kSigns = UndefinedSets::kNonnegative | UndefinedSets::kNonzero;
    if (missing.needs == 0 || (missing.needs & ~kSigns) != 0) return false;
    return std::any_of(positive.begin(), positive.end(), [&](UndefinedSets::Element x) {
      UndefinedSets& sets = domain_.sets();
      return positive.count(sets.product(missing.element, sets.inverse(x))) != 0;
    });
  }

  std::string in_words(const std::vector<UndefinedSets::Missing>& missing) const {
    if (missing.empty()) return "";
    const PartialUse* any = nullptr;
    for (size_t u = 0; u < sharded_.uses().size(); ++u) {
      const PartialUse& use = sharded_.uses()[u];
      if (!use.wide) continue;
      any = any == nullptr ? &use : any;
      const auto elements = sharded_.elements().find(u);
      const bool is_it = elements != sharded_.elements().end() && elements->second.count(missing[0].element) != 0 &&
                         (bits_of(use.arguments[0].needs) & missing[0].needs) != 0;
      if (is_it) return in_words(use);
    }
    return any == nullptr ? "" : in_words(*any);
  }

  std::string in_words(const PartialUse& use) const {
    const Instruction& i = pair_.sharded.plan.instruction(use.use);
    return pair_.sharded.name(use.arguments[0].value) + " " + std::string(verify::in_words(use.arguments[0].needs)) +
           " (" + i.op + " at " + i.location.to_string() + ")";
  }

  /// The reference applies no partial function to some element that needs as much of it.
  bool is_beyond(size_t use) const {
    const auto elements = sharded_.elements().find(use);
    if (elements == sharded_.elements().end()) return false;
    uint32_t needs = 0;
    for (const PartialArgument& argument : sharded_.uses()[use].arguments) needs |= bits_of(argument.needs);
    return std::any_of(elements->second.begin(), elements->second.end(), [&](UndefinedSets::Element element) {
      const auto known = reference_.needs().find(element);
      return known == reference_.needs().end() || (needs & ~known->second) != 0;
    });
  }

  Definedness all_rest(Definedness result) const {
    for (std::string& words : result.rests_on) words = in_words({UndefinedSets::Missing{}});
    return result;
  }

  const Pair& pair_;
  UndefinedDomain domain_;
  PartialMarks sharded_, reference_;
  std::map<std::pair<UndefinedDomain::Set, UndefinedDomain::Set>, std::string> missing_;
};

}  // namespace

bool may_be_undefined(const Pair& pair) { return !partial_uses(pair.sharded.plan, pair.steps).empty(); }

Definedness judge_definedness(const Pair& pair, std::unique_ptr<sim::ExactRing> ring, const DrawGlobal& draw,
                              uint64_t seed) {
  return Judgement(pair, std::move(ring)).run(draw, seed);
}

}  // namespace isoshard::verify
