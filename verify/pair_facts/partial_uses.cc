// Formulas know nothing of where they have no value: u/u is 1. Here is found, from the construction of operands alone,
// where a program may divide by 0, or take a root or logarithm of what is negative, or the angle of what is 0
// (docs/spec/verdict.md, "Where a formula has no value"). A denominator a b, a/b or sqrt(a) is split, so that x/(y z)
// needs what (x/y)/z needs. A use is wide where it may fail on an open set: where its operand depends on integers,
// order or pieces, or where nothing keeps a root's argument from being negative. What fails widely may be infinite, and
// what is made of it, exp of -inf, 0, so that the walk repeats until no further use is found. One walk over the Plan
// per round, after those for signs and dependence.
#include "verify/pair_facts/partial_uses.h"

#include <algorithm>
#include <functional>

#include "verify/compare/inputs.h"
#include "verify/facts/constant_exponent.h"
#include "verify/facts/fills_with_0.h"
#include "verify/facts/integers/integer_dependence.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/order_facts.h"
#include "verify/facts/producers.h"
#include "verify/facts/reach.h"
#include "verify/facts/signs/fraction.h"
#include "verify/facts/signs/positive.h"
#include "verify/pair_facts/infinities.h"
#include "verify/pair_facts/masks.h"

namespace isoshard::verify {
namespace {

std::optional<Needs> needed_for(DefinedWhere where) {
  switch (where) {
    case DefinedWhere::everywhere:
      return std::nullopt;
    case DefinedWhere::nonzero:
      return Needs::nonzero;
    case DefinedWhere::nonnegative:
      return Needs::nonnegative;
    case DefinedWhere::positive:
      return Needs::positive;
    case DefinedWhere::inside_1:
      return Needs::inside_1;
    case DefinedWhere::above_minus_1:
      break;
  }
  internal_error("log_plus_one", "is written as log(1 + x) before verify looks at it", __FILE__, __LINE__);
}

/// A function of floats that has corners or jumps: what is made of it may be 0 on more than a thin set. The root of a
/// square is its magnitude, as are powers and logarithms of one.
bool is_piecewise(const Plan& plan, const Instruction& i, const std::vector<KnownSign>& signs) {
  const LocalOp* local = local_op(i);
  if (local == nullptr) return compares_floats(plan, i);
  const OpFacts facts = op_facts(local->op);
  const bool of_positive = facts.defined == DefinedWhere::nonnegative || facts.defined == DefinedWhere::positive;
  if (is_one_of<Power>(local) ? is_power_of_data(plan, i) : of_positive) {
    return signs[i.operands[0].index()] != KnownSign::positive;
  }
  if (is_one_of<Atan2>(local)) return true;  // that of 0 and x is 0 or pi
  return compares_floats(plan, i) || (facts.kind == OpClass::rounding && !is_one_of<Convert>(local));
}

std::vector<bool> either(std::vector<bool> a, const std::vector<bool>& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = a[i] || b[i];
  return a;
}

class PartialWalk {
 public:
  PartialWalk(const Plan& plan, int64_t steps)
      : plan_(plan),
        readers_(plan),
        masked_(made_of_infinity(plan, steps)),
        unsure_(either(masked_.at_all, made_of_masks(plan, steps))),
        steps_(steps),
        signs_(signs_of(plan, masked_.at_all, nan_of({}))),
        strict_(signs_of(plan, unsure_, nan_of({}))),
        discrete_(depends_on_integers(plan, steps)),
        piecewise_(made_of_pieces(plan, steps)),
        inputs_(reached([&](const Instruction& i) { return loads_input(plan, i); })),
        filled_(reached([&](const Instruction& i) { return fills_with_0(plan, i); })),
        chosen_(reached([&](const Instruction& i) { return chooses_infinity(i); })),
        infinite_(plan.values.size(), false),
        definitions_(definitions(plan)),
        fractions_(plan) {}

