// Adjoints of what moves, repeats and adds up elements.
// A rule gives each operand the transposed linear map of the cotangent: what repeats is summed, what moves is moved
// back, what is cut off is padded with zeros, what is put together is cut apart (docs/spec/autodiff.md, "Rules").
// Slices with strides scatter into zeros. Equal maxima share the gradient equally, as in JAX, and an index of a maximum
// passes it to the first one. A product gives two products, whose dimensions are transposed only where they do not lie
// right by themselves. Cost: a constant number of ops per op.
#include <algorithm>
#include <numeric>

#include "core/transform/autodiff/rules.h"

namespace isoshard::autodiff {
namespace {

std::vector<int64_t> all_dims(size_t rank) {
  std::vector<int64_t> dims(rank);
  std::iota(dims.begin(), dims.end(), 0);
  return dims;
}

/// The dimensions of a tensor of that rank that are not in `gone`, in order.
std::vector<int64_t> others(size_t rank, const std::vector<int64_t>& gone) {
  std::vector<int64_t> dims;
  for (const int64_t d : all_dims(rank)) {
    if (std::find(gone.begin(), gone.end(), d) == gone.end()) dims.push_back(d);
  }
  return dims;
}

ValueId part(Emitter& at, ValueId x, int64_t dim, int64_t start, int64_t limit) {
  Shape from(at.shape(x).size(), 0), to = at.shape(x);
  from[static_cast<size_t>(dim)] = start;
  to[static_cast<size_t>(dim)] = limit;
  return at.op(Slice{std::move(from), std::move(to), {}}, {x});
}

/// Elements of `x` at every `stride`-th place from `start` along `dim`, in zeros of that size.
ValueId spread(Emitter& at, ValueId x, int64_t dim, int64_t start, int64_t stride, int64_t size) {
  TensorType type = at.type(x);
  const int64_t count = type.shape[static_cast<size_t>(dim)];
  type.shape[static_cast<size_t>(dim)] = size;
  const TensorType ids{DType::i32, {count}};
  const ValueId steps = at.scale(at.op(Iota{DType::i32, {count}, 0}, {}), Rational(stride));
  const ValueId places = at.add(steps, at.constant(Rational(start), ids));
  return at.op(ScatterAdd{dim, 0}, {at.constant(Rational(0), type), places, x});
}

}  // namespace

void adjoint(const BroadcastInDim& op, OpAdjoint& at) {
  const Shape& from = at.operand_type(0).shape;
  std::vector<int64_t> repeated = others(op.shape.size(), op.dims);
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i] == 1 && op.shape[static_cast<size_t>(op.dims[i])] != 1) repeated.push_back(op.dims[i]);
  }
  std::sort(repeated.begin(), repeated.end());
  ValueId sum = at.sum(at.cotangent(), repeated);
  // What is left stands in the order of the result; dims may permute.
  std::vector<int64_t> left;
  for (const int64_t d : others(op.shape.size(), repeated)) left.push_back(d);
  std::vector<int64_t> order;
  for (const int64_t d : op.dims) {
    const auto place = std::find(left.begin(), left.end(), d);
    if (place != left.end()) order.push_back(place - left.begin());
  }
  if (!std::is_sorted(order.begin(), order.end())) sum = at.op(Transpose{order}, {sum});
  at.give(0, at.shape(sum) == from ? sum : at.op(Reshape{from}, {sum}));
}

void adjoint(const Reshape&, OpAdjoint& at) { at.give(0, at.op(Reshape{at.operand_type(0).shape}, {at.cotangent()})); }

void adjoint(const Transpose& op, OpAdjoint& at) {
  std::vector<int64_t> inverse(op.permutation.size());
  for (size_t i = 0; i < inverse.size(); ++i) inverse[static_cast<size_t>(op.permutation[i])] = static_cast<int64_t>(i);
  at.give(0, at.op(Transpose{inverse}, {at.cotangent()}));
}

