// The signs of values that their construction shows for all inputs: exponentials are positive, squares are not
// negative, sums of such stay so. Everything is assumed positive, and what an instruction does not keep so is lowered
// until nothing changes. That is the greatest fixpoint, so a value that a loop hands on is positive when it begins so
// and the body keeps it so. Signs only fall, three steps each, so that takes few rounds; loops need no special care. An
// op without a rule gives no sign: EQUAL may rest on what is called positive here, so every rule must hold for all real
// inputs.
#include "verify/facts/signs/positive.h"

#include <algorithm>

#include "core/plan/exchanges.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/producers.h"
#include "verify/facts/renamings.h"
#include "verify/facts/signs/fraction.h"
#include "verify/facts/signs/intervals.h"
#include "verify/facts/signs/maximum_counts.h"
#include "verify/facts/signs/written_rows.h"

namespace isoshard::verify {
namespace {

class SignWalk {
 public:
  SignWalk(const Plan& plan, const std::vector<bool>& infinite, const std::optional<std::vector<bool>>& nan)
      : plan_(plan),
        infinite_(infinite),
        exchanges_(plan),
        fractions_(plan),
        intervals_(plan),
        made_(definitions(plan)),
        counts_(plan.instructions.size()),
        signs_(plan.values.size(), KnownSign::positive) {
    if (nan) find_counts(*nan);
  }

  std::vector<KnownSign> run() {
    const std::vector<Renaming> renamed = handed_on();
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t n = 0; n < plan_.instructions.size(); ++n) {
        const Instruction& i = plan_.instructions[n];
        const bool received =
            std::holds_alternative<Recv>(i.data()) && !exchanges_.brought_to(InstructionId(n)).empty();
        const KnownSign sign = received || counts_[n] ? KnownSign::positive : of(i);  // lowered with what is sent
        for (const PlanValueId id : i.results) changed |= lower(id, std::max(sign, by_bounds(id)));
      }
      for (const Renaming& r : renamed) changed |= lower(r.to, at(r.from));
    }
    return std::move(signs_);
  }

 private:
  KnownSign by_bounds(PlanValueId id) const {
    const std::optional<Interval>& bounds = intervals_.at(id);
    if (!bounds || bounds->low < 0 || !is_float(plan_.value(id).type().dtype)) return KnownSign::any;
    return bounds->low > 0 ? KnownSign::positive : KnownSign::nonnegative;
  }

  void find_counts(const std::vector<bool>& nan) {
    const MaximumCounts counts(plan_);
    for (size_t i = 0; i < counts_.size(); ++i) {
      const std::optional<PlanValueId> counted = counts.counted()[i];
      counts_[i] = counted && !nan[counted->index()];
    }
  }

  /// What a loop writes row by row has nothing left of what it was before.
  std::vector<Renaming> handed_on() const {
    const std::vector<Renaming> written = written_rows(plan_);
    std::vector<Renaming> result = renamings(plan_);
    std::erase_if(result, [&](const Renaming& r) {
      return std::any_of(written.begin(), written.end(), [&](const Renaming& row) { return row.to == r.to; });
    });
    result.insert(result.end(), written.begin(), written.end());
    return result;
  }

  KnownSign at(PlanValueId id) const { return signs_[id.index()]; }
  KnownSign operand(const Instruction& i, size_t n) const { return at(i.operands[n]); }

  bool lower(PlanValueId id, KnownSign sign) {
    if (at(id) <= sign) return false;
    signs_[id.index()] = sign;
    return true;
  }

  /// The least of all operands from `first` on.
  KnownSign least(const Instruction& i, size_t first = 0) const {
    KnownSign sign = KnownSign::positive;
    for (size_t n = first; n < i.operands.size(); ++n) sign = std::min(sign, operand(i, n));
    return sign;
  }

  static KnownSign of_number(const Rational& x) {
    if (x.is_nan() || x.negative()) return KnownSign::any;
    return x.is_zero() ? KnownSign::nonnegative : KnownSign::positive;
  }

  KnownSign of(const Instruction& i) const {
    if (const LocalOp* local = std::get_if<LocalOp>(&i.data())) return of(*local, i);
    if (const Collective* c = std::get_if<Collective>(&i.data())) {
      const bool orders = c->kind == CollectiveKind::all_reduce_max || c->kind == CollectiveKind::all_reduce_min;
      return orders ? in_order(least(i)) : least(i);
    }
    if (std::holds_alternative<TakeBlock>(i.data())) return least(i);
    const bool fills_with_0 = std::holds_alternative<PutBlock>(i.data()) || std::holds_alternative<KeepOn>(i.data()) ||
                              std::holds_alternative<Permute>(i.data());
    return fills_with_0 ? std::min(least(i), KnownSign::nonnegative) : KnownSign::any;
  }

