// A mask is a large number that some elements get and others do not, and whose result goes into exponentials: only
// there a number is as good as infinite. For each large constant the values are followed that are made of it and of no
// data, then the data that meets these, until an exponential or an order ends the way. Costs two walks per large
// constant, of which there are few.
#include "verify/pair_facts/finite_constants.h"

#include <algorithm>

#include "core/support/rational_gmp.h"
#include "sim/domains/masks.h"
#include "verify/compare/inputs.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/order_facts.h"
#include "verify/facts/reach.h"

namespace isoshard::verify {
namespace {

const Constant* large_constant(const Instruction& i) {
  const LocalOp* local = local_op(i);
  const Constant* constant = local == nullptr ? nullptr : std::get_if<Constant>(&local->op);
  const bool large = constant != nullptr && is_float(constant->dtype) && constant->value.finite() &&
                     abs(to_mpq(constant->value)) >= sim::kLeastMask;
  return large ? constant : nullptr;
}

/// Follows one large constant through a Plan.
class MaskWalk {
 public:
  MaskWalk(const Plan& plan, const std::vector<bool>& data, const Instruction& constant)
      : plan_(plan),
        data_(data),
        plain_(reached_from(
            plan, [&](const Instruction& i) { return &i == &constant; }, {}, keeps_number)),
        numbers_(reached_from(
            plan, [&](const Instruction& i) { return &i == &constant; }, {},
            [&](const Instruction& i) { return !i.results.empty() && !data[i.results[0].index()]; })) {
    for (size_t v = 0; v < data.size(); ++v) {  // what a loop begins with, and goes on with as data, is no number
      plain_[v] = plain_[v] && !data[v];
      numbers_[v] = numbers_[v] && !data[v];
    }
  }

  bool is_mask() const {
    const std::vector<bool> masked = reached_from(
        plan_, [&](const Instruction& i) { return meets_data(i); }, {},
        [&](const Instruction& i) { return passes_masks(i); });
    return std::none_of(plan_.instructions.begin(), plan_.instructions.end(),
                        [&](const Instruction& i) { return bounds_data(i) || shifts_data(i) || minds(i, masked); });
  }

 private:
  bool any(const Instruction& i, const std::vector<bool>& marks) const {
    return std::any_of(i.operands.begin(), i.operands.end(), [&](PlanValueId id) { return marks[id.index()]; });
  }

  /// The same number everywhere.
  static bool keeps_number(const Instruction& i) {
    return is_one_of<BroadcastInDim, Reshape, Convert, Negate>(local_op(i));
  }

  bool meets_data(const Instruction& i) const {
    return is_one_of<Add, Subtract, Select>(local_op(i)) && any(i, numbers_) && any(i, data_);
  }
  bool bounds_data(const Instruction& i) const {
    return is_one_of<Maximum, Minimum, Compare>(local_op(i)) && (any(i, plain_) || (any(i, numbers_) && any(i, data_)));
  }
  bool shifts_data(const Instruction& i) const {
    return is_one_of<Add, Subtract>(local_op(i)) && any(i, plain_) && any(i, data_);
  }

  /// Exponentials make 0 of it, the greatest of a row is another element, and comparisons come out the same.
  bool passes_masks(const Instruction& i) const {
    const LocalOp* local = local_op(i);
    const bool of_elements = is_one_of<Maximum, Minimum, Abs>(local);
    return (of_elements || !compares_floats(plan_, i)) && !is_one_of<Exponential>(local);
  }

  /// Whether a finite number would make a difference to `i`, which reads masked data.
  bool minds(const Instruction& i, const std::vector<bool>& masked) const {
    if (!any(i, masked)) return false;
    const LocalOp* local = local_op(i);
    const auto is_other_data = [&](PlanValueId id) { return data_[id.index()] && !masked[id.index()]; };
    if (is_one_of<Maximum, Minimum, Multiply, DotGeneral, Divide>(local)) {
      return std::any_of(i.operands.begin(), i.operands.end(), is_other_data);
    }
    if (local == nullptr || is_one_of<Exponential, Convert>(local)) return false;
    const OpClass kind = op_facts(local->op).kind;
    return kind == OpClass::function || kind == OpClass::rounding || is_one_of<Abs>(local);
  }

  const Plan& plan_;
  const std::vector<bool>& data_;
  std::vector<bool> plain_, numbers_;  ///< made of the constant alone, and of it and other numbers
};

void add_finite(const Plan& plan, sim::ConstantReadings& readings) {
  const std::vector<bool> data = reached_from(
      plan, [&](const Instruction& i) { return loads_input(plan, i); },
      [](const TensorType& type) { return is_float(type.dtype); });
  for (const Instruction& i : plan.instructions) {
    const Constant* constant = large_constant(i);
    if (constant == nullptr || MaskWalk(plan, data, i).is_mask()) continue;
    readings.set_bound(constant->value, constant->dtype);
  }
}

}  // namespace

sim::ConstantReadings finite_constants(const Pair& pair) {
  sim::ConstantReadings result;
  add_finite(pair.sharded.plan, result);
  add_finite(pair.reference.plan, result);
  return result;
}

}  // namespace isoshard::verify
