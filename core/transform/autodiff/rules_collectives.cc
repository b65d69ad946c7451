// The adjoint table of docs/spec/states.md, "Collectives and conversions": the table without assert_equal is closed
// under it.
#include <optional>
#include <utility>

#include "core/transform/autodiff/rules.h"

namespace isoshard::autodiff {

namespace {

/// A sum over devices that already hold the same (I, a state error) is that many times the operand, and so is its
/// gradient. Of R, where gradients are terms, it is so without more.
ValueId times_copies(OpAdjoint& at, const Group& group, ValueId g) {
  const Group copies = at.typed() ? at.axes_in(0, group, State::invariant) : Group();
  if (copies.empty()) return g;
  return at.op(AllReduce{copies, std::nullopt}, {at.op(Reinterpret{copies, State::partial}, {g})});
}

}  // namespace

/// R: every device's gradient is a term, and their sum is made in the precision of this one; I: the gradient arrives
/// complete.
void adjoint(const AllReduce& op, OpAdjoint& at) {
  if (op.op != Reducer::none && op.op != Reducer::add) {
    return at.refuse("expected stop_gradient before a reduction over devices that is no sum");
  }
  const ValueId g = at.cotangent();
  const ValueId sum =
      op.to == State::invariant ? g : at.op(AllReduce{op.axis, std::nullopt, Reducer::none, op.precision}, {g});
  at.give(0, times_copies(at, op.axis, sum));
}

void adjoint(const AllGather& op, OpAdjoint& at) {
  const ValueId g = at.cotangent();
  const bool complete = op.to == State::invariant;
  at.give(0, complete ? at.op(SliceBlock{op.axis, op.dim}, {g}) : at.op(ReduceScatter{op.axis, op.dim}, {g}));
}

void adjoint(const ReduceScatter& op, OpAdjoint& at) {
  at.give(0, times_copies(at, op.axis, at.op(AllGather{op.axis, op.dim, std::nullopt}, {at.cotangent()})));
}

void adjoint(const AllToAll& op, OpAdjoint& at) {
  at.give(0, at.op(AllToAll{op.axis, op.concat_dim, op.split_dim}, {at.cotangent()}));
}

/// Back along the same ways; who sent nothing receives zeros.
void adjoint(const CollectivePermute& op, OpAdjoint& at) {
  CollectivePermute back = op;
  if (op.shift) back.shift = -*op.shift;
  for (IndexPair& pair : back.pairs) std::swap(pair.first, pair.second);
  at.give(0, at.op(std::move(back), {at.cotangent()}));
}

/// R -> I and I -> P are each other's adjoint; R -> P is its own. Without states only an owner changes anything.
void adjoint(const ConvertState& op, OpAdjoint& at) {
  const ValueId g = at.cotangent();
  if (!at.typed()) return at.give(0, op.owner ? at.op(op, {g}) : g);
  const Group replicated = at.axes_in(0, op.axis, State::replicated);
  at.give(0, replicated.empty() ? g : at.op(ConvertState{replicated, State::partial, 0}, {g}));
}

void adjoint(const Reinterpret& op, OpAdjoint& at) {
  const ValueId g = at.cotangent();
  if (op.to == State::replicated) return at.give(0, at.op(AllReduce{op.axis, std::nullopt}, {g}));
  // To V and to P: the same values in the dual states of the operand, R -> P included.
  at.give(0, g);
}

/// From I the blocks make up the whole gradient, from R they are its terms.
void adjoint(const SliceBlock& op, OpAdjoint& at) {
  const ValueId g = at.cotangent();
  const Group invariant = at.axes_in(0, op.axis, State::invariant);
  if (invariant == op.axis) return at.give(0, at.op(AllGather{op.axis, op.dim, std::nullopt}, {g}));
  const ValueId terms = at.op(PlaceBlock{op.axis, op.dim}, {g});
  at.give(0, invariant.empty() ? terms : at.op(AllReduce{invariant, std::nullopt}, {terms}));
}

void adjoint(const PlaceBlock& op, OpAdjoint& at) { at.give(0, at.op(SliceBlock{op.axis, op.dim}, {at.cotangent()})); }

void adjoint(const AssertEqual& op, OpAdjoint& at) {
  at.give(0, at.op(Reinterpret{op.axis, State::varying}, {at.cotangent()}));
}

}  // namespace isoshard::autodiff
