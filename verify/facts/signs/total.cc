// Which programs have no input that is special. Formulas that rings find equal are equal almost everywhere; what is
// left for special inputs is where one of them has no value, or jumps. A plan of functions that are defined and
// continuous everywhere, maxima among them, has no such input: what is equal almost everywhere is equal then. Facts of
// ops decide (core/ir/op_facts.h), and signs (signs_of) where an op is not defined everywhere; an op of any other class
// makes the answer no. Cost: the signs.
#include "verify/facts/signs/total.h"

#include <algorithm>
#include <vector>

#include "verify/facts/is_one_of.h"
#include "verify/facts/padded_dim.h"
#include "verify/facts/signs/positive.h"

namespace isoshard::verify {
namespace {

class Totality {
 public:
  explicit Totality(const Plan& plan) : plan_(plan) {}

  bool holds() {
    const auto all = [&](const auto& rule) {
      return std::all_of(plan_.instructions.begin(), plan_.instructions.end(), rule);
    };
    if (!all([&](const Instruction& i) { return is_plain(i); })) return false;
    signs_ = signs_of(plan_);
    return all([&](const Instruction& i) { return is_defined(i); });
  }

 private:
  DType dtype(PlanValueId id) const { return plan_.value(id).type().dtype; }
  static bool is_wide(DType dtype) { return dtype == DType::f32 || dtype == DType::f64; }

  /// Whatever the signs of its operands.
  bool is_plain(const Instruction& i) const {
    const auto floats = [&](PlanValueId id) { return is_float(dtype(id)); };
    const auto narrow = [&](PlanValueId id) { return floats(id) && !is_wide(dtype(id)); };
    const auto any = [](const PlanValueIds& ids, const auto& is) { return std::any_of(ids.begin(), ids.end(), is); };
    if (any(i.operands, narrow) || any(i.results, narrow)) return false;
    const bool makes_others = any(i.results, [&](PlanValueId id) { return !floats(id); });
    if (makes_others && (any(i.operands, floats) || std::holds_alternative<LoadBlock>(i.data()))) return false;
    return !is_padded(i) && (makes_others || keeps_all(i));
  }

  /// Padding may be NaN.
  bool is_padded(const Instruction& i) const {
    if (const TakeBlock* take = std::get_if<TakeBlock>(&i.data())) {
      return plan_.value(i.operands[0]).type().shape[static_cast<size_t>(take->dim)] % take->count != 0;
    }
    const LoadBlock* load = std::get_if<LoadBlock>(&i.data());
    return load != nullptr && padded_dim(*load, plan_.globals[load->global.index()].type.shape) >= 0;
  }

  /// Of an instruction that makes floats, or nothing.
  bool keeps_all(const Instruction& i) const {
    if (const Collective* collective = std::get_if<Collective>(&i.data()))
      return collective->kind != CollectiveKind::assert_equal;
    const LocalOp* local = local_op(i);
    if (local == nullptr) return true;  // moves blocks
    if (const Constant* constant = std::get_if<Constant>(&local->op)) return constant->value.finite();
    if (is_one_of<Convert, Maximum, Minimum, Abs>(local)) return true;
    if (const Reduce* reduce = std::get_if<Reduce>(&local->op)) return is_continuous(reduce->op, i.operands[0]);
    if (is_one_of<Atan2>(local)) return false;  // jumps where its second operand is negative, and tells zeros apart
    switch (op_facts(local->op).kind) {
      case OpClass::source:
      case OpClass::movement:
      case OpClass::indexed:
      case OpClass::linear:
      case OpClass::bilinear:
      case OpClass::quotient:
      case OpClass::function:
      case OpClass::choice:  // by a predicate that no input changes
        return true;
      default:
        return false;
    }
  }

  /// The greatest of no elements is infinite.
  bool is_continuous(Reducer op, PlanValueId x) const {
    if (op == Reducer::add || op == Reducer::mul) return true;
    return (op == Reducer::max || op == Reducer::min) && element_count(plan_.value(x).type().shape) > 0;
  }

  bool is_defined(const Instruction& i) const {
    const LocalOp* local = local_op(i);
    if (local == nullptr || i.results.empty() || !is_float(dtype(i.results[0]))) return true;
    const OpFacts facts = op_facts(local->op);
    if (facts.defined == DefinedWhere::everywhere) return true;
    const KnownSign sign = signs_[i.operands[facts.defined_by].index()];
    if (facts.defined == DefinedWhere::nonnegative) return sign >= KnownSign::nonnegative;
    const bool positive_will_do = facts.defined == DefinedWhere::nonzero || facts.defined == DefinedWhere::positive ||
                                  facts.defined == DefinedWhere::above_minus_1;
    return positive_will_do && sign == KnownSign::positive;
  }

  const Plan& plan_;
  std::vector<KnownSign> signs_;
};

}  // namespace

bool is_total(const Plan& plan) { return Totality(plan).holds(); }

}  // namespace isoshard::verify