  /// What fails widely may be infinite, and what is made of it, such as exp of -inf, 0. What fails at all may be NaN,
  /// of whose maximum there are none to count.
  PartialUses run() {
    for (size_t known = 0;;) {
      std::vector<PartialUse> uses = all();
      std::vector<bool> wide(plan_.values.size(), false);
      for (const PartialUse& use : uses) {
        const Instruction& i = plan_.instruction(use.use);
        if (use.wide && may_make_infinity(i)) wide[i.results[0].index()] = true;
      }
      const size_t count = uses.size() + static_cast<size_t>(std::count(wide.begin(), wide.end(), true));
      if (count == known) {
        uses = with_infinities(std::move(uses));
        return {std::move(uses), shown()};
      }
      known = count;
      signs_ = signs_of(plan_, masked_.at_all, nan_of(uses));
      strict_ = signs_of(plan_, unsure_, nan_of(uses));
      // An update that has no value has its conditions with it into the next step.
      infinite_ = reached([&](const Instruction& i) { return !i.results.empty() && wide[i.results[0].index()]; });
    }
  }

 private:
  /// A root is nan at worst, an angle a number.
  static bool may_make_infinity(const Instruction& i) { return !is_one_of<Sqrt, Atan2>(local_op(i)); }

  std::vector<bool> reached(const InstructionTest& source) const {
    return reached_from(readers_, source, {}, {}, steps_);
  }

  /// Per value whether it may hold NaN where `uses` may fail.
  std::vector<bool> nan_of(const std::vector<PartialUse>& uses) const {
    std::vector<bool> fails(plan_.instructions.size(), false);
    for (const PartialUse& use : uses) fails[use.use.index()] = true;
    std::vector<bool> nan = reached([&](const Instruction& i) { return fails[i.id.index()]; });
    for (size_t v = 0; v < nan.size(); ++v) nan[v] = nan[v] || (!masked_.only_masks && masked_.at_all[v]);
    return nan;
  }

  /// What fails on a thin set may be infinite, too, within a step: in the next one nearly everything would be.
  std::vector<PartialUse> with_infinities(std::vector<PartialUse> uses) {
    std::vector<bool> fails(plan_.instructions.size(), false);
    for (const PartialUse& use : uses) {
      fails[use.use.index()] = may_make_infinity(plan_.instruction(use.use));
    }
    infinite_ = reached([&](const Instruction& i) { return fails[i.id.index()]; });
    const size_t others = uses.size();
    for (PartialUse& more : all()) {
      const auto same = [&](const PartialUse& use) { return use.use == more.use; };
      const auto known = std::find_if(uses.begin(), uses.begin() + static_cast<std::ptrdiff_t>(others), same);
      const auto is_known = [&](const PartialArgument& argument) {
        return std::find(known->arguments.begin(), known->arguments.end(), argument) != known->arguments.end();
      };
      if (known != uses.begin() + static_cast<std::ptrdiff_t>(others)) std::erase_if(more.arguments, is_known);
      if (more.arguments.empty()) continue;
      more.wide = false;
      more.of_infinity = true;
      uses.push_back(std::move(more));
    }
    return uses;
  }

  /// Nothing of it is made of what may be infinite: infinite_ knows of all uses by now.
  std::vector<PartialArgument> shown() const {
    std::vector<PartialArgument> shown;
    for (const Instruction& i : plan_.instructions) {
      const std::optional<size_t> operand = partial_argument(i);
      if (operand && is_float(plan_.value(i.operands[*operand]).type().dtype)) add_shown(i.operands[*operand], shown);
    }
    return shown;
  }

  void add_shown(PlanValueId id, std::vector<PartialArgument>& shown) const {
    if (is_as_needed(id, Needs::inside_1, false)) shown.push_back({id, Needs::inside_1});
    for (const Needs needs : {Needs::positive, Needs::nonnegative}) {
      if (is_as_needed(id, needs, false)) return shown.push_back({id, needs});
    }
    const InstructionId made = definitions_[id.index()];
    const LocalOp* local = made.valid() ? local_op(plan_.instruction(made)) : nullptr;
    if (!is_one_of<BroadcastInDim, Reshape, Transpose, StopGradient, Reverse, Negate, Abs, Multiply, Sqrt>(local))
      return;
    for (const PlanValueId part : plan_.instruction(made).operands) add_shown(part, shown);
  }

  std::vector<PartialUse> all() const {
    std::vector<PartialUse> uses;
    for (size_t i = 0; i < plan_.instructions.size(); ++i) {
      std::optional<PartialUse> use = of(plan_.instructions[i]);
      if (!use || use->arguments.empty()) continue;
      use->use = InstructionId(i);
      uses.push_back(std::move(*use));
    }
    return uses;
  }

