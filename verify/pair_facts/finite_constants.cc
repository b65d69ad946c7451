// A mask is a large number that some elements get and others do not, and whose result goes into exponentials: only
// there, and where data has met it, a number is as good as infinite. For each large constant the values are followed
// that are made of it and of no data, then the data that meets these, until an exponential or an order ends the way.
// Costs what these walks reach: a stack of layers has such a constant in each.
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

/// Some values of a Plan.
struct ValueSet {
  std::vector<PlanValueId> list;
  std::vector<bool> has;

  /// Those of `values` that are not data: what a loop begins with, and goes on with as data, is no number.
  ValueSet(const std::vector<PlanValueId>& values, const std::vector<bool>& data) : has(data.size(), false) {
    for (const PlanValueId id : values) {
      if (data[id.index()]) continue;
      list.push_back(id);
      has[id.index()] = true;
    }
  }
};

/// Follows one large constant through a Plan.
class MaskWalk {
 public:
  MaskWalk(const Readers& readers, const std::vector<bool>& data, InstructionId constant)
      : readers_(readers),
        data_(data),
        plain_(values_reached(readers, {constant}, keeps_number), data),
        numbers_(values_reached(readers, {constant}, [&](const Instruction& i) { return is_number(i); }), data) {}

  bool is_mask() const {
    const auto breaks = [&](const Instruction& i) { return bounds_data(i) || shifts_data(i) || is_applied(i); };
    if (!read_by(plain_.list, breaks).empty() || !read_by(numbers_.list, breaks).empty()) return false;
    const std::vector<PlanValueId> reached =
        values_reached(readers_, read_by(numbers_.list, [&](const Instruction& i) { return meets_data(i); }),
                       [&](const Instruction& i) { return passes_masks(i); });
    const ValueSet masked(reached, std::vector<bool>(data_.size(), false));
    return read_by(reached, [&](const Instruction& i) { return minds(i, masked.has); }).empty();
  }

 private:
  /// The instructions that read one of `values` and are what `test` says.
  template <class Test>
  std::vector<InstructionId> read_by(const std::vector<PlanValueId>& values, const Test& test) const {
    std::vector<InstructionId> result;
    for (const PlanValueId value : values) {
      for (const InstructionId id : readers_.of(value)) {
        if (test(readers_.plan().instruction(id))) result.push_back(id);
      }
    }
    return result;
  }

  bool any(const Instruction& i, const std::vector<bool>& marks) const {
    return std::any_of(i.operands.begin(), i.operands.end(), [&](PlanValueId id) { return marks[id.index()]; });
  }

  /// The same number everywhere.
  static bool keeps_number(const Instruction& i) {
    return is_one_of<BroadcastInDim, Reshape, Convert, Negate>(local_op(i));
  }

  bool is_number(const Instruction& i) const { return !i.results.empty() && !data_[i.results[0].index()]; }

  bool meets_data(const Instruction& i) const {
    return is_one_of<Add, Subtract, Select>(local_op(i)) && any(i, numbers_.has) && any(i, data_);
  }
  bool bounds_data(const Instruction& i) const {
    return is_one_of<Maximum, Minimum, Compare>(local_op(i)) &&
           (any(i, plain_.has) || (any(i, numbers_.has) && any(i, data_)));
  }
  bool shifts_data(const Instruction& i) const {
    return is_one_of<Add, Subtract>(local_op(i)) && any(i, plain_.has) && any(i, data_);
  }

  /// Whether a function has it before it meets data: e^-20000 is a number like another one, and e^20000 times it is 1.
  bool is_applied(const Instruction& i) const {
    const LocalOp* local = local_op(i);
    if (local == nullptr || is_one_of<Convert>(local) || !is_number(i) || !any(i, numbers_.has)) return false;
    return op_facts(local->op).kind == OpClass::function;
  }

  /// Exponentials make 0 of it, the greatest of a row is another element, and comparisons come out the same.
  bool passes_masks(const Instruction& i) const {
    const LocalOp* local = local_op(i);
    const bool of_elements = is_one_of<Maximum, Minimum, Abs>(local);
    return (of_elements || !compares_floats(readers_.plan(), i)) && !is_one_of<Exponential>(local);
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

  const Readers& readers_;
  const std::vector<bool>& data_;
  ValueSet plain_, numbers_;  ///< made of the constant alone, and of it and other numbers
};

void add_finite(const Plan& plan, sim::ConstantReadings& readings) {
  const std::vector<bool> data = reached_from(
      plan, [&](const Instruction& i) { return loads_input(plan, i); },
      [](const TensorType& type) { return is_float(type.dtype); });
  const Readers readers(plan);
  for (size_t i = 0; i < plan.instructions.size(); ++i) {
    const Constant* constant = large_constant(plan.instructions[i]);
    if (constant == nullptr || MaskWalk(readers, data, InstructionId(i)).is_mask()) continue;
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
