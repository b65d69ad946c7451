// Types and states of the collectives (docs/spec/states.md, "Collectives and conversions"). Shapes follow from the size
// of the group. States follow from one row per op: which states the operand may have over the axes of the group, what
// the result has there, and a message with a repair for each other state; axes outside of the group keep what they
// have. So the ops share one loop, and only the rows differ. Untyped programs know only = and V, and have no rows. A
// permutation takes a shift or pairs, and indices of a tuple that is not in mesh order must say which order counts.
// Cost: the number of axes, or of pairs.
#include "core/ir/ops/collectives.h"

#include <algorithm>
#include <functional>

#include "core/ir/enum_names.h"
#include "core/ir/ops/collective_permute.h"
#include "core/ir/ops/shape_checks.h"
#include "core/ir/state_repairs.h"

namespace isoshard {
namespace {

/// The row of one collective in the state table: the operand's state on its axes, and what to do about another one.
struct CollectiveRow {
  State from;
  std::string rule;
  std::function<std::string(AxisId, State)> repair;
};

State result_of(const StateContext& context, std::optional<State> to) {
  return context.has_gradient ? to.value_or(State::unknown) : State::equal;
}

/// Checks `to` once: R or I, present exactly when the value has a gradient.
bool check_to(StateContext& context, const Group& group, std::optional<State> to) {
  const AxisId axis = group.axes.front();
  if (!context.has_gradient && to) {
    context.error("S-to", axis,
                  "has `to=" + std::string(1, letter(*to)) + "` but " + context.operands[0].name +
                      " has no gradient; the result is `=`, leave `to` out");
    return false;
  }
  if (context.has_gradient && !to) {
    context.error("S-to", axis,
                  "needs `to=R` or `to=I`: " + context.operands[0].name +
                      " has a gradient, and `to` says whether the gradient still has to be reduced (R) "
                      "or is complete (I)");
    return false;
  }
  if (to && *to != State::replicated && *to != State::invariant) {
    context.error(
        "S-to", axis,
        "has `to=" + std::string(1, letter(*to)) + "` for " + context.operands[0].name + "; expected `to=R` or `to=I`");
    return false;
  }
  return true;
}

void apply_row(StateContext& context, const Group& group, const CollectiveRow& row, State result) {
  const AxisSet axes = group.set();
  for (size_t i = 0; i < context.result.size(); ++i) {
    const AxisId axis(i);
    const State state = context.operand(0, axis);
    if (!axes.contains(axis)) {
      context.set(axis, state);
    } else if (state == row.from) {
      context.set(axis, result);
    } else if (state != State::unknown) {
      context.error(row.rule, axis,
                    "the operand " + context.operands[0].name + " is " + letter(state) + " over `" +
                        context.mesh.axis(axis).name + "`; expected " + letter(row.from) + ": " +
                        row.repair(axis, state));
    }
  }
}

/// In untyped programs collectives accept everything: `=` where all members get the same, otherwise V; `to` is an
/// error.
void apply_untyped(StateContext& context, const Group& group, State on_group, std::optional<State> to = {}) {
  const AxisSet axes = group.set();
  for (size_t i = 0; i < context.result.size(); ++i) {
    context.set(AxisId(i), axes.contains(AxisId(i)) ? on_group : context.operand(0, AxisId(i)));
  }
  if (to) {
    context.error("S-untyped", group.axes.front(), "untyped programs have only = and V; leave `to` out");
  }
}

/// What to do about an operand of a sum that is not P: an equal one would be counted too often, a varying one is
/// unmarked.
std::string sum_repair(const StateContext& context, const Group& group) {
  for (const AxisId axis : group.axes) {
    if (context.operand(0, axis) != State::varying) continue;
    const std::string& name = context.mesh.axis(axis).name;
    return "if each device holds one term of a sum, say so where the terms arise: partial={" + name +
           "} on the dot_general, convolution or reduce";
  }
  return "every device already holds the same value, so the sum is " + std::to_string(context.mesh.size(group)) +
         "x too large (one reduction too many?); leave the op out";
}

CollectiveRow sum_row(const StateContext& context, const Group& group, const std::string& rule) {
  return {State::partial, rule, [repair = sum_repair(context, group)](AxisId, State) { return repair; }};
}

/// The row of an op that sends blocks: `same` is what all devices would send of an equal operand.
CollectiveRow exchange_row(const StateContext& context, const std::string& rule, const std::string& same) {
  return {State::varying, rule, [&context, same](AxisId axis, State state) {
            return repair_to_varying(context.operands[0], context.mesh.axis(axis).name, state, same);
          }};
}

/// Whether `precision` is left out, or belongs to a sum of bf16 or f16; others have one way to be made.
bool check_precision(const InferContext& context, SumPrecision precision, Reducer op) {
  if (precision == SumPrecision::unspecified) return true;
  const std::string given = "`precision` is " + std::string(enum_name(precision));
  if (op != Reducer::none && op != Reducer::add) {
    context.error("T-precision", given + " and `op` " + std::string(enum_name(op)) +
                                     "; expected a sum of bf16 or f16: leave `precision` out");
    return false;
  }
  const TensorType& x = context.operand(0);
  if (x.dtype == DType::bf16 || x.dtype == DType::f16) return true;
  context.error("T-precision",
                given + " and the operand " + to_string(x) + "; expected bf16 or f16: leave `precision` out");
  return false;
}

}  // namespace

Inferred AllReduce::infer(const InferContext& context) const {
  const TensorType& x = context.operand(0);
  if (op == Reducer::argmax) return context.error("T-reduce", "`op` is argmax; expected add, max, min, mul, and, or");
  if (const std::string wanted = reducer_misfit(op, x.dtype); !wanted.empty()) {
    return context.error("T-numeric", "the operand is " + to_string(x) + "; expected " + wanted);
  }
  if (!check_precision(context, precision, op)) return std::nullopt;
  return std::vector{x};
}

namespace {

/// All but sums take V; other axes as for nonlinear ops.
void infer_order_states(StateContext& context, const Group& group, Reducer op, State result) {
  const std::string equal = op == Reducer::mul
                                ? "every device already holds the same value, whose power that would be; leave it out"
                                : "every device already holds the same value; leave the op out";
  const AxisSet axes = group.set();
  for (size_t i = 0; i < context.result.size(); ++i) {
    if (!axes.contains(AxisId(i))) context.set(AxisId(i), apply_rule(StateRule::nonlinear, context, AxisId(i)));
  }
  for (const AxisId axis : group.axes) {
    const State state = context.operand(0, axis);
    if (state == State::varying) {
      context.set(axis, result);
    } else if (state != State::unknown) {
      context.error(
          "S-all_reduce", axis,
          "the operand " + context.operands[0].name + " is " + letter(state) + " over `" +
              context.mesh.axis(axis).name + "`; expected V for all but sums: " +
              (state == State::partial ? all_reduce_text(context.operands[0], context.mesh.axis(axis).name) + " first"
                                       : equal));
    }
  }
}

}  // namespace

void AllReduce::infer_states(StateContext& context) const {
  if (!context.typed) return apply_untyped(context, axis, State::equal, to);
  const bool to_ok = check_to(context, axis, to);
  if (op != Reducer::none && op != Reducer::add) {
    return infer_order_states(context, axis, op, to_ok ? result_of(context, to) : State::unknown);
  }
  apply_row(context, axis, sum_row(context, axis, "S-all_reduce"), to_ok ? result_of(context, to) : State::unknown);
}

namespace {

CollectiveRow gather_row(const StateContext& context) {
  CollectiveRow row = exchange_row(context, "S-all_gather", "the same block");
  row.repair = [send = row.repair](AxisId axis, State state) {
    return (state == State::partial ? "" : "every device already holds it: leave the op out, or ") + send(axis, state);
  };
  return row;
}

}  // namespace

Inferred AllGather::infer(const InferContext& context) const {
  TensorType result = context.operand(0);
  if (!check_dim(context, dim, result.shape.size())) return std::nullopt;
  result.shape[static_cast<size_t>(dim)] *= context.mesh().size(axis);
  return std::vector{result};
}

void AllGather::infer_states(StateContext& context) const {
  if (!context.typed) return apply_untyped(context, axis, State::equal, to);
  const bool to_ok = check_to(context, axis, to);
  apply_row(context, axis, gather_row(context), to_ok ? result_of(context, to) : State::unknown);
}

Inferred ReduceScatter::infer(const InferContext& context) const {
  TensorType result = context.operand(0);
  if (!is_numeric(result.dtype)) {
    return context.error("T-numeric", "the operand is " + to_string(result) + "; expected numbers");
  }
  if (!check_precision(context, precision, Reducer::none)) return std::nullopt;
  if (!check_dim(context, dim, result.shape.size())) return std::nullopt;
  if (!check_divides(context, result.shape, dim, axis)) return std::nullopt;
  result.shape[static_cast<size_t>(dim)] /= context.mesh().size(axis);
  return std::vector{result};
}

void ReduceScatter::infer_states(StateContext& context) const {
  if (!context.typed) return apply_untyped(context, axis, State::varying);
  apply_row(context, axis, sum_row(context, axis, "S-reduce_scatter"), State::varying);
}

Inferred AllToAll::infer(const InferContext& context) const {
  TensorType result = context.operand(0);
  const size_t rank = result.shape.size();
  if (!check_dim(context, split_dim, rank) || !check_dim(context, concat_dim, rank)) return std::nullopt;
  if (!check_divides(context, result.shape, split_dim, axis)) return std::nullopt;
  const int64_t size = context.mesh().size(axis);
  result.shape[static_cast<size_t>(split_dim)] /= size;
  result.shape[static_cast<size_t>(concat_dim)] *= size;
  return std::vector{result};
}

void AllToAll::infer_states(StateContext& context) const {
  if (!context.typed) return apply_untyped(context, axis, State::varying);
  apply_row(context, axis, exchange_row(context, "S-all_to_all", "parts of the same"), State::varying);
}

Group CollectivePermute::counting_group() const {
  Group result = axis;
  if (order == PermuteOrder::mesh) std::sort(result.axes.begin(), result.axes.end());
  return result;
}

int64_t CollectivePermute::target(int64_t index, int64_t size) const {
  if (shift) return ((index + *shift) % size + size) % size;
  for (const auto& [from, to] : pairs) {
    if (from == index) return to;
  }
  return -1;
}

int64_t CollectivePermute::source(int64_t index, int64_t size) const {
  if (shift) return ((index - *shift) % size + size) % size;
  for (const auto& [from, to] : pairs) {
    if (to == index) return from;
  }
  return -1;
}

Inferred CollectivePermute::infer(const InferContext& context) const {
  if (shift.has_value() == !pairs.empty()) {
    return context.error("T-permute", "needs exactly one of `shift` and `pairs`");
  }
  constexpr int64_t kFurthest = int64_t{1} << 31;  // so that no index plus a shift leaves 64 bits
  if (shift && (*shift < -kFurthest || *shift > kFurthest)) {
    return context.error("T-permute", "the shift " + std::to_string(*shift) + " is not between -2^31 and 2^31");
  }
  if (!std::is_sorted(axis.axes.begin(), axis.axes.end()) && order == PermuteOrder::unspecified) {
    return context.error("T-permute-order", "the tuple " + context.mesh().to_string(axis) +
                                                " is not in mesh order; say `order=tuple` or `order=mesh`");
  }
  const int64_t size = context.mesh().size(axis);
  std::vector<bool> sends(static_cast<size_t>(size)), receives(static_cast<size_t>(size));
  for (const auto& [from, to] : pairs) {
    if (from < 0 || from >= size || to < 0 || to >= size) {
      return context.error("T-permute", "the pair (" + std::to_string(from) + ", " + std::to_string(to) +
                                            ") is outside 0 to " + std::to_string(size - 1));
    }
    if (sends[static_cast<size_t>(from)] || receives[static_cast<size_t>(to)]) {
      return context.error("T-permute", "the pair (" + std::to_string(from) + ", " + std::to_string(to) +
                                            ") repeats a source or a target; expected each at most once");
    }
    sends[static_cast<size_t>(from)] = receives[static_cast<size_t>(to)] = true;
  }
  return std::vector{context.operand(0)};
}

void CollectivePermute::infer_states(StateContext& context) const {
  if (!context.typed) return apply_untyped(context, axis, State::varying);
  apply_row(context, axis, exchange_row(context, "S-permute", "the same"), State::varying);
}

}  // namespace isoshard
