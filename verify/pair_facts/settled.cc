// Masks of constants say once for all which exponentials are 0: a causal mask of -inf leaves in each row of each block
// what it leaves for all inputs, and so a sum of such exponentials is 0 for all inputs or for none. Everything is taken
// to be settled so, and what an instruction does not keep is lowered until nothing changes, as signs are (positive.h).
// What no input changes is settled, too, where f64 has it as it is: a sine of 3 is rounded, and its run says nothing.
// A value is finite for all inputs, or it is settled which elements of it are infinite (of which sign) or no number, or
// which are 0, too; a predicate or an integer is settled where it is the same for all inputs. `where(isfinite(m), m,
// 0)` is finite where m is -inf at worst, whatever makes it so. An op without a rule settles nothing: EQUAL may rest on
// what is said here, so every rule must hold for all real inputs. Cost: that of signs.
#include "verify/pair_facts/settled.h"

#include <algorithm>
#include <optional>

#include "core/support/rational.h"
#include "verify/compare/inputs.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/padded_dim.h"
#include "verify/facts/producers.h"
#include "verify/facts/reach.h"
#include "verify/facts/renamings.h"
#include "verify/facts/signs/positive.h"
#include "verify/pair_facts/infinities.h"

namespace isoshard::verify {
namespace {

/// What is known of a value for all inputs; `infinite`: which elements are infinite or no number; `low`: each is a
/// number or -inf.
struct Settled {
  bool finite = true, infinite = true, zeros = true, low = true;

  Settled operator&(const Settled& o) const {
    return {finite && o.finite, infinite && o.infinite, zeros && o.zeros, low && o.low};
  }
  bool operator==(const Settled&) const = default;
};
constexpr Settled kUnsettled{false, false, false, false};

class SettledWalk {
 public:
  /// `infinite`: what may be -inf, of which an exponential is 0.
  SettledWalk(const Plan& plan, const std::vector<bool>& infinite)
      : plan_(plan),
        signs_(signs_of(plan, infinite)),
        varies_(reached_from(plan, [this](const Instruction& i) { return varies_or_rounds(i); })),
        made_(definitions(plan)),
        settled_(plan.values.size()) {}

  SettledZeros run() {
    const std::vector<Renaming> renamed = renamings(plan_);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Instruction& i : plan_.instructions) {
        const Settled now = of(i);
        for (const PlanValueId id : i.results) changed |= lower(id, now);
      }
      for (const Renaming& r : renamed) changed |= lower(r.to, at(r.from));
    }
    SettledZeros result;
    for (const Settled& s : settled_) {
      result.zeros.push_back(s.zeros);
      result.infinite.push_back(s.infinite);
      result.finite.push_back(s.finite);
      result.low.push_back(s.low);
    }
    for (const KnownSign sign : signs_) result.not_negative.push_back(sign >= KnownSign::nonnegative);
    return result;
  }

 private:
  const Settled& at(PlanValueId id) const { return settled_[id.index()]; }
  const Settled& operand(const Instruction& i, size_t n) const { return at(i.operands[n]); }
  bool floats(PlanValueId id) const { return is_float(plan_.value(id).type().dtype); }
  bool not_negative(PlanValueId id) const { return signs_[id.index()] >= KnownSign::nonnegative; }

  bool lower(PlanValueId id, const Settled& now) {
    Settled both = at(id) & now;
    const bool positive = both.finite && floats(id) && signs_[id.index()] == KnownSign::positive;
    both.zeros = positive || (both.zeros && both.infinite);
    if (both == at(id)) return false;
    settled_[id.index()] = both;
    return true;
  }

  Settled least(const Instruction& i, size_t first = 0) const {
    Settled all;
    for (size_t n = first; n < i.operands.size(); ++n) all = all & operand(i, n);
    return all;
  }

  /// Of what some input changes: a number of which nothing else is known, if it is `finite`.
  static Settled number(bool finite) { return {finite, finite, false, finite}; }

  Settled of(const Instruction& i) const {
    if (const LoadBlock* load = std::get_if<LoadBlock>(&i.data())) return loaded(*load, i);
    if (const LocalOp* local = local_op(i)) return of(*local, i);
    if (const Collective* collective = std::get_if<Collective>(&i.data())) return of(*collective, i);
    if (const TakeBlock* take = std::get_if<TakeBlock>(&i.data())) return taken(*take, i);
    const bool moves = std::holds_alternative<PutBlock>(i.data()) || std::holds_alternative<KeepOn>(i.data()) ||
                       std::holds_alternative<Permute>(i.data()) || std::holds_alternative<ScalarIndex>(i.data());
    return moves ? least(i) : kUnsettled;
  }

