// Floats have two zeros, and real numbers, and so rings, one: -(z - 3) is -0 where 3 - z is +0, and 1/x tells them
// apart (docs/adr/0062-infinities-and-zeros.md). Here is found, from its construction alone, which zero a value may be.
// Everything is assumed to be +0 and raised until nothing changes, as signs_of does the other way round; loops,
// messages and updates need no special care. Sums are +0 in floats unless all terms are -0. Where an op has no rule its
// operands tell. That inputs may be -0 is followed only as far as they are moved. Costs a few walks over the Plan.
#include "verify/facts/zero_sign.h"

#include <algorithm>

#include "verify/facts/is_one_of.h"
#include "verify/facts/positive.h"
#include "verify/facts/renamings.h"

namespace isoshard::verify {
namespace {

class ZeroWalk {
 public:
  explicit ZeroWalk(const Plan& plan)
      : plan_(plan), signs_(signs_of(plan)), zeros_(plan.values.size()), updated_(plan.globals.size()) {}

  std::vector<ZeroSign> run() {
    const std::vector<Renaming> renamed = renamings(plan_);
    do {
      changed_ = false;
      for (const Instruction& i : plan_.instructions) {
        const ZeroSign zero = of(i);
        for (const PlanValueId id : i.results) raise(id, zero);
        if (const StoreBlock* store = std::get_if<StoreBlock>(&i.data())) update(*store, zero);
      }
      for (const Renaming& r : renamed) raise(r.to, zeros_[r.from.index()]);
    } while (changed_);
    return std::move(zeros_);
  }

 private:
  ZeroSign operand(const Instruction& i, size_t n) const { return zeros_[i.operands[n].index()]; }
  bool is_positive(const Instruction& i, size_t n) const {
    return signs_[i.operands[n].index()] == KnownSign::positive;
  }

  void raise(PlanValueId id, ZeroSign zero) {
    if (is_float(plan_.value(id).type().dtype)) raise(zeros_[id.index()], zero);
  }
  void raise(ZeroSign& known, ZeroSign zero) {
    changed_ = changed_ || known < zero;
    known = std::max(known, zero);
  }

  void update(const StoreBlock& store, ZeroSign zero) {
    const GlobalId global = plan_.outputs[store.output].updates;
    if (global.valid()) raise(updated_[global.index()], zero);
  }

  ZeroSign most(const Instruction& i) const {
    ZeroSign zero = ZeroSign::plus;
    for (size_t n = 0; n < i.operands.size(); ++n) zero = std::max(zero, operand(i, n));
    return zero;
  }

  ZeroSign of(const Instruction& i) const {
    if (const LoadBlock* load = std::get_if<LoadBlock>(&i.data())) {
      return std::max(ZeroSign::of_input, updated_[load->global.index()]);
    }
    const LocalOp* local = local_op(i);
    return local == nullptr ? most(i) : of(local->op, i);
  }

  ZeroSign of(const OpData& op, const Instruction& i) const {
    if (is_one_of<Negate, Remainder>(op)) return ZeroSign::either;
    if (is_one_of<Add>(op)) return of_sum(operand(i, 0), operand(i, 1));
    if (is_one_of<Subtract>(op)) return is_positive(i, 1) ? ZeroSign::plus : of_sum(operand(i, 0), ZeroSign::either);
    if (is_one_of<Multiply>(op)) return of_product(i);
    if (is_one_of<Divide>(op)) return of_quotient(i);
    if (is_one_of<Abs, Exponential, Logistic, Log, Cosine, Rsqrt, DotGeneral, Convolution>(op)) return ZeroSign::plus;
    const Reduce* reduce = std::get_if<Reduce>(&op);
    if (reduce != nullptr && reduce->op == Reducer::add) return ZeroSign::plus;
    return reduce != nullptr && reduce->op == Reducer::mul ? ZeroSign::either : most(i);
  }

  /// -0 where both are. Two inputs that are -0 are left out.
  static ZeroSign of_sum(ZeroSign x, ZeroSign y) {
    return std::min(x, y) == ZeroSign::either ? ZeroSign::either : ZeroSign::plus;
  }

  ZeroSign of_product(const Instruction& i) const {
    if (i.operands[0] == i.operands[1]) return ZeroSign::plus;
    if (is_positive(i, 0)) return operand(i, 1);
    return is_positive(i, 1) ? operand(i, 0) : ZeroSign::either;
  }

  /// What is not 0 is so over an infinity only, which has a name of its own (sim/domains/undefined).
  ZeroSign of_quotient(const Instruction& i) const {
    if (is_positive(i, 0)) return ZeroSign::plus;
    return is_positive(i, 1) ? operand(i, 0) : ZeroSign::either;
  }

  const Plan& plan_;
  std::vector<KnownSign> signs_;
  std::vector<ZeroSign> zeros_;
  std::vector<ZeroSign> updated_;  ///< per global, what it is after a step
  bool changed_ = false;
};

}  // namespace

std::vector<ZeroSign> zero_signs_of(const Plan& plan) { return ZeroWalk(plan).run(); }

}  // namespace isoshard::verify
