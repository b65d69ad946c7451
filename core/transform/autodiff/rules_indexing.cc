// Adjoints of what picks elements by computed indices.
#include "core/transform/autodiff/rules.h"

namespace isoshard::autodiff {
namespace {

/// The operands behind the first `count`, which are starts of a block.
std::vector<ValueId> with_starts(OpAdjoint& at, size_t count, std::vector<ValueId> operands) {
  for (size_t i = count; i < at.operand_count(); ++i) operands.push_back(at.operand(i));
  return operands;
}

ValueId zeros(OpAdjoint& at, size_t operand) { return at.constant(Rational(0), at.operand_type(operand)); }

/// The indices of operand 1 as gather clamps them: scatter_add drops what lies outside.
ValueId clamped(OpAdjoint& at, int64_t size) {
  const ValueId ids = at.operand(1);
  const ValueId low = at.op(Maximum{}, {ids, at.constant_like(ids, Rational(0))});
  return at.op(Minimum{}, {low, at.constant_like(ids, Rational(size - 1))});
}

}  // namespace

void adjoint(const DynamicSlice&, OpAdjoint& at) {
  if (at.wants(0)) at.give(0, at.op(DynamicUpdateSlice{}, with_starts(at, 1, {zeros(at, 0), at.cotangent()})));
}

void adjoint(const DynamicUpdateSlice&, OpAdjoint& at) {
  if (at.wants(0)) at.give(0, at.op(DynamicUpdateSlice{}, with_starts(at, 2, {at.cotangent(), zeros(at, 1)})));
  if (at.wants(1)) at.give(1, at.op(DynamicSlice{at.operand_type(1).shape}, with_starts(at, 2, {at.cotangent()})));
}

void adjoint(const Gather& op, OpAdjoint& at) {
  const int64_t size = at.operand_type(0).shape[static_cast<size_t>(op.dim)];
  at.give(0, at.op(ScatterAdd{op.dim, op.batch}, {zeros(at, 0), clamped(at, size), at.cotangent()}));
}

/// Updates outside were dropped: they have no gradient.
void adjoint(const ScatterAdd& op, OpAdjoint& at) {
  const ValueId g = at.cotangent();
  at.give(0, g);
  if (!at.wants(2)) return;
  const int64_t size = at.operand_type(0).shape[static_cast<size_t>(op.dim)];
  const ValueId ids = at.operand(1);
  const ValueId above = at.compare(Direction::ge, ids, at.constant_like(ids, Rational(0)));
  const ValueId below = at.compare(Direction::lt, ids, at.constant_like(ids, Rational(size)));
  const ValueId picked = at.op(Gather{op.dim, op.batch}, {g, ids});
  // Indices stand behind the batch and the dimensions before `dim`.
  std::vector<int64_t> dims;
  const auto rank = static_cast<int64_t>(at.shape(ids).size());
  for (int64_t d = 0; d < rank; ++d) dims.push_back(d < op.batch ? d : d - op.batch + op.dim);
  const ValueId inside = at.broadcast(at.op(And{}, {above, below}), dims, at.shape(picked));
  at.give(2, at.where(inside, picked));
}

/// The picked elements get what their values got.
void adjoint(const TopK&, OpAdjoint& at) {
  const auto last = static_cast<int64_t>(at.operand_type(0).shape.size()) - 1;
  at.give(0, at.op(ScatterAdd{last, last}, {zeros(at, 0), at.result(1), at.cotangent()}));
}

}  // namespace isoshard::autodiff