  Settled taken(const TakeBlock& take, const Instruction& i) const {
    const bool padded = plan_.value(i.operands[0]).type().shape[static_cast<size_t>(take.dim)] % take.count != 0;
    return padded ? kUnsettled : least(i);
  }

  /// Padding may be anything.
  Settled loaded(const LoadBlock& load, const Instruction& i) const {
    const std::optional<Rational> exact = exact_value(plan_.globals[load.global.index()]);
    if (exact && !exact->finite()) return kUnsettled;
    const bool padded = padded_dim(load, plan_.globals[load.global.index()].type.shape) >= 0;
    return number(!padded && floats(i.results[0]));
  }

  Settled of(const Collective& collective, const Instruction& i) const {
    const bool adds =
        collective.kind == CollectiveKind::all_reduce || collective.kind == CollectiveKind::reduce_scatter;
    return adds ? sum(i) : extreme_or_moved(i);
  }

  /// Inputs, and what f64 may have otherwise than real numbers are: the sine of 3, a third.
  bool varies_or_rounds(const Instruction& i) const {
    if (std::holds_alternative<LoadBlock>(i.data())) return true;
    const LocalOp* local = local_op(i);
    const auto is_float_value = [&](PlanValueId id) { return floats(id); };
    const bool of_floats = std::any_of(i.operands.begin(), i.operands.end(), is_float_value) ||
                           std::any_of(i.results.begin(), i.results.end(), is_float_value);
    if (local == nullptr || !of_floats) return false;
    if (const Constant* constant = std::get_if<Constant>(&local->op)) {
      return constant->value.finite() && !is_whole_in_f64(constant->value);
    }
    if (is_one_of<Convert>(local)) return has_64_bits(plan_.value(i.operands[0]).type().dtype);
    return op_facts(local->op).kind != OpClass::movement &&
           !is_one_of<Iota, Select, Compare, IsFinite, Negate, Abs, Maximum, Minimum>(local);
  }
  static bool is_whole_in_f64(const Rational& value) {
    return value.is_integer() && Rational::from_double(value.to_double()) == value;
  }
  static bool has_64_bits(DType dtype) { return dtype == DType::i64 || dtype == DType::u64; }

  /// What no input changes, and is exact, is settled, whatever it is.
  Settled of(const LocalOp& local, const Instruction& i) const {
    Settled now = by_rule(local, i);
    const auto varies = [&](PlanValueId id) { return varies_[id.index()]; };
    const bool rounds = std::any_of(i.results.begin(), i.results.end(), varies);
    if (!rounds && std::none_of(i.operands.begin(), i.operands.end(), varies)) now.infinite = now.zeros = true;
    return now;
  }

  Settled by_rule(const LocalOp& local, const Instruction& i) const {
    if (const Constant* constant = std::get_if<Constant>(&local.op)) return of_constant(constant->value);
    if (is_one_of<Iota>(local.op)) return number(true);
    if (!floats(i.results[0])) return discrete(local, i);
    if (is_one_of<Exponential>(local.op)) return exponential(operand(i, 0));
    if (is_one_of<Add>(local.op)) return sum(i);
    if (is_one_of<Subtract>(local.op)) return difference(i);
    if (is_one_of<Multiply, DotGeneral>(local.op)) return product(i);
    if (is_one_of<Divide>(local.op)) return quotient(i);
    if (is_one_of<Log>(local.op)) return logarithm(i);
    if (is_one_of<Maximum>(local.op)) return larger(i);
    if (is_one_of<Minimum>(local.op)) return sum(i);
    if (const Reduce* reduce = std::get_if<Reduce>(&local.op)) return reduced(*reduce, i);
    if (is_one_of<Cumsum>(local.op)) return extreme(i.operands[0]);
    if (is_one_of<Select>(local.op)) return chosen(i);
    if (is_one_of<Negate, Abs>(local.op)) return turned(i);
    if (is_one_of<Convert>(local.op)) return converted(i);
    if (op_facts(local.op).kind == OpClass::movement) return least(i);
    if (is_one_of<DynamicSlice, Gather, DynamicUpdateSlice>(local.op)) return picked(i);
    return number(is_defined(local, i) && least(i).finite);
  }

