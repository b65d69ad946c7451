// Floats have two zeros, and real numbers, and so rings, one: -(z - 3) is -0 where 3 - z is +0, and 1/x tells them
// apart (docs/adr/0062-infinities-and-zeros.md). Here is found, from its construction alone, which zero a value may be.
// A value has a set of zeros, which grows until nothing changes; loops, messages and updates need no special care. What
// may have two kinds may have either sign: a state that begins as an input and is updated with sums. Sums are +0 in
// floats where one term is. Maxima and minima of inputs have zeros of inputs, since -0 < +0 there: formulas of them
// that are equal for all numbers are so for both zeros, too. What a comparison, a place or an order chooses is not,
// since it takes both zeros for equal. Exponentials are positive only where no infinity may be their exponent. Where an
// op has no rule it has the zeros of its operands. Costs a few walks over the Plan.
#include "verify/facts/signs/zero_sign.h"

#include <algorithm>

#include "core/value/tensor.h"
#include "verify/facts/fills_with_0.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/reach.h"
#include "verify/facts/renamings.h"
#include "verify/facts/signs/positive.h"

namespace isoshard::verify {
namespace {

/// What zeros a value may have, as bits.
using Zeros = uint8_t;
constexpr Zeros kNone = 0, kPlus = 1, kOfInput = 2, kEither = 4;

class ZeroWalk {
 public:
  explicit ZeroWalk(const Plan& plan)
      : plan_(plan),
        signs_(signs_of(plan)),
        infinite_(reached_from(
            plan, [this](const Instruction& i) { return makes_infinity(i); },
            [](const TensorType& type) { return is_float(type.dtype); })),
        decided_(reached_from(
            plan, [this](const Instruction& i) { return decides(i); },
            [](const TensorType& type) { return !is_float(type.dtype); })),
        zeros_(plan.values.size()),
        updated_(plan.globals.size()) {}

  std::vector<ZeroSign> run() {
    const std::vector<Renaming> renamed = renamings(plan_);
    do {
      changed_ = false;
      for (const Instruction& i : plan_.instructions) {
        const Zeros zero = of(i);
        for (const PlanValueId id : i.results) raise(id, zero);
        if (const StoreBlock* store = std::get_if<StoreBlock>(&i.data())) update(*store, zero);
      }
      for (const Renaming& r : renamed) raise(r.to, zeros_[r.from.index()]);
    } while (changed_);
    std::vector<ZeroSign> signs;
    for (const Zeros zeros : zeros_) {
      const bool is_plus = zeros == kPlus || zeros == kNone;
      signs.push_back(is_plus ? ZeroSign::plus : zeros == kOfInput ? ZeroSign::of_input : ZeroSign::either);
    }
    return signs;
  }

 private:
  Zeros operand(const Instruction& i, size_t n) const { return zeros_[i.operands[n].index()]; }
  /// A number above 0, and no infinity or what comes of one, such as e^-inf.
  bool is_positive(const Instruction& i, size_t n) const {
    return signs_[i.operands[n].index()] == KnownSign::positive && !infinite_[i.operands[n].index()];
  }

  bool is_float_operand(const Instruction& i, size_t n) const {
    return is_float(plan_.value(i.operands[n]).type().dtype);
  }

  /// Whether a result may be infinite though no operand is.
  bool makes_infinity(const Instruction& i) const {
    const LocalOp* local = local_op(i);
    if (local == nullptr) return false;
    if (const Constant* constant = std::get_if<Constant>(&local->op)) return !constant->value.finite();
    const auto may_be_0 = [&](size_t n) { return signs_[i.operands[n].index()] != KnownSign::positive; };
    if (is_one_of<Divide>(local)) return is_float_operand(i, 1) && may_be_0(1);
    if (is_one_of<Log, Rsqrt, Power>(local)) return may_be_0(0);
    const Reduce* reduce = std::get_if<Reduce>(&local->op);
    const bool may_be_empty = reduce != nullptr && (reduce->op == Reducer::max || reduce->op == Reducer::min);
    return is_one_of<LogPlusOne, ErfInv>(local) ||
           (may_be_empty && element_count(plan_.value(i.operands[0]).type().shape) == 0);
  }

  /// Whether integers and predicates tell floats apart, +0 and -0 not.
  bool decides(const Instruction& i) const {
    return is_one_of<Compare, TopK, Reduce, Convert>(local_op(i)) && is_float_operand(i, 0);
  }

  /// Whether comparisons have chosen the element.
  bool is_decided(const Instruction& i) const {
    return std::any_of(i.operands.begin(), i.operands.end(), [&](PlanValueId id) { return decided_[id.index()]; });
  }

  /// Whether an operand is never below +0, which is above -0 (core/ir/scalar/order.h).
  bool is_least(const Instruction& i, size_t n) const {
    return signs_[i.operands[n].index()] != KnownSign::any && operand(i, n) == kPlus;
  }