void adjoint(const Slice& op, OpAdjoint& at) {
  const Shape& from = at.operand_type(0).shape;
  ValueId g = at.cotangent();
  Pad pad{op.start, {}};
  for (size_t d = 0; d < from.size(); ++d) {
    const bool strided = !op.strides.empty() && op.strides[d] != 1;
    if (strided) {
      g = spread(at, g, static_cast<int64_t>(d), op.start[d], op.strides[d], from[d]);
      pad.low[d] = 0;
    }
    pad.high.push_back(strided ? 0 : from[d] - op.limit[d]);
  }
  const auto none = [](const std::vector<int64_t>& sizes) {
    return std::all_of(sizes.begin(), sizes.end(), [](int64_t n) { return n == 0; });
  };
  if (!none(pad.low) || !none(pad.high)) {
    g = at.op(std::move(pad), {g, at.constant(Rational(0), TensorType{at.type(g).dtype, {}})});
  }
  at.give(0, g);
}

void adjoint(const Concatenate& op, OpAdjoint& at) {
  int64_t start = 0;
  for (size_t i = 0; i < at.operand_count(); ++i) {
    const int64_t size = at.operand_type(i).shape[static_cast<size_t>(op.dim)];
    if (at.wants(i)) at.give(i, part(at, at.cotangent(), op.dim, start, start + size));
    start += size;
  }
}

void adjoint(const Pad& op, OpAdjoint& at) {
  const ValueId g = at.cotangent();
  Shape limit = at.operand_type(0).shape;
  for (size_t d = 0; d < limit.size(); ++d) limit[d] += op.low[d];
  const ValueId inner = at.op(Slice{op.low, limit, {}}, {g});
  at.give(0, inner);
  if (!at.wants(1)) return;
  const std::vector<int64_t> dims = all_dims(limit.size());
  at.give(1, at.subtract(at.sum(g, dims), at.sum(inner, dims)));
}

void adjoint(const Reverse& op, OpAdjoint& at) { at.give(0, at.op(Reverse{op.dims}, {at.cotangent()})); }

void adjoint(const Cumsum& op, OpAdjoint& at) {
  const ValueId sums = at.op(Cumsum{op.dim}, {at.reverse(at.cotangent(), op.dim)});
  at.give(0, at.reverse(sums, op.dim));
}

namespace {

/// What a reduction over `dims` gave, repeated along them.
ValueId along(OpAdjoint& at, ValueId reduced, const std::vector<int64_t>& dims) {
  const Shape& from = at.operand_type(0).shape;
  return at.broadcast(reduced, others(from.size(), dims), from);
}

/// Equal elements share the gradient of the largest or smallest one equally, as in JAX.
void give_to_extremes(const Reduce& op, OpAdjoint& at) {
  const ValueId x = at.operand(0);
  const ValueId chosen = at.compare(Direction::eq, x, along(at, at.result(), op.dims));
  const ValueId ones = at.where(chosen, at.constant_like(x, Rational(1)));
  const ValueId share = at.divide(at.cotangent(), at.sum(ones, op.dims));
  at.give(0, at.multiply(ones, along(at, share, op.dims)));
}

/// All of it to the first of the largest.
void give_to_first(const Reduce& op, OpAdjoint& at) {
  const Shape& from = at.operand_type(0).shape;
  const ValueId places = at.op(Iota{DType::i32, from, op.dims.front()}, {});
  const ValueId chosen = at.compare(Direction::eq, places, along(at, at.result(1), op.dims));
  at.give(0, at.where(chosen, along(at, at.cotangent(), op.dims)));
}

/// To each factor the product of the others, by the pairs of the product (Reduce) from the last one back: no division,
/// so that it holds at zeros.
void give_to_factors(const Reduce& op, OpAdjoint& at) {
  struct Pairs {
    int64_t dim;
    ValueId first, second;
    bool odd;
  };
  if (element_count(at.operand_type(0).shape) == 0) return at.give(0, at.constant_like(at.operand(0), Rational(0)));
  std::vector<Pairs> steps;
  ValueId x = at.operand(0);
  const auto size = [&](int64_t dim) { return at.shape(x)[static_cast<size_t>(dim)]; };
  for (const int64_t dim : op.dims) {
    while (size(dim) > 1) {
      const int64_t all = size(dim), half = all / 2;
      const Pairs& step =
          steps.emplace_back(Pairs{dim, part(at, x, dim, 0, half), part(at, x, dim, half, 2 * half), all % 2 == 1});
      const ValueId pairs = at.multiply(step.first, step.second);
      x = step.odd ? at.op(Concatenate{dim}, {pairs, part(at, x, dim, all - 1, all)}) : pairs;
    }
  }
  ValueId g = at.op(Reshape{at.shape(x)}, {at.cotangent()});
  for (auto step = steps.rbegin(); step != steps.rend(); ++step) {
    const int64_t half = at.shape(step->first)[static_cast<size_t>(step->dim)];
    const ValueId pairs = step->odd ? part(at, g, step->dim, 0, half) : g;
    std::vector<ValueId> parts{at.multiply(pairs, step->second), at.multiply(pairs, step->first)};
    if (step->odd) parts.push_back(part(at, g, step->dim, half, half + 1));
    g = at.op(Concatenate{step->dim}, std::move(parts));
  }
  at.give(0, g);
}

}  // namespace

