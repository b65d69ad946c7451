// Floats have two zeros, and real numbers, and so rings, one: -(z - 3) is -0 where 3 - z is +0, and 1/x tells them
// apart (docs/adr/0062-infinities-and-zeros.md). Here is found, from its construction alone, which zero a value may be.
// A value has a set of zeros, which grows until nothing changes; loops, messages and updates need no special care. What
// may have two kinds may have either sign: a state that begins as an input and is updated with sums. Sums are +0 in
// floats where one term is. Where an op has no rule it has the zeros of its operands. Costs a few walks over the Plan.
#include "verify/facts/signs/zero_sign.h"

#include <algorithm>

#include "verify/facts/fills_with_0.h"
#include "verify/facts/is_one_of.h"
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
      : plan_(plan), signs_(signs_of(plan)), zeros_(plan.values.size()), updated_(plan.globals.size()) {}

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
  bool is_positive(const Instruction& i, size_t n) const {
    return signs_[i.operands[n].index()] == KnownSign::positive;
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
    if (is_one_of<ScatterAdd>(op)) return of_sum(operand(i, 0), operand(i, 2));
    if (is_one_of<Add>(op)) return of_sum(operand(i, 0), operand(i, 1));
    if (is_one_of<Subtract>(op)) return is_positive(i, 1) ? kPlus : of_sum(operand(i, 0), kEither);
    if (is_one_of<Multiply>(op)) return of_product(i);
    if (is_one_of<Divide>(op)) return of_quotient(i);
    if (is_one_of<Maximum>(op) && (is_least(i, 0) || is_least(i, 1))) return kPlus;
    if (is_one_of<Power>(op)) return is_positive(i, 0) ? kPlus : kEither;
    if (is_one_of<Rsqrt>(op)) return operand(i, 0) == kPlus ? kPlus : kEither;  // that of -0 is -inf
    if (is_one_of<Abs, Exponential, Logistic, Log, Cosine, DotGeneral, Convolution>(op)) return kPlus;
    const Reduce* reduce = std::get_if<Reduce>(&op);
    if (reduce != nullptr && reduce->op == Reducer::add) return kPlus;
    return reduce != nullptr && reduce->op == Reducer::mul ? kEither : all(i);
  }

  /// -0 where both are.
  static Zeros of_sum(Zeros x, Zeros y) {
    if (x == kNone || y == kNone) return kNone;
    return x == kPlus || y == kPlus ? kPlus : kEither;
  }

  Zeros of_product(const Instruction& i) const {
    if (i.operands[0] == i.operands[1]) return kPlus;
    if (is_positive(i, 0)) return operand(i, 1);
    return is_positive(i, 1) ? operand(i, 0) : kEither;
  }

  /// What is not 0 is so over an infinity only, which has the sign of a zero where that is one of an inverse.
  Zeros of_quotient(const Instruction& i) const {
    if (!is_positive(i, 1)) return kEither;
    return is_positive(i, 0) ? operand(i, 1) : operand(i, 0);
  }

  const Plan& plan_;
  std::vector<KnownSign> signs_;
  std::vector<Zeros> zeros_;
  std::vector<Zeros> updated_;  ///< per global, what it is after a step
  bool changed_ = false;
};

}  // namespace

std::vector<ZeroSign> zero_signs_of(const Plan& plan) { return ZeroWalk(plan).run(); }

}  // namespace isoshard::verify
