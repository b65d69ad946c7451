// Mistakes in which elements are read, sent or joined: offsets, the order of blocks, dimensions.

#include <algorithm>
#include <numeric>

#include "tests/mutation/operators/operators.h"

namespace isoshard::mutation {
namespace {

/// One of the dimensions of which `fits` says yes, or -1.
template <class Fits>
int64_t some_dim(Place& p, size_t rank, const Fits& fits) {
  std::vector<int64_t> dims;
  for (size_t d = 0; d < rank; ++d) {
    if (fits(d)) dims.push_back(static_cast<int64_t>(d));
  }
  return dims.empty() ? -1 : p.dice.pick(dims);
}

/// A range of a dimension of `size` moved by one to where there is room; false where there is none.
bool move_range(Place& p, int64_t& start, int64_t& limit, int64_t size) {
  const int64_t by = limit < size && (start == 0 || p.dice.chance(50)) ? 1 : -1;
  if (by < 0 && start == 0) return false;
  start += by;
  limit += by;
  return true;
}

Replacement moved_slice(Place& p, Slice op) {
  const Shape& whole = p.shape(p.operand(0));
  const int64_t d = some_dim(p, whole.size(), [&](size_t i) { return op.start[i] > 0 || op.limit[i] < whole[i]; });
  if (d < 0 || !move_range(p, op.start[at(d)], op.limit[at(d)], whole[at(d)])) return std::nullopt;
  return p.append(op, p.operands());
}

/// The next block of a view, or the next elements of its block.
Replacement moved_view(Place& p, View op) {
  for (BlockRange& range : op.range) {
    if (range.start == 0 || p.dice.chance(30)) continue;
    --range.start;
    if (range.limit) --*range.limit;
    return p.append(op, {});
  }
  const int64_t d = some_dim(p, op.layout.size(), [&](size_t i) { return !op.layout[i].axes.empty(); });
  if (d < 0) return std::nullopt;
  ViewEntry& entry = op.layout[at(d)];
  entry.offset += p.dice.chance(50) ? 1 : -1;
  p.did = "the next block";
  return p.append(op, {});
}

Replacement wrong_offset(Place& p) {
  p.did = "one element further";
  if (const Slice* op = p.as<Slice>()) return moved_slice(p, *op);
  if (const View* op = p.as<View>()) return moved_view(p, *op);
  std::vector<ValueId> in = p.operands();
  if (p.as<DynamicSlice>() != nullptr || p.as<DynamicUpdateSlice>() != nullptr) {
    in.back() = p.add(Add{}, {in.back(), p.constant(Rational(1), in.back())});
    return p.again(in);
  }
  if (p.as<Gather>() != nullptr || p.as<ScatterAdd>() != nullptr) {
    in[1] = p.add(Add{}, {in[1], p.constant(Rational(1), in[1])});
    return p.again(in);
  }
  const SliceBlock* op = p.as<SliceBlock>();
  if (op == nullptr) return std::nullopt;
  p.did = "every device takes the first block";
  const int64_t n = p.shape(in[0])[at(op->dim)] / p.mesh().size(op->axis);
  return std::vector{p.slice(in[0], op->dim, 0, n)};
}

/// The blocks of `value` along `dim` in another order, which is not that of the devices.
ValueId with_swapped_blocks(Place& p, ValueId value, int64_t dim, int64_t blocks) {
  const int64_t n = p.shape(value)[at(dim)] / blocks;
  std::vector<ValueId> parts;
  for (int64_t b = 0; b < blocks; ++b) parts.push_back(p.slice(value, dim, b * n, (b + 1) * n));
  const size_t first = p.dice.below(parts.size() - 1);
  std::swap(parts[first], parts[first + 1]);
  return p.add(Concatenate{dim}, parts);
}

Replacement swapped_blocks(Place& p) {
  p.did = "two blocks change places";
  const auto many = [&](const Group& group) { return p.mesh().size(group) > 1; };
  if (const AllGather* op = p.as<AllGather>(); op != nullptr && many(op->axis)) {
    return std::vector{with_swapped_blocks(p, p.again(p.operands())[0], op->dim, p.mesh().size(op->axis))};
  }
  if (const AllToAll* op = p.as<AllToAll>(); op != nullptr && many(op->axis)) {
    return std::vector{with_swapped_blocks(p, p.again(p.operands())[0], op->concat_dim, p.mesh().size(op->axis))};
  }
  if (const ReduceScatter* op = p.as<ReduceScatter>(); op != nullptr && many(op->axis)) {
    return p.again({with_swapped_blocks(p, p.operand(0), op->dim, p.mesh().size(op->axis))});
  }
  if (const SliceBlock* op = p.as<SliceBlock>(); op != nullptr && many(op->axis)) {
    return p.again({with_swapped_blocks(p, p.operand(0), op->dim, p.mesh().size(op->axis))});
  }
  const View* view = p.as<View>();
  if (view == nullptr) return std::nullopt;
  View other = *view;
  const int64_t d = some_dim(p, other.layout.size(), [&](size_t i) { return many(other.layout[i].axes); });
  if (d < 0) return std::nullopt;
  ViewEntry& entry = other.layout[at(d)];
  if (entry.split == Split::uneven) return std::nullopt;
  const int64_t blocks = p.mesh().size(entry.axes);
  entry.of = BlockOf{Expr(blocks - 1) - block_expr(entry, p.mesh()), blocks};
  entry.axes = Group{};
  entry.offset = 0;
  p.did = "the blocks in the opposite order";
  return p.append(other, {});
}

Replacement wrong_concat_order(Place& p) {
  if (p.as<Concatenate>() == nullptr || p.operands().size() < 2) return std::nullopt;
  std::vector<ValueId> in = p.operands();
  const auto by = static_cast<std::ptrdiff_t>(1 + p.dice.below(in.size() - 1));
  std::rotate(in.begin(), in.begin() + by, in.end());
  p.did = "the parts in another order";
  return p.again(in);
}

/// Along another dimension, where the shapes hide it; or a transpose too few.
Replacement wrong_dimension(Place& p) {
  p.did = "along another dimension";
  if (const Cumsum* op = p.as<Cumsum>()) {
    Cumsum other = *op;
    const int64_t rank = std::ssize(p.shape(p.operand(0)));
    if (rank < 2) return std::nullopt;
    other.dim = (other.dim + 1) % rank;
    return p.append(other, p.operands());
  }
  if (const Iota* op = p.as<Iota>(); op != nullptr && op->shape.size() > 1) {
    Iota other = *op;
    other.dim = (other.dim + 1) % std::ssize(op->shape);
    return p.append(other, {});
  }
  if (p.as<Transpose>() != nullptr) {
    p.did = "the elements as they lie, not transposed";
    const ValueId moved = p.again(p.operands())[0];
    return p.append(Reshape{p.shape(moved)}, p.operands());
  }
  if (const BroadcastInDim* op = p.as<BroadcastInDim>(); op != nullptr && op->dims.size() == 1) {
    const int64_t size = op->shape[at(op->dims[0])];
    const int64_t d =
        some_dim(p, op->shape.size(), [&](size_t i) { return op->shape[i] == size && i != at(op->dims[0]); });
    if (d < 0) return std::nullopt;
    BroadcastInDim other = *op;
    other.dims[0] = d;
    return p.append(other, p.operands());
  }
  if (const DotGeneral* op = p.as<DotGeneral>();
      op != nullptr && op->batch.lhs.empty() && op->contract.lhs.size() == 1) {
    const size_t side = p.dice.below(2);
    const Shape shape = p.shape(p.operand(side));
    if (shape.size() != 2 || shape[0] != shape[1]) return std::nullopt;
    DotGeneral other = *op;
    int64_t& dim = side == 0 ? other.contract.lhs[0] : other.contract.rhs[0];
    dim = 1 - dim;
    return p.append(other, p.operands());
  }
  return std::nullopt;
}

}  // namespace

std::vector<Operator> wrong_blocks() {
  return {{"wrong_offset", false, wrong_offset},
          {"swapped_blocks", false, swapped_blocks},
          {"wrong_concat_order", false, wrong_concat_order},
          {"wrong_dimension", false, wrong_dimension}};
}

}  // namespace isoshard::mutation