void adjoint(const Reduce& op, OpAdjoint& at) {
  if (op.op == Reducer::mul) return give_to_factors(op, at);
  if (op.op == Reducer::add) return at.give(0, along(at, at.cotangent(), op.dims));
  if (op.op == Reducer::argmax) return give_to_first(op, at);
  give_to_extremes(op, at);
}

namespace {

/// One operand of a product: the dimensions it shares, sums over and keeps.
struct Factor {
  const std::vector<int64_t>& batch;
  const std::vector<int64_t>& contract;
  std::vector<int64_t> free;

  Factor(size_t rank, const std::vector<int64_t>& shared, const std::vector<int64_t>& summed)
      : batch(shared), contract(summed) {
    std::vector<int64_t> gone = batch;
    gone.insert(gone.end(), contract.begin(), contract.end());
    free = others(rank, gone);
  }
};

/// The summed dimensions of `own`, in the order in which `other` keeps its partners.
std::vector<int64_t> partners(const Factor& own, const Factor& other) {
  std::vector<int64_t> order = other.contract, result;
  std::sort(order.begin(), order.end());
  for (const int64_t d : order) {
    const auto pair = std::find(other.contract.begin(), other.contract.end(), d) - other.contract.begin();
    result.push_back(own.contract[static_cast<size_t>(pair)]);
  }
  return result;
}

void append(std::vector<int64_t>& to, const std::vector<int64_t>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// g times the other operand, summed over what only that one kept, in the order of operand i. The operands stand as
/// they did, so that the plain matrix product needs no transpose for its second factor.
///
/// g has the batch, then what the left operand kept, then what the right one kept.
void give_factor(const DotGeneral& op, size_t i, OpAdjoint& at) {
  const Factor left(at.operand_type(0).shape.size(), op.batch.lhs, op.contract.lhs);
  const Factor right(at.operand_type(1).shape.size(), op.batch.rhs, op.contract.rhs);
  const Factor &own = i == 0 ? left : right, &other = i == 0 ? right : left;
  const std::vector<int64_t> batch = all_dims(own.batch.size());
  std::vector<int64_t> summed = all_dims(batch.size() + own.free.size() + other.free.size());
  const auto first = summed.begin() + static_cast<std::ptrdiff_t>(batch.size() + (i == 0 ? own.free.size() : 0));
  summed = {first, first + static_cast<std::ptrdiff_t>(other.free.size())};
  std::vector<int64_t> made = own.batch;  // which dimension of the operand each one of the product is
  ValueId product;
  if (i == 0) {
    product = at.op(DotGeneral{{summed, other.free}, {}, {batch, other.batch}}, {at.cotangent(), at.operand(1)});
    append(made, own.free);
    append(made, partners(own, other));
  } else {
    product = at.op(DotGeneral{{other.free, summed}, {}, {other.batch, batch}}, {at.operand(0), at.cotangent()});
    append(made, partners(own, other));
    append(made, own.free);
  }
  std::vector<int64_t> order(made.size());
  for (size_t k = 0; k < made.size(); ++k) order[static_cast<size_t>(made[k])] = static_cast<int64_t>(k);
  at.give(i, std::is_sorted(order.begin(), order.end()) ? product : at.op(Transpose{order}, {product}));
}

}  // namespace

void adjoint(const DotGeneral& op, OpAdjoint& at) {
  for (const size_t i : {0U, 1U}) {
    if (at.wants(i)) give_factor(op, i, at);
  }
}

}  // namespace isoshard::autodiff
