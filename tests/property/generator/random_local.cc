// Ops that every device computes on its own values.

#include <algorithm>
#include <utility>

#include "tests/property/generator/random_body.h"
#include "tests/property/generator/random_convolution.h"
#include "tests/property/generator/random_functions.h"
#include "tests/property/generator/random_movement.h"

namespace isoshard::testing {

bool BodyGrower::leaf() {
  const bool program = kind_ == ProgramKind::program;
  if (dice_.chance(30) && mesh_->axis_count() != 0) return try_op(AxisIndex{Group{dice_.some(axes())}}, {});
  if (dice_.chance(40) && program) return view(GlobalId(dice_.below(module_.globals.size())));
  if (dice_.chance(20) && program) return block_size(GlobalId(dice_.below(module_.globals.size())));
  const TensorType like = type(any()).tensor;
  return try_op(Constant{number(like.dtype), like.dtype, like.shape}, {});
}

bool BodyGrower::unary() {
  const ValueId x = any();
  if (dice_.chance(25)) return try_op(random_order_op(dice_, type(x).tensor), {x});
  return try_op(random_function(dice_, type(x).tensor, options_.exponentials), {x});
}

bool BodyGrower::binary() {
  const ValueId x = any(), y = partner(x);
  if (dice_.chance(15)) {
    const ValueId third = any();
    return try_op(Select{}, {third, x, y}) || try_op(Clamp{}, {third, x, y});
  }
  return try_op(random_combination(dice_, type(x).tensor), {x, y});
}

bool BodyGrower::reshaping() {
  const ValueId x = any();
  switch (dice_.in(0, 4)) {
    case 0:
      return broadcast(x);
    case 1:
      return try_op(Reshape{split_or_flatten(shape(x))}, {x});
    case 2:
      return transpose(x);
    case 3:
      return slice(x);
    default:
      return concatenate(x);
  }
}

bool BodyGrower::broadcast(ValueId x) {
  BroadcastInDim op{{}, shape(x)};
  const size_t at = dice_.below(op.shape.size() + 1);
  op.shape.insert(op.shape.begin() + static_cast<std::ptrdiff_t>(at), dice_.in(1, 3));
  for (size_t i = 0; i < op.shape.size(); ++i) {
    if (i != at) op.dims.push_back(static_cast<int64_t>(i));
  }
  return try_op(std::move(op), {x});
}

bool BodyGrower::transpose(ValueId x) {
  std::vector<int64_t> permutation(shape(x).size());
  for (size_t i = 0; i < permutation.size(); ++i) permutation[i] = static_cast<int64_t>(i);
  dice_.shuffle(permutation);
  return try_op(Transpose{std::move(permutation)}, {x});
}

Shape BodyGrower::split_or_flatten(const Shape& from) {
  if (from.empty()) return {1};
  if (dice_.chance(50)) return {element_count(from)};
  Shape to = from;
  const size_t at = dice_.below(to.size());
  const int64_t factor = to[at] % 2 == 0 ? 2 : to[at] % 3 == 0 ? 3 : 1;
  to[at] /= factor;
  to.insert(to.begin() + static_cast<std::ptrdiff_t>(at), factor);
  return to;
}

bool BodyGrower::slice(ValueId x) {
  Slice op;
  const bool strided = dice_.chance(40);
  for (const int64_t size : shape(x)) {
    const int64_t start = dice_.in(0, size), limit = dice_.in(start, size);
    const bool whole = start == limit;  // sizes of 0 are legal but make every later value empty
    op.start.push_back(whole ? 0 : start);
    op.limit.push_back(whole ? size : limit);
    if (strided) op.strides.push_back(dice_.in(1, 2));
  }
  return try_op(std::move(op), {x});
}

bool BodyGrower::concatenate(ValueId x) {
  if (shape(x).empty()) return false;
  std::vector<ValueId> operands{x};
  for (int64_t i = dice_.in(0, 2); i > 0; --i) operands.push_back(partner(x));
  return try_op(Concatenate{static_cast<int64_t>(dice_.below(shape(x).size()))}, std::move(operands));
}

/// Integers for the last dimension of `shape`; they differ between devices at times, and some point outside.
ValueId BodyGrower::indices(const Shape& shape) {
  const auto counted = static_cast<int64_t>(dice_.below(shape.size()));
  const ValueId ids = must(Iota{DType::i32, shape, counted}, {});
  if (mesh_->axis_count() == 0 || dice_.chance(40)) return ids;
  const ValueId device = must(AxisIndex{Group{dice_.some(axes())}}, {});
  const ValueId shift = must(BroadcastInDim{{}, shape}, {device});
  const bool down = dice_.chance(30);
  return down ? must(Subtract{}, {ids, shift}) : must(Add{}, {ids, shift});
}

/// As many indices as entries, so that a gather has the shape of `x`, and updates of it too.
bool BodyGrower::indexed() {
  const ValueId x = any();
  if (rank(x) == 0) return false;
  const int64_t dim = dice_.in(0, rank(x) - 1), batch = dice_.in(0, dim);
  Shape ids(shape(x).begin(), shape(x).begin() + batch);
  ids.push_back(shape(x)[static_cast<size_t>(dim)]);
  const ValueId at = indices(ids);
  if (dice_.chance(30)) return try_op(Gather{dim, batch}, {x, at});
  return try_op(ScatterAdd{dim, batch}, {x, at, partner(x)});
}

bool BodyGrower::movement() {
  if (options_.integers && dice_.chance(30)) return indexed();
  std::optional<ProposedOp> proposed =
      random_movement(dice_, values_, [this](ValueId id) -> const TensorType& { return type(id).tensor; });
  return proposed && try_op(std::move(proposed->op), std::move(proposed->operands));
}

AxisSet BodyGrower::partial_axes(ValueId a, ValueId b) {
  AxisSet result;
  for (const AxisId axis : axes()) {
    const bool varies =
        type(a).states[axis.index()] == State::varying || type(b).states[axis.index()] == State::varying;
    if (options_.typed && varies && dice_.chance(60)) result.insert(axis);
  }
  return result;
}

bool BodyGrower::contraction() {
  const ValueId x = any();
  if (dice_.chance(40)) {
    Reduce op{Reducer::add, {}, partial_axes(x, x)};
    for (size_t d = 0; d < shape(x).size(); ++d) {
      if (dice_.chance(60)) op.dims.push_back(static_cast<int64_t>(d));
    }
    return try_op(std::move(op), {x});
  }
  if (dice_.chance(60)) return convolution(x);
  const ValueId y = any();
  DotGeneral op{{}, partial_axes(x, y)};
  std::vector<bool> used(shape(y).size());
  for (size_t i = 0; i < shape(x).size(); ++i) {
    for (size_t j = 0; j < shape(y).size(); ++j) {
      if (used[j] || shape(x)[i] != shape(y)[j] || dice_.chance(30)) continue;
      used[j] = true;
      op.contract.lhs.push_back(static_cast<int64_t>(i));
      op.contract.rhs.push_back(static_cast<int64_t>(j));
      break;
    }
  }
  return try_op(std::move(op), {x, y});
}

/// Few values have dimensions that fit; one of the same shape does, with the same dimension as features.
bool BodyGrower::convolution(ValueId x) {
  const ValueId y = dice_.chance(60) ? partner(x) : any();
  std::optional<Convolution> op = random_convolution(dice_, shape(x), shape(y));
  if (!op) return false;
  op->partial = partial_axes(x, y);
  return try_op(*std::move(op), {x, y});
}

}  // namespace isoshard::testing
