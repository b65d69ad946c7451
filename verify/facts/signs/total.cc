// Which programs have no input that is special. Two formulas that rings find equal are equal wherever both have a
// value; what is left for special inputs is where one has none, where a comparison decides, and where a law holds for
// one sign only. A plan without such ops has no such input. Facts of ops decide (core/ir/op_facts.h), and signs
// (signs_of) where an op is not defined everywhere; an op of any other class makes the answer no. Cost: the signs.
#include "verify/facts/signs/total.h"

#include <algorithm>
#include <vector>

#include "verify/facts/is_one_of.h"
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
    if (load == nullptr) return false;
    const Shape& shape = plan_.globals[load->global.index()].type.shape;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] % load->count[d] != 0) return true;
    }
    return false;
  }

  /// Of an instruction that makes floats, or nothing.
  bool keeps_all(const Instruction& i) const {
    if (const Collective* collective = std::get_if<Collective>(&i.data())) return adds_or_moves(collective->kind);
    const LocalOp* local = local_op(i);
    if (local == nullptr) return true;  // moves blocks
    if (const Constant* constant = std::get_if<Constant>(&local->op)) return constant->value.finite();
    if (is_one_of<Convert>(local)) return true;
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

  static bool adds_or_moves(CollectiveKind kind) {
    return kind != CollectiveKind::all_reduce_max && kind != CollectiveKind::all_reduce_min &&
           kind != CollectiveKind::assert_equal;
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