  KnownSign of(const LocalOp& local, const Instruction& i) const {
    if (const Constant* constant = std::get_if<Constant>(&local.op)) return of_number(constant->value);
    if (is_one_of<Exponential, Logistic>(local.op)) return unless_masked(i.operands[0]);
    if (is_one_of<Abs>(local.op)) return std::max(operand(i, 0), KnownSign::nonnegative);
    if (is_one_of<Sqrt>(local.op)) return std::max(operand(i, 0), KnownSign::nonnegative);
    if (is_one_of<Rsqrt>(local.op)) return KnownSign::positive;
    if (is_one_of<Maximum>(local.op)) return larger(operand(i, 0), operand(i, 1));
    if (is_one_of<Select>(local.op)) return chosen(i);
    if (fractions_.leave_rest(i)) return unless_masked(i.results[0]);
    if (is_one_of<Add>(local.op)) return sum(operand(i, 0), operand(i, 1));
    if (is_one_of<Multiply, DotGeneral>(local.op)) return product(local, i);
    if (is_one_of<Divide>(local.op)) return operand(i, 1) >= KnownSign::masked ? operand(i, 0) : KnownSign::any;
    if (const Reduce* reduce = std::get_if<Reduce>(&local.op)) return reduced(*reduce, i);
    if (is_one_of<Minimum>(local.op)) return in_order(least(i));
    if (op_facts(local.op).kind == OpClass::movement || is_one_of<Cumsum>(local.op)) return least(i);
    if (is_one_of<TopK>(local.op)) return in_order(operand(i, 0));
    if (is_one_of<DynamicSlice, Gather>(local.op)) return operand(i, 0);
    if (is_one_of<DynamicUpdateSlice>(local.op)) return std::min(operand(i, 0), operand(i, 1));
    return is_one_of<Convert>(local.op) ? converted(i) : KnownSign::any;
  }

  /// Predicates and unsigned integers are never negative.
  KnownSign converted(const Instruction& i) const {
    const DType from = plan_.value(i.operands[0]).type().dtype, to = plan_.value(i.results[0]).type().dtype;
    if (!is_float(to)) return KnownSign::any;
    if (from == DType::pred || is_unsigned(from)) return KnownSign::nonnegative;
    return is_float(from) ? operand(i, 0) : KnownSign::any;
  }

  KnownSign unless_masked(PlanValueId id) const {
    return !infinite_.empty() && infinite_[id.index()] ? KnownSign::masked : KnownSign::positive;
  }

  /// One positive term is enough where no other one is negative; of one that may be masked the others say whether it is
  /// 0 then.
  static KnownSign sum(KnownSign a, KnownSign b) {
    if (std::min(a, b) == KnownSign::any) return KnownSign::any;
    if (std::max(a, b) == KnownSign::positive || a == b) return std::max(a, b);
    return KnownSign::nonnegative;
  }

  /// x where it is not 0, and a positive number where it is, is positive where x is not negative; with `x > 0` x may be
  /// anything.
  KnownSign chosen(const Instruction& i) const {
    const InstructionId made = made_[i.operands[0].index()];
    if (!made.valid()) return least(i, 1);
    const Instruction& asked = plan_.instruction(made);
    const Compare* compare = op_of<Compare>(asked);
    if (compare == nullptr || number_of(plan_, made_, asked.operands[1]) != std::optional(Rational(0))) {
      return least(i, 1);
    }
    const Direction says = compare->direction;
    const bool above_0 = says == Direction::ne || says == Direction::gt;
    const bool is_guard = (above_0 || says == Direction::eq || says == Direction::le) &&
                          i.operands[above_0 ? 1 : 2] == asked.operands[0] &&
                          operand(i, above_0 ? 2 : 1) == KnownSign::positive;
    if (!is_guard) return least(i, 1);
    const bool whole = says == Direction::gt || says == Direction::le;
    return whole || at(asked.operands[0]) >= KnownSign::nonnegative ? KnownSign::positive : KnownSign::any;
  }

  static KnownSign larger(KnownSign a, KnownSign b) { return in_order(std::max(a, b)); }

  /// What an order chooses is a name to a ring, in which a 0 is not seen.
  static KnownSign in_order(KnownSign chosen) { return chosen == KnownSign::masked ? KnownSign::nonnegative : chosen; }

  /// A square is not negative.
  KnownSign product(const LocalOp& local, const Instruction& i) const {
    const KnownSign sign = std::min(operand(i, 0), operand(i, 1));
    const bool square = is_one_of<Multiply>(local.op) && i.operands[0] == i.operands[1];
    if (square) return std::max(sign, KnownSign::nonnegative);
    const bool terms = is_one_of<Multiply>(local.op) || element_count(plan_.value(i.operands[0]).type().shape) > 0;
    return terms ? sign : std::min(sign, KnownSign::nonnegative);
  }

  KnownSign reduced(const Reduce& reduce, const Instruction& i) const {
    const bool empty = element_count(plan_.value(i.operands[0]).type().shape) == 0;
    if (empty) return reduce.op == Reducer::add ? KnownSign::nonnegative : KnownSign::any;
    return reduce.op == Reducer::add ? operand(i, 0) : in_order(operand(i, 0));
  }

  const Plan& plan_;
  const std::vector<bool>& infinite_;
  const Exchanges exchanges_;
  const Fractions fractions_;
  const Intervals intervals_;
  const std::vector<InstructionId> made_;  ///< per value the instruction that makes it
  std::vector<bool> counts_;               ///< per instruction
  std::vector<KnownSign> signs_;
};

}  // namespace

std::vector<KnownSign> signs_of(const Plan& plan, const std::vector<bool>& infinite,
                                const std::optional<std::vector<bool>>& nan) {
  return SignWalk(plan, infinite, nan).run();
}

}  // namespace isoshard::verify