  std::optional<PartialUse> of(const Instruction& i) const {
    if (takes_maximum(i)) return of_maximum(i);
    if (is_one_of<Atan2>(local_op(i))) return of_angle(i);
    const std::optional<size_t> operand = partial_argument(i);
    if (!operand || !is_float(plan_.value(i.operands[*operand]).type().dtype)) return std::nullopt;
    const std::optional<Needs> needs = needs_of(i);
    if (!needs) return std::nullopt;
    PartialUse use{{}, *operand};
    add(i.operands[*operand], *needs, is_one_of<Divide, Log>(local_op(i)), use);
    return use;
  }

  /// Of nothing but -inf it is -inf, and what it is taken from is no number then.
  std::optional<PartialUse> of_maximum(const Instruction& i) const {
    const PlanValueId id = i.operands[0];
    if (!is_float(plan_.value(id).type().dtype) || !may_be_infinite(id)) return std::nullopt;
    return PartialUse{{}, 0, {{id, Needs::finite}}, true};
  }

  /// It jumps by the signs of zeros: with an operand that is 0 it is what its own arguments make it, and no formula's;
  /// but not where one of them is positive.
  std::optional<PartialUse> of_angle(const Instruction& i) const {
    for (const PlanValueId id : i.operands) {
      if (is_as_needed(id, Needs::positive, false)) return std::nullopt;
    }
    PartialUse use{{}, 0};
    for (const PlanValueId id : i.operands) {
      PartialUse parts;
      add(id, Needs::nonzero, false, parts);
      if (parts.arguments.empty()) continue;
      use.arguments.push_back({id, Needs::nonzero});  // as a whole, since factors do not tell its sign
      use.wide = use.wide || is_wide(id, Needs::nonzero, false);
    }
    return use;
  }

  std::optional<Needs> needs_of(const Instruction& i) const {
    const LocalOp* local = local_op(i);
    if (!is_one_of<Power>(local)) return needed_for(op_facts(local->op).defined);
    const std::optional<double> exponent = constant_exponent(plan_, i.operands[1]);
    if (!exponent) return Needs::positive;
    return *exponent < 0 ? std::optional(Needs::nonzero) : std::nullopt;
  }

  /// Adds what of `id` is not as needed. `seen`: a run in a ring ends where this function meets a 0.
  void add(PlanValueId id, Needs needs, bool seen, PartialUse& use) const {
    if (is_as_needed(id, needs, seen)) return;
    const InstructionId made = definitions_[id.index()];
    const LocalOp* local = made.valid() ? local_op(plan_.instruction(made)) : nullptr;
    const bool nonzero = needs == Needs::nonzero;
    const bool splits = !may_be_infinite(id) && !forgets_zero(made);  // a/b is 0 where b is infinite
    if (splits && (is_one_of<BroadcastInDim, Reshape, Transpose, StopGradient, Reverse>(local) ||
                   ((nonzero || needs == Needs::inside_1) && is_one_of<Negate, Abs>(local)) ||
                   (nonzero && is_one_of<Divide>(local)))) {
      return add(plan_.instruction(made).operands[0], needs, seen,
                 use);  // what a quotient is divided by has a use of its own
    }
    if (splits && nonzero && is_one_of<Multiply>(local)) {
      for (const PlanValueId factor : plan_.instruction(made).operands) add(factor, needs, seen, use);
      return;
    }
    if (splits && needs != Needs::nonnegative && needs <= Needs::positive && is_one_of<Sqrt>(local)) {
      return add(plan_.instruction(made).operands[0], Needs::positive, seen, use);
    }
    use.arguments.push_back({id, needs});
    use.wide = use.wide || is_wide(id, needs, seen);
  }

  /// A negation of a negation is of a zero whose sign nobody knows (core/plan/passes/write_out.h).
  bool forgets_zero(InstructionId maker) const {
    if (!maker.valid() || !is_one_of<Negate>(local_op(plan_.instruction(maker)))) return false;
    const InstructionId inner = definitions_[plan_.instruction(maker).operands[0].index()];
    return inner.valid() && is_one_of<Negate>(local_op(plan_.instruction(inner)));
  }

