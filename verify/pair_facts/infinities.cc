// Where -inf goes: from constants through whatever is computed of them, and no further than an exponential, if -inf is
// only ever chosen, added to, compared and moved. A difference with a maximum is allowed, too: of nothing but -inf the
// maximum is -inf, and the difference NaN, but that is a use of its own (partial_uses.cc, "of_maximum"). Then no
// infinity is left in the larger of -inf and a number, such as the running maximum of an attention in blocks. Cost:
// three walks over the Plan.
#include "verify/pair_facts/infinities.h"

#include <algorithm>
#include <optional>

#include "verify/compare/inputs.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/producers.h"
#include "verify/facts/reach.h"

namespace isoshard::verify {
namespace {

const Reduce* reduce_of(const Instruction& i) { return op_of<Reduce>(i); }

/// The value of a constant, of a global of exact value, or of the maximum or minimum of no elements, that is infinite
/// or NaN.
std::optional<Rational> infinite_constant(const Plan& plan, const Instruction& i) {
  if (i.results.empty() || !is_float(plan.value(i.results[0]).type().dtype)) return std::nullopt;
  std::optional<Rational> value;
  if (const LoadBlock* load = std::get_if<LoadBlock>(&i.data())) {
    value = exact_value(plan.globals[load->global.index()]);
  } else if (const Constant* constant = op_of<Constant>(i)) {
    value = constant->value;
  } else {
    value = extreme_of_nothing(plan, i);
  }
  return value && !value->finite() ? value : std::nullopt;
}

bool is_float_type(const TensorType& type) { return is_float(type.dtype); }

class Infinities {
 public:
  Infinities(const Plan& plan, int64_t steps) : plan_(plan), steps_(steps), definitions_(definitions(plan)) {}

  MadeOfInfinity run() {
    masked_ = reached([](const Instruction& i) { return !is_one_of<Exponential, Logistic>(local_op(i)); });
    const InstructionList& all = plan_.instructions;
    const bool only_masks =
        std::all_of(all.begin(), all.end(), [&](const Instruction& i) { return is_minus(i) && keeps_minus(i); });
    std::vector<bool> at_all = reached({});
    if (!only_masks) return {at_all, at_all, false};
    at_all = reached([&](const Instruction& i) { return !has_finite_bound(i, at_all); });
    return {std::move(at_all), masked_, true};
  }

 private:
  std::vector<bool> reached(const InstructionTest& passes) const {
    return reached_from(
        plan_, [&](const Instruction& i) { return infinite_constant(plan_, i).has_value(); }, is_float_type, passes,
        steps_);
  }

  bool is_minus(const Instruction& i) const {
    const std::optional<Rational> value = infinite_constant(plan_, i);
    return !value || (!value->is_nan() && value->negative());
  }

  /// Whether operands that are -inf make nothing of the result but -inf, and what is finite without them.
  bool keeps_minus(const Instruction& i) const {
    const auto masked = [&](PlanValueId id) { return masked_[id.index()]; };
    if (std::none_of(i.operands.begin(), i.operands.end(), masked)) return true;
    const LocalOp* local = local_op(i);
    if (is_one_of<Subtract>(local)) return !masked(i.operands[1]) || is_maximum(i.operands[1]);
    if (const Reduce* reduce = reduce_of(i)) return reduce->op == Reducer::max || reduce->op == Reducer::argmax;
    if (const Collective* collective = std::get_if<Collective>(&i.data())) {
      return collective->kind == CollectiveKind::all_reduce_max || collective->kind == CollectiveKind::all_gather;
    }
    if (local == nullptr) return !std::holds_alternative<Collective>(i.data());
    if (is_one_of<Convert>(local) && !has_infinity(plan_.value(i.results[0]).type().dtype)) return false;
    return is_one_of<Add, Maximum, Minimum, Select, Compare, IsFinite, Exponential, Logistic, Convert, StopGradient>(
               local) ||
           is_one_of<BroadcastInDim, Reshape, Transpose, Reverse, Slice, Concatenate, Pad, Gather, DynamicSlice,
                     DynamicUpdateSlice>(local);
  }

  /// Whether it is a maximum with what no infinity is part of, which is not -inf.
  static bool has_finite_bound(const Instruction& i, const std::vector<bool>& infinite) {
    const auto is_finite = [&](PlanValueId id) { return !infinite[id.index()]; };
    return is_one_of<Maximum>(local_op(i)) && std::any_of(i.operands.begin(), i.operands.end(), is_finite);
  }

  /// A maximum, moved.
  bool is_maximum(PlanValueId id) const {
    const InstructionId made = definitions_[id.index()];
    if (!made.valid()) return false;
    const Instruction& i = plan_.instruction(made);
    const bool moved = is_one_of<BroadcastInDim, Reshape, Transpose, StopGradient>(local_op(i));
    return takes_maximum(i) || (moved && is_maximum(i.operands[0]));
  }

  const Plan& plan_;
  int64_t steps_;
  std::vector<InstructionId> definitions_;
  std::vector<bool> masked_;
};

}  // namespace

std::optional<Rational> extreme_of_nothing(const Plan& plan, const Instruction& i) {
  const Reduce* reduce = reduce_of(i);
  const bool extreme = reduce != nullptr && (reduce->op == Reducer::max || reduce->op == Reducer::min);
  if (!extreme || !is_float(plan.value(i.results[0]).type().dtype)) return std::nullopt;
  if (element_count(plan.value(i.operands[0]).type().shape) > 0) return std::nullopt;
  return Rational::infinity(reduce->op == Reducer::max);
}

bool takes_maximum(const Instruction& i) {
  const Reduce* reduce = reduce_of(i);
  const Collective* collective = std::get_if<Collective>(&i.data());
  return is_one_of<Maximum>(local_op(i)) ||
         (reduce != nullptr && (reduce->op == Reducer::max || reduce->op == Reducer::argmax)) ||
         (collective != nullptr && collective->kind == CollectiveKind::all_reduce_max);
}

MadeOfInfinity made_of_infinity(const Plan& plan, int64_t steps) { return Infinities(plan, steps).run(); }

}  // namespace isoshard::verify