  /// Predicates and integers: those that ask of floats whether they are infinite or no numbers, and what is made of
  /// settled ones.
  Settled discrete(const LocalOp& local, const Instruction& i) const {
    const bool asks = is_one_of<IsFinite>(local.op) || (is_one_of<Compare>(local.op) && asks_of_infinity(i));
    const bool made_of_settled =
        std::all_of(i.operands.begin(), i.operands.end(), [&](PlanValueId id) { return !floats(id) && at(id).zeros; });
    const bool settled = asks ? operand(i, 0).infinite && operand(i, i.operands.size() - 1).infinite : made_of_settled;
    return {false, settled, settled, false};
  }

  /// x = -inf, or x != x.
  bool asks_of_infinity(const Instruction& i) const {
    if (!floats(i.operands[0])) return false;
    if (i.operands[0] == i.operands[1]) return true;
    return is_infinity(i.operands[1]) || is_infinity(i.operands[0]);
  }
  bool is_infinity(PlanValueId id) const {
    const std::optional<Rational> value = number_of(plan_, made_, id);
    return value && !value->finite() && !value->is_nan();
  }
  bool is_minus_infinity(PlanValueId id) const { return is_infinity(id) && number_of(plan_, made_, id)->negative(); }

  static Settled of_constant(const Rational& value) {
    Settled known = number(value.finite());
    known.low = value.finite() || (!value.is_nan() && value.negative());
    return known;
  }

  /// Of -inf it is 0.
  static Settled exponential(const Settled& of) { return {of.low, of.low || of.infinite, of.infinite, of.low}; }

  Settled difference(const Instruction& i) const {
    Settled both = least(i);
    both.zeros = false;
    both.low = operand(i, 0).low && operand(i, 1).finite;
    return both;
  }
  Settled turned(const Instruction& i) const {
    Settled x = operand(i, 0);
    x.low = x.finite;
    return x;
  }

  /// A sum of what is not negative is 0 where all of it is.
  Settled sum(const Instruction& i) const {
    Settled all = least(i);
    for (const PlanValueId id : i.operands) all.zeros = all.zeros && not_negative(id);
    return all;
  }

  /// Infinity times a number is infinity of a sign, and of 0 none.
  Settled product(const Instruction& i) const {
    const Settled all = least(i);
    const bool signs = not_negative(i.operands[0]) && not_negative(i.operands[1]);
    const bool zeros = all.zeros && signs;
    return {all.finite, all.finite || zeros, zeros, all.finite || scales_low(i)};
  }
  /// -inf times a positive number is -inf.
  bool scales_low(const Instruction& i) const {
    const auto is_scale = [&](size_t n) {
      return operand(i, n).finite && signs_[i.operands[n].index()] == KnownSign::positive && operand(i, 1 - n).low;
    };
    return op_of<Multiply>(i) != nullptr && (is_scale(0) || is_scale(1));
  }

  Settled quotient(const Instruction& i) const {
    const Settled &above = operand(i, 0), &below = operand(i, 1);
    const bool defined = below.finite && signs_[i.operands[1].index()] == KnownSign::positive;
    return {defined && above.finite, defined && above.infinite, defined && above.zeros, defined && above.low};
  }

  /// Of 0 it is -inf.
  Settled logarithm(const Instruction& i) const {
    const PlanValueId x = i.operands[0];
    const bool finite = at(x).finite && signs_[x.index()] == KnownSign::positive;
    return {finite, finite || (at(x).zeros && not_negative(x)), false, at(x).finite && not_negative(x)};
  }

  /// The larger of a number and of what is -inf at worst is a number.
  Settled larger(const Instruction& i) const {
    Settled both = sum(i);
    both.finite = both.low && (operand(i, 0).finite || operand(i, 1).finite);
    both.infinite = both.infinite || both.finite;
    return both;
  }

  /// The larger of two is 0 where both are, if none is negative.
  Settled extreme_or_moved(const Instruction& i) const {
    return i.operands.size() > 1 ? sum(i) : extreme(i.operands[0]);
  }
  Settled extreme(PlanValueId x) const {
    Settled of = at(x);
    of.zeros = of.zeros && not_negative(x);
    return of;
  }

