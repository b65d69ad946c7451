// Types and states of the ops that change a state, and of those that read or cut by the place of a device
// (docs/spec/states.md, "Collectives and conversions"). `convert_state` and `reinterpret` have a list of allowed pairs
// each, from and to; a pair that is not there is an error that names the repair. `convert_state` to P needs an owner,
// who keeps the value while the others hold zeros, and numbers, since P is a sum. Untyped programs know only = and V,
// so that conversions which would only name another state are errors there. Cost: axes times pairs.
#include "core/ir/ops/conversions.h"

#include <algorithm>
#include <initializer_list>

#include "core/ir/ops/shape_checks.h"
#include "core/ir/state_repairs.h"

namespace isoshard {
namespace {

struct Row {
  State from, to;
};

/// Applies the first row of `rows` that starts at the operand's state and ends in `to`; other axes keep their state.
void convert(StateContext& context, const Group& group, State to, std::initializer_list<Row> rows,
             const std::string& rule, const std::string& expected) {
  const AxisSet axes = group.set();
  for (size_t i = 0; i < context.result.size(); ++i) {
    const AxisId axis(i);
    const State from = context.operand(0, axis);
    if (!axes.contains(axis)) {
      context.set(axis, from);
      continue;
    }
    const bool found =
        std::any_of(rows.begin(), rows.end(), [&](const Row& r) { return r.from == from && r.to == to; });
    if (found) {
      context.set(axis, to);
    } else if (from != State::unknown) {
      context.error(rule, axis,
                    context.operands[0].name + " is " + letter(from) + " over `" + context.mesh.axis(axis).name +
                        "` and cannot become " + letter(to) + "; expected " + expected + ": " +
                        repair_conversion(context.operands[0], context.mesh.axis(axis).name, from, to, context.op));
    }
  }
}

/// P is a term of a sum, which predicates have none of.
bool check_summable(const InferContext& context, std::optional<State> to) {
  if (to != State::partial || is_numeric(context.operand(0).dtype)) return true;
  context.error("T-numeric",
                "the operand is " + to_string(context.operand(0)) + "; expected numbers, because P is a sum");
  return false;
}

/// `state` on the axes of `group`, the operand's elsewhere.
void set_all(StateContext& context, const Group& group, State state) {
  const AxisSet axes = group.set();
  for (size_t i = 0; i < context.result.size(); ++i) {
    context.set(AxisId(i), axes.contains(AxisId(i)) ? state : context.operand(0, AxisId(i)));
  }
}

void all_varying(StateContext& context, const Group& group) { set_all(context, group, State::varying); }

}  // namespace

Inferred ConvertState::infer(const InferContext& context) const {
  const int64_t size = context.mesh().size(axis);
  if (to == State::partial && (!owner || *owner < 0 || *owner >= size)) {
    return context.error("T-owner",
                         owner ? "owner " + std::to_string(*owner) + " is outside 0 to " + std::to_string(size - 1)
                               : "`to=P` needs `owner=k`, the index that keeps the value");
  }
  if (to != State::partial && owner) return context.error("T-owner", "`owner` is only for `to=P`; leave it out");
  if (to != State::partial && to != State::invariant) {
    return context.error("T-convert-state", "`to` is " + std::string(1, letter(to.value_or(State::unknown))) +
                                                "; expected I or P (reinterpret gives R and V)");
  }
  if (!check_summable(context, to)) return std::nullopt;
  return std::vector{context.operand(0)};
}

void ConvertState::infer_states(StateContext& context) const {
  using enum State;
  if (!context.typed && to == partial) return all_varying(context, axis);
  if (!context.typed) {
    context.error("S-untyped", axis.axes.front(), "untyped programs have only = and V; leave the op out");
    return;
  }
  convert(context, axis, to.value_or(unknown),
          {{replicated, invariant}, {invariant, partial}, {replicated, partial}, {equal, partial}}, "S-convert_state",
          to == invariant ? "R" : "R, I or =");
}

Inferred Reinterpret::infer(const InferContext& context) const {
  if (to != State::replicated && to != State::varying && to != State::partial) {
    return context.error("T-reinterpret", "`to` is " + std::string(1, letter(to.value_or(State::unknown))) +
                                              "; expected R, V or P (convert_state gives I)");
  }
  if (!check_summable(context, to)) return std::nullopt;
  return std::vector{context.operand(0)};
}

void Reinterpret::infer_states(StateContext& context) const {
  using enum State;
  if (!context.typed) {
    context.error("S-untyped", axis.axes.front(), "untyped programs have only = and V; leave the op out");
    return;
  }
  // A term taken for each device's own value loses the sum: only a gradient of assert_equal may.
  const State own = context.has_gradient ? equal : partial;
  convert(context, axis, to.value_or(unknown),
          {{invariant, replicated},
           {replicated, varying},
           {varying, partial},
           {replicated, partial},
           {equal, varying},
           {own, varying},
           {equal, partial}},
          "S-reinterpret",
          to == replicated ? "I"
          : to == varying  ? "R or ="
                           : "R, V or =");
}

Inferred SliceBlock::infer(const InferContext& context) const {
  TensorType result = context.operand(0);
  if (!check_dim(context, dim, result.shape.size())) return std::nullopt;
  if (!check_divides(context, result.shape, dim, axis)) return std::nullopt;
  result.shape[static_cast<size_t>(dim)] /= context.mesh().size(axis);
  return std::vector{result};
}

void SliceBlock::infer_states(StateContext& context) const {
  using enum State;
  if (!context.typed) return all_varying(context, axis);
  convert(context, axis, varying, {{replicated, varying}, {invariant, varying}, {equal, varying}}, "S-slice_block",
          "R, I or =");
}

Inferred PlaceBlock::infer(const InferContext& context) const {
  TensorType result = context.operand(0);
  if (!is_numeric(result.dtype)) {
    return context.error("T-numeric", "the operand is " + to_string(result) + "; expected numbers, because P is a sum");
  }
  if (!check_dim(context, dim, result.shape.size())) return std::nullopt;
  result.shape[static_cast<size_t>(dim)] *= context.mesh().size(axis);
  return std::vector{result};
}

void PlaceBlock::infer_states(StateContext& context) const {
  using enum State;
  if (!context.typed) return all_varying(context, axis);
  convert(context, axis, partial, {{varying, partial}}, "S-place_block", "V, the device's own block");
}

Inferred AssertEqual::infer(const InferContext& context) const { return std::vector{context.operand(0)}; }

void AssertEqual::infer_states(StateContext& context) const {
  using enum State;
  if (!context.typed) return set_all(context, axis, equal);
  const State result = context.has_gradient ? replicated : equal;
  convert(context, axis, result, {{varying, replicated}, {varying, equal}}, "S-assert_equal", "V");
}

}  // namespace isoshard
