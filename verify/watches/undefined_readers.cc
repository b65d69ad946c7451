// Formulas forget where they have no value, but some functions see it: is_finite, and whatever makes a predicate or an
// integer of a float, for nan >= nan is false. What the reference makes of a nan is a value, so that nothing is excused
// there. Both programs run with such functions taken for any functions of what they see (element_conditions.h); where
// that does not show outputs to be equal, or programs are too large, what the partial functions need that feed these
// readers is a condition. Costs two runs in one thread where the reference has readers of what may have no value.
#include "verify/watches/undefined_readers.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "verify/answers/words.h"
#include "verify/facts/block_rows.h"
#include "verify/facts/cones.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/reach.h"
#include "verify/watches/rare_conditions.h"
#include "verify/watches/use_words.h"

namespace isoshard::verify {
namespace {

/// One program with what sees where its values have none.
class UndefinedReaders {
 public:
  UndefinedReaders(const Side& side, const UseMarks& marks, int64_t steps)
      : plan_(side.plan), steps_(steps), finite_(plan_.instructions.size()), others_(finite_) {
    std::vector<bool> uses(finite_);
    for (const PartialUse& use : marks.uses())
      uses[use.use.index()] = uses[use.use.index()] || (!use.of_infinity && !use.arguments.empty());
    std::vector<bool> may_have_none(plan_.values.size(), false);
    if (!marks.uses().empty()) {
      const auto floats = [](const TensorType& type) { return is_float(type.dtype); };
      may_have_none = reached_from(
          plan_, [&](const Instruction& i) { return uses[i.id.index()]; }, floats, {}, steps);
    }
    for (const Instruction& i : plan_.instructions) {
      finite_[i.id.index()] = is_one_of<IsFinite>(local_op(i));
      others_[i.id.index()] = is_reader(i, may_have_none);
    }
  }

  bool asks_is_finite(size_t output) const { return any_in_cone(output, finite_); }
  /// Whether a predicate or an integer is made of what may have no value.
  bool asks_other(size_t output) const { return any_in_cone(output, others_); }

  /// Per instruction: whether output `output` depends on it.
  std::vector<bool> cone(size_t output) const { return cone_over_steps(plan_, static_cast<uint32_t>(output), steps_); }

  /// Per instruction: whether output `output` depends on what a reader makes of it.
  std::vector<bool> read_for(size_t output) const {
    std::vector<bool> result = cone(output);
    if (steps_ > 1) return result;
    const std::vector<bool> read =
        reaching(plan_, [&](const Instruction& i) { return result[i.id.index()] && others_[i.id.index()]; });
    for (size_t i = 0; i < result.size(); ++i) {
      const PlanValueIds& made = plan_.instructions[i].results;
      result[i] = std::any_of(made.begin(), made.end(), [&](PlanValueId id) { return read[id.index()]; });
    }
    return result;
  }

 private:
  bool is_reader(const Instruction& i, const std::vector<bool>& may_have_none) const {
    const bool sees =
        std::any_of(i.operands.begin(), i.operands.end(), [&](PlanValueId id) { return may_have_none[id.index()]; });
    return sees && std::any_of(i.results.begin(), i.results.end(),
                               [&](PlanValueId id) { return !is_float(plan_.value(id).type().dtype); });
  }

  /// Most programs have none, and many outputs.
  bool any_in_cone(size_t output, const std::vector<bool>& which) const {
    if (!any_output(which)) return false;
    const std::vector<bool> in_cone = cone(output);
    for (size_t i = 0; i < in_cone.size(); ++i) {
      if (in_cone[i] && which[i]) return true;
    }
    return false;
  }

  const Plan& plan_;
  int64_t steps_;
  std::vector<bool> finite_, others_;  ///< per instruction: is_finite, another reader of what may have no value
};

/// What overflows is a number in rings, and not finite in floats.
std::string no_overflow(const Pair& pair) {
  for (const Side* side : {&pair.sharded, &pair.reference}) {
    for (const Instruction& i : side->plan.instructions) {
      if (!is_one_of<IsFinite>(local_op(i))) continue;
      return "no overflow in " + side->name(i.operands[0]) + " (" + i.op() + " at " + i.location().to_string() + ")";
    }
  }
  return "";
}

/// Where all partial functions that a program applies its readers to have values, these see what formulas say: that is
/// a condition of the outputs that ask them.
class AllDefined {
 public:
  AllDefined(const Pair& pair, Definedness& result) : pair_(pair), result_(result) {}

  /// The uses among `counting` of one program.
  void need(const UseMarks& marks, bool of_reference, size_t output, const std::vector<bool>& counting) {
    const Side& side = of_reference ? pair_.reference : pair_.sharded;
    for (const PartialUse& use : marks.uses()) {
      if (!counting[use.use.index()] || use.of_infinity || use.arguments.empty()) continue;
      const std::string words = use_in_words(side, use);
      if (use.wide) rest(output, words);
      if (!use.wide) add_once(words, result_.conditions);
      for (size_t a = 0; a < use.arguments.size() && !use.wide; ++a) {
        thin_.push_back(
            {.of_reference = of_reference, .left = use.arguments[a].value, .words = words, .of = ConditionOf::all});
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

}  // namespace

std::vector<bool> judge_undefined_readers(const Pair& pair, const UseMarks& sharded, const UseMarks& reference,
                                          const std::function<RingAgain()>& again, uint64_t seed, Definedness& result) {
  const UndefinedReaders own(pair.sharded, sharded, pair.steps), expected(pair.reference, reference, pair.steps);
  const size_t outputs = pair.sharded.plan.outputs.size();
  std::vector<bool> finite, seen, asked;  // per output: is_finite, the reference's readers, those of either program
  for (size_t o = 0; o < outputs; ++o) {
    const size_t there = pair.reference_output[o];
    finite.push_back(own.asks_is_finite(o) || expected.asks_is_finite(there));
    seen.push_back(finite[o] || expected.asks_other(there));
    asked.push_back(seen[o] || own.asks_other(o));
  }
  if (any_output(finite)) add_once(no_overflow(pair), result.conditions);
  if (!any_output(asked) || (sharded.uses().empty() && reference.uses().empty())) return std::vector<bool>(outputs);
  const bool runs = ElementConditions::can_run(pair);
  if (runs && ElementConditions(pair, sharded, reference, again(), true).sees_alike(asked)) return asked;
  AllDefined all(pair, result);
  for (size_t o = 0; o < outputs; ++o) {
    const size_t there = pair.reference_output[o];
    if (finite[o]) all.need(sharded, false, o, own.cone(o));
    if (seen[o]) all.need(reference, true, o, finite[o] ? expected.cone(there) : expected.read_for(there));
  }
  all.look_for_faults(seed);
  return std::vector<bool>(outputs);
}

}  // namespace isoshard::verify