  Settled reduced(const Reduce& reduce, const Instruction& i) const {
    const bool known = reduce.op == Reducer::add || reduce.op == Reducer::max || reduce.op == Reducer::min;
    const bool empty = element_count(plan_.value(i.operands[0]).type().shape) == 0;
    return known && !empty ? extreme(i.operands[0]) : kUnsettled;
  }

  Settled chosen(const Instruction& i) const {
    Settled yes = operand(i, 1), no = operand(i, 2);
    if (is_number_where(i.operands[0], i.operands[1], true)) yes = as_number(yes);
    if (is_number_where(i.operands[0], i.operands[2], false)) no = as_number(no);
    const Settled both = yes & no;
    if (operand(i, 0).zeros) return both;
    return {both.finite, both.finite, false, both.low};
  }
  /// Where it is chosen; zeros are what they were.
  static Settled as_number(Settled s) { return {true, true, s.zeros, true}; }

  /// Whether `asked` says where it is `holds` that x, which is no number at worst where it is -inf, is one.
  bool is_number_where(PlanValueId asked, PlanValueId x, bool holds) const {
    const InstructionId made = made_[asked.index()];
    if (!made.valid() || !at(x).low) return false;
    const Instruction& i = plan_.instruction(made);
    if (op_of<Not>(i) != nullptr) return is_number_where(i.operands[0], x, !holds);
    if (op_of<And>(i) != nullptr && !holds && is_itself(i.operands[1], x))
      return is_number_where(i.operands[0], x, false);
    if (i.operands.empty() || i.operands[0] != x) return false;
    if (op_of<IsFinite>(i) != nullptr) return holds;
    const Compare* compare = op_of<Compare>(i);
    if (compare == nullptr || !is_minus_infinity(i.operands[1])) return false;
    const Direction says = compare->direction;
    return holds ? says == Direction::ne || says == Direction::gt : says == Direction::eq || says == Direction::le;
  }

  /// Whether `asked` is `x == x`, which holds of -inf, too.
  bool is_itself(PlanValueId asked, PlanValueId x) const {
    const InstructionId made = made_[asked.index()];
    if (!made.valid()) return false;
    const Instruction& i = plan_.instruction(made);
    const Compare* compare = op_of<Compare>(i);
    return compare != nullptr && compare->direction == Direction::eq && i.operands[0] == x && i.operands[1] == x;
  }

  Settled converted(const Instruction& i) const {
    Settled x = operand(i, 0);
    if (!floats(i.operands[0])) return {true, true, x.zeros, true};
    if (!has_infinity(plan_.value(i.results[0]).type().dtype)) x.low = x.finite;
    return x;
  }

  /// At indices that are the same for all inputs, or of what is finite everywhere.
  Settled picked(const Instruction& i) const {
    Settled all;
    bool fixed = true;
    for (const PlanValueId id : i.operands) {
      if (floats(id)) all = all & at(id);
      if (!floats(id)) fixed = fixed && at(id).zeros;
    }
    return fixed ? all : Settled{all.finite, all.finite, false, all.low};
  }

  bool is_defined(const LocalOp& local, const Instruction& i) const {
    const OpFacts facts = op_facts(local.op);
    if (facts.kind != OpClass::function) return false;
    if (facts.defined == DefinedWhere::everywhere) return true;
    const KnownSign sign = signs_[i.operands[facts.defined_by].index()];
    if (facts.defined == DefinedWhere::nonnegative) return sign >= KnownSign::nonnegative;
    return facts.defined != DefinedWhere::inside_1 && sign == KnownSign::positive;
  }

  const Plan& plan_;
  const std::vector<KnownSign> signs_;
  const std::vector<bool> varies_;         ///< made of inputs, or of what rounds
  const std::vector<InstructionId> made_;  ///< per value the instruction that makes it
  std::vector<Settled> settled_;
};

}  // namespace

/// Signs and infinities rest on each other: log t is -inf where t is 0, and exp(log t) is not positive then.
SettledZeros settled_zeros(const Plan& plan) {
  std::vector<bool> infinite = made_of_infinity(plan, 1).at_all;
  for (;;) {
    SettledZeros result = SettledWalk(plan, infinite).run();
    bool changed = false;
    for (size_t v = 0; v < infinite.size(); ++v) {
      const bool now = infinite[v] || !result.finite[v];
      changed = changed || now != infinite[v];
      infinite[v] = now;
    }
    if (!changed) return result;
  }
}

}  // namespace isoshard::verify