  /// Whether integers may say which elements of the result are infinite, or 0 for an infinity in an exponent: as
  /// predicates and indices, or as floats in what is more than a sum, an order or a choice, such as 0 times infinity.
  bool chooses_infinity(const Instruction& i) const {
    const auto has_operand = [&](const std::function<bool(PlanValueId)>& is) {
      return std::any_of(i.operands.begin(), i.operands.end(), is);
    };
    if (!has_operand([&](PlanValueId id) { return masked_.at_all[id.index()]; })) return false;
    const auto is_discrete = [&](PlanValueId id, bool in_float) {
      return discrete_[id.index()] && is_float(plan_.value(id).type().dtype) == in_float;
    };
    if (has_operand([&](PlanValueId id) { return is_discrete(id, false); })) return true;
    const bool keeps_place =
        i.operands.size() == 1 ||
        is_one_of<Add, Subtract, Maximum, Minimum, Select, Concatenate, Pad, Gather, DynamicSlice, DynamicUpdateSlice>(
            local_op(i));
    return !keeps_place && has_operand([&](PlanValueId id) { return masked_.infinite[id.index()]; }) &&
           has_operand([&](PlanValueId id) { return is_discrete(id, true); });
  }

  /// exp of -inf is 0: then an exponential is not positive by its construction. Where constants alone say what is -inf,
  /// a sum of exponentials is 0 for all inputs or for none.
  bool may_be_infinite(PlanValueId id) const { return infinite_[id.index()] || chosen_[id.index()]; }

  bool is_as_needed(PlanValueId id, Needs needs, bool seen) const {
    if (may_be_infinite(id)) return false;
    if (needs == Needs::inside_1) return fractions_.holds(id) && !unsure_[id.index()];  // tanh of -inf is -1
    const KnownSign sign = (seen ? signs_ : strict_)[id.index()];
    const KnownSign enough = seen || needs == Needs::nonnegative ? KnownSign::masked : KnownSign::positive;
    return (needs <= Needs::positive && sign >= enough) ||
           (needs == Needs::nonnegative && sign == KnownSign::nonnegative);
  }

  /// A number that is the same in every run is as needed in all of them or in none.
  bool is_wide(PlanValueId id, Needs needs, bool seen) const {
    const bool root_of_any = needs != Needs::nonzero && signs_[id.index()] == KnownSign::any;
    // What is 0 in all runs would be an assumption that never holds.
    const bool of_zero = (seen ? signs_ : strict_)[id.index()] == KnownSign::masked ||
                         (filled_[id.index()] && (needs == Needs::positive || !seen));
    return root_of_any || of_zero || needs == Needs::inside_1 || may_be_infinite(id) || discrete_[id.index()] ||
           piecewise_[id.index()] || !inputs_[id.index()];
  }

  const Plan& plan_;
  Readers readers_;
  MadeOfInfinity masked_;
  std::vector<bool> unsure_;  ///< made of what is infinite, or counts as that
  int64_t steps_;
  std::vector<KnownSign> signs_;   ///< as real numbers: a ring that has 0 for one ends with a division by it
  std::vector<KnownSign> strict_;  ///< where what counts as infinite is
  std::vector<bool> discrete_, piecewise_, inputs_;  ///< per value
  std::vector<bool> filled_;                         ///< zeros are put among it, which no logarithm has
  std::vector<bool> chosen_;                         ///< integers say where infinities are, or zeros for them
  std::vector<bool> infinite_;                       ///< made of what may be infinite
  std::vector<InstructionId> definitions_;
  Fractions fractions_;
};

}  // namespace

std::optional<size_t> partial_argument(const Instruction& instruction) {
  const LocalOp* local = local_op(instruction);
  if (local == nullptr) return std::nullopt;
  const OpFacts facts = op_facts(local->op);
  return facts.defined == DefinedWhere::everywhere ? std::nullopt : std::optional<size_t>(facts.defined_by);
}

std::vector<bool> made_of_pieces(const Plan& plan, int64_t steps) {
  const std::vector<KnownSign> signs = signs_of(plan);
  return reached_from(
      plan, [&](const Instruction& i) { return is_piecewise(plan, i, signs); }, {}, {}, steps);
}

PartialUses partial_uses(const Plan& plan, int64_t steps) { return PartialWalk(plan, steps).run(); }

std::string_view in_words(Needs needs) {
  switch (needs) {
    case Needs::nonnegative:
      return ">= 0";
    case Needs::nonzero:
      return "!= 0";
    case Needs::positive:
      return "> 0";
    case Needs::inside_1:
      return "between -1 and 1";
    case Needs::finite:
      break;
  }
  return "not -inf throughout";
}

}  // namespace isoshard::verify
