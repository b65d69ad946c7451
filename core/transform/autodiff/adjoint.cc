// Runs the adjoints of a region's ops, last first, and keeps the sum of cotangents per value (docs/spec/autodiff.md,
// "Rules"). Rules are written without regard to states; give() brings each cotangent into the state dual to its
// value's: a device's own value of a gradient of a replicated one is a term (V to P), and what is equal counts as each
// device's own. So the Builder's state inference checks every rule, and no reduction is ever inserted. Zeros are not
// added: a value without a cotangent has none, and gets zeros only where a rule needs it. Cost: one rule and at most
// one addition per use.
#include "core/transform/autodiff/adjoint.h"

#include <utility>

namespace isoshard::autodiff {

ValueType cotangent_type(const Program& program, ValueId value) {
  ValueType type = program.value(value).type;
  type.has_gradient = false;
  for (State& state : type.states) state = program.typed() ? dual(state) : state;
  return type;
}

ValueType extra_type(const Module& module, const Program& program, const Analysis& analysis, const ExtraResult& which) {
  const Op& op = program.op(which.op);
  if (const Scan* scan = std::get_if<Scan>(&op.data)) {
    const KeptValue& saved = analysis.copy.scans.at(which.op.index()).saved[which.index];
    ValueType type =
        saved.value.valid() ? program.value(saved.value).type : extra_type(module, program, analysis, saved.extra);
    type.tensor = scan->stack(std::move(type.tensor));
    return type;
  }
  const Program& forward = module.program(analysis.callees.at(which.op.index()).forward);
  return forward.value(forward.body().results[op.results.size() + which.index]).type;
}

namespace {

/// The axes on which `x` is something else than `to` and the dual of `primal` is `to`.
Group axes_to(const States& x, const States& primal, State to) {
  Group group;
  for (size_t i = 0; i < primal.size(); ++i) {
    if (dual(primal[i]) == to && x[i] != to && x[i] != State::unknown) group.axes.push_back(AxisId(i));
  }
  return group;
}

/// `x` in the states dual to those of `primal`. What a device computed for itself is its term of the gradient of a
/// replicated value (V -> P); what is equal counts as each device's own (= -> V); zeros are terms of anything.
ValueId in_dual_states(Emitter& at, ValueId x, const States& primal) {
  if (!at.typed()) return x;
  for (const State to : {State::varying, State::partial}) {
    const Group group = axes_to(at.builder().type(x).states, primal, to);
    if (!group.empty()) x = at.op(Reinterpret{group, to}, {x});
  }
  return x;
}

}  // namespace

void Adjoint::give(ValueId original, ValueId cotangent, const Location& location) {
  if (!active(original) || !cotangent.valid()) return;
  Emitter at(out_, location, program_.value(original).name);
  cotangent = in_dual_states(at, cotangent, program_.value(original).type.states);
  ValueId& sum = cotangents_[original.index()];
  sum = sum.valid() ? at.add(sum, cotangent) : cotangent;
}

ValueId Adjoint::cotangent(ValueId original) const {
  const auto known = cotangents_.find(original.index());
  return known == cotangents_.end() ? ValueId() : known->second;
}

ValueId Adjoint::cotangent_or_zeros(ValueId original, const Location& location) {
  const ValueId known = cotangent(original);
  if (known.valid()) return known;
  Emitter at(out_, location);
  const ValueType& type = program_.value(original).type;
  return in_dual_states(at, at.constant(Rational(0), type.tensor), type.states);
}

bool Adjoint::run(const Region& region, DiagnosticSink& sink) {
  const size_t errors = sink.error_count();
  for (size_t i = region.ops.size(); i-- > 0;) {
    const Op& op = program_.op(region.ops[i]);
    bool reached = false;
    for (const ValueId result : op.results) reached |= cotangent(result).valid();
    if (!reached) continue;
    OpAdjoint at(*this, region.ops[i], op, sink);
    differentiate(op.data, at);
    if (sink.error_count() != errors) return false;
  }
  return true;
}

Group OpAdjoint::axes_in(size_t i, const Group& group, State state) const {
  const States& states = pass_.program_.value(op_.operands[i]).type.states;
  Group result;
  for (const AxisId axis : group.axes) {
    if (states[axis.index()] == state) result.axes.push_back(axis);
  }
  return result;
}

ValueId OpAdjoint::fixed(ValueId original) {
  ValueId& known = pass_.fixed_[original.index()];
  if (known.valid()) return known;
  const ValueId value = pass_.primals_.value(original);
  known = builder().type(value).has_gradient ? op(StopGradient{}, {value}) : value;
  return known;
}

void OpAdjoint::refuse(const std::string& reason) {
  sink_.error("A-not-differentiable", location(), std::string(op_name(op_.data)) + " has no derivative: " + reason);
}

}  // namespace isoshard::autodiff