  void raise(PlanValueId id, Zeros zeros) {
    if (is_float(plan_.value(id).type().dtype)) raise(zeros_[id.index()], zeros);
  }
  void raise(Zeros& known, Zeros zeros) {
    changed_ = changed_ || (zeros & ~known) != 0;
    known |= zeros;
  }

  void update(const StoreBlock& store, Zeros zero) {
    const GlobalId global = plan_.outputs[store.output].updates;
    if (global.valid()) raise(updated_[global.index()], zero);
  }

  /// Of what is moved, joined or chosen.
  Zeros all(const Instruction& i) const {
    Zeros zeros = kNone;
    for (const PlanValueId id : i.operands) zeros |= zeros_[id.index()];
    return zeros;
  }

  Zeros of(const Instruction& i) const {
    if (const LoadBlock* load = std::get_if<LoadBlock>(&i.data())) return kOfInput | updated_[load->global.index()];
    const LocalOp* local = local_op(i);
    if (local == nullptr) return of_movement(i);
    const bool has_float = std::any_of(i.operands.begin(), i.operands.end(),
                                       [&](PlanValueId id) { return is_float(plan_.value(id).type().dtype); });
    return has_float ? of(local->op, i) : kPlus;  // a constant, or made of integers
  }

  Zeros of_movement(const Instruction& i) const {
    const Collective* collective = std::get_if<Collective>(&i.data());
    const bool adds = collective != nullptr && (collective->kind == CollectiveKind::all_reduce ||
                                                collective->kind == CollectiveKind::reduce_scatter);
    if (adds) return of_sum(all(i), all(i));
    return static_cast<Zeros>(all(i) | (fills_with_0(plan_, i) ? kPlus : kNone));
  }

  Zeros of(const OpData& op, const Instruction& i) const {
    if (is_one_of<Negate, Remainder, RoundNearestEven, RoundNearestAfz, Ceil, Atan2>(op)) return kEither;
    if (is_one_of<Cumsum, Floor>(op)) return all(i) == kPlus ? kPlus : kEither;
    if (is_one_of<ScatterAdd>(op)) return operand(i, 0) | of_sum(operand(i, 0), operand(i, 2));  // rows that it adds to
    if (is_one_of<Add>(op)) return of_sum(operand(i, 0), operand(i, 1));
    if (is_one_of<Subtract>(op)) return is_positive(i, 1) ? kPlus : of_sum(operand(i, 0), kEither);
    if (is_one_of<Multiply>(op)) return of_product(i);
    if (is_one_of<Divide>(op)) return of_quotient(i);
    if (is_one_of<Maximum>(op) && (is_least(i, 0) || is_least(i, 1))) return kPlus;
    if (is_one_of<Power>(op)) return is_positive(i, 0) || is_least(i, 0) ? kPlus : kEither;
    if (is_one_of<Rsqrt>(op)) return operand(i, 0) == kPlus ? kPlus : kEither;  // that of -0 is -inf
    if (is_one_of<Abs, Exponential, Logistic, Log, Cosine, DotGeneral, Convolution>(op)) return kPlus;
    if (is_one_of<TopK>(op) || is_decided(i)) return all(i) == kPlus ? kPlus : kEither;
    const Reduce* reduce = std::get_if<Reduce>(&op);
    if (reduce == nullptr || reduce->op == Reducer::max || reduce->op == Reducer::min) return all(i);
    return reduce->op == Reducer::add || all(i) == kPlus ? kPlus : kEither;
  }

  /// -0 where both are.
  static Zeros of_sum(Zeros x, Zeros y) {
    if (x == kNone || y == kNone) return kNone;
    return x == kPlus || y == kPlus ? kPlus : kEither;
  }

  Zeros of_product(const Instruction& i) const {
    if (i.operands[0] == i.operands[1]) return kPlus;
    if (is_positive(i, 0)) return operand(i, 1);
    if (is_positive(i, 1)) return operand(i, 0);
    return is_least(i, 0) && is_least(i, 1) ? kPlus : kEither;
  }

  /// What is not 0 is so over an infinity only, which has the sign of a zero where that is one of an inverse.
  Zeros of_quotient(const Instruction& i) const {
    if (is_positive(i, 1)) return is_positive(i, 0) ? operand(i, 1) : operand(i, 0);
    return is_least(i, 0) && is_least(i, 1) ? kPlus : kEither;
  }

  const Plan& plan_;
  std::vector<KnownSign> signs_;
  std::vector<bool> infinite_;  ///< may be infinite, or made of what may be
  std::vector<bool> decided_;   ///< integers and predicates that hang on comparisons of floats
  std::vector<Zeros> zeros_;
  std::vector<Zeros> updated_;  ///< per global, what it is after a step
  bool changed_ = false;
};

}  // namespace

std::vector<ZeroSign> zero_signs_of(const Plan& plan) { return ZeroWalk(plan).run(); }

}  // namespace isoshard::verify
