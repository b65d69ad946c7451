// Which values are exact, and which inputs must not be negative. Values that no float input and no opaque function
// reaches are exact: constants and what is made of them. Inputs under square roots and logarithms are found by a walk
// back from their arguments through ops that keep signs; of a product or quotient with an exact factor that is not a
// negative constant the other factor is meant. Draws then keep such inputs from being negative, so that a run does not
// end in NaNs on both sides. Cost: linear in the plan.
#include "verify/pair_facts/float_facts.h"

#include <algorithm>

#include "verify/compare/inputs.h"
#include "verify/facts/is_one_of.h"
#include "verify/facts/producers.h"
#include "verify/facts/reach.h"
#include "verify/facts/renamings.h"

namespace isoshard::verify {
namespace {

/// Walks from arguments of square roots and logarithms back to what must not be negative.
class NonNegative {
 public:
  explicit NonNegative(const Plan& plan)
      : plan_(plan), makers_(definitions(plan)), exact_(exact_values(plan)), seen_(plan.values.size(), false) {}

  std::vector<bool> globals() {
    result_.assign(plan_.globals.size(), false);
    for (const Instruction& i : plan_.instructions) {
      if (is_one_of<Sqrt, Rsqrt, Log>(local_op(i))) need(i.operands[0]);
    }
    const std::vector<Renaming> renamed = renamings(plan_);
    while (!open_.empty()) {
      const PlanValueId id = open_.back();
      open_.pop_back();
      for (const Renaming& r : renamed) {
        if (r.to == id) need(r.from);
      }
      if (makers_[id.index()].valid()) look_at(plan_.instruction(makers_[id.index()]));
    }
    return std::move(result_);
  }

 private:
  void need(PlanValueId id) {
    if (seen_[id.index()] || exact_[id.index()] || !is_float(plan_.value(id).type().dtype)) return;
    seen_[id.index()] = true;
    open_.push_back(id);
  }

  bool is_negative(PlanValueId id) const {
    const InstructionId maker = makers_[id.index()];
    const Constant* constant = maker.valid() ? op_of<Constant>(plan_.instruction(maker)) : nullptr;
    return constant != nullptr && constant->value.negative();
  }

  /// One factor is exact and not a negative constant: the other one must not be negative.
  void look_at_product(PlanValueId a, PlanValueId b) {
    if (exact_[a.index()] && !is_negative(a)) need(b);
    if (exact_[b.index()] && !is_negative(b)) need(a);
  }

  void look_at(const Instruction& i) {
    if (const LoadBlock* load = std::get_if<LoadBlock>(&i.data())) {
      result_[load->global.index()] = true;
      return;
    }
    const LocalOp* local = local_op(i);
    if (is_one_of<Multiply>(local)) return look_at_product(i.operands[0], i.operands[1]);
    if (is_one_of<Divide>(local)) {
      if (is_negative(i.operands[1])) return;
      need(i.operands[0]);
      return need(i.operands[1]);
    }
    const bool keeps_sign =
        is_one_of<Add, Convert, StopGradient, BroadcastInDim, Reshape, Transpose, Slice, Concatenate, Pad, Reverse,
                  DynamicSlice, DynamicUpdateSlice, Gather, Reduce, Cumsum, Sqrt>(local);
    if (local != nullptr && !keeps_sign) return;
    for (const PlanValueId id : i.operands) need(id);
  }

  const Plan& plan_;
  std::vector<InstructionId> makers_;
  std::vector<bool> exact_, seen_, result_;
  std::vector<PlanValueId> open_;
};

}  // namespace

std::vector<bool> exact_values(const Plan& plan) {
  const auto is_data = [&](const Instruction& i) {
    const LocalOp* local = local_op(i);
    return loads_input(plan, i) || (local != nullptr && op_facts(local->op).kind == OpClass::function);
  };
  std::vector<bool> exact = reached_from(plan, is_data, [](const TensorType& type) { return is_float(type.dtype); });
  exact.flip();
  return exact;
}

bool compares_data(const Pair& pair) {
  const auto in = [](const Plan& plan) {
    const std::vector<bool> exact = exact_values(plan);
    return std::any_of(plan.instructions.begin(), plan.instructions.end(), [&](const Instruction& i) {
      return is_one_of<Compare>(local_op(i)) && is_float(plan.value(i.operands[0]).type().dtype) &&
             !exact[i.operands[0].index()] && !exact[i.operands[1].index()];
    });
  };
  return in(pair.sharded.plan) || in(pair.reference.plan);
}

std::vector<bool> nonnegative_inputs(const Pair& pair, Whose whose) {
  std::vector<bool> result = NonNegative(pair.reference.plan).globals();
  const std::vector<bool> sharded = NonNegative(pair.sharded.plan).globals();
  for (size_t g = 0; g < result.size() && whose == Whose::both; ++g) result[g] = result[g] || sharded[g];
  for (const MappedGlobal& map : pair.maps) {
    if (!result[map.global.index()]) continue;
    for (const Instruction& i : map.read.instructions) {
      if (const LoadBlock* load = std::get_if<LoadBlock>(&i.data())) result[load->global.index()] = true;
    }
  }
  return result;
}

bool converts_f64(const Plan& plan) {
  return std::any_of(plan.instructions.begin(), plan.instructions.end(), [&](const Instruction& i) {
    return op_of<Convert>(i) != nullptr && plan.value(i.operands[0]).type().dtype == DType::f64 &&
           plan.value(i.results[0]).type().dtype == DType::f32;
  });
}

bool makes_integers(const Plan& plan) {
  return std::any_of(plan.instructions.begin(), plan.instructions.end(), [&](const Instruction& i) {
    if (op_of<Convert>(i) == nullptr) return false;
    const DType from = plan.value(i.operands[0]).type().dtype;
    return (from == DType::f32 || from == DType::f64) && is_integer(plan.value(i.results[0]).type().dtype);
  });
}

bool holds_narrow_floats(const Pair& pair, size_t bytes) {
  const auto is_one = [&](const PlanValue& v) {
    return is_narrow(v.type().dtype) && info(v.type().dtype).bytes <= bytes;
  };
  const auto any = [&](const PlanValueList& values) { return std::any_of(values.begin(), values.end(), is_one); };
  return any(pair.sharded.plan.values) || any(pair.reference.plan.values);
}

}  // namespace isoshard::verify
