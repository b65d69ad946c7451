// Rewrites of communication that keep the meaning.

#include <algorithm>
#include <numeric>

#include "tests/mutation/operators/operators.h"

namespace isoshard::mutation {
namespace {

const AllReduce* sum_of(const Op* op) {
  const AllReduce* sum = op == nullptr ? nullptr : std::get_if<AllReduce>(&op->data);
  return sum != nullptr && (sum->op == Reducer::none || sum->op == Reducer::add) ? sum : nullptr;
}

/// reduce_scatter, then all_gather.
Replacement all_reduce_in_halves(Place& p) {
  const AllReduce* op = sum_of(&p.op());
  if (op == nullptr) return std::nullopt;
  const Shape& shape = p.shape(p.operand(0));
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] % p.mesh().size(op->axis) != 0) continue;
    const auto dim = static_cast<int64_t>(d);
    p.did = "reduce_scatter and all_gather along " + std::to_string(dim);
    const std::vector<ValueId> blocks = p.append(ReduceScatter{op->axis, dim, op->precision}, p.operands());
    return p.append(AllGather{op->axis, dim, op->to}, blocks);
  }
  return std::nullopt;
}

/// Flat, in blocks of one element per device, with zeros behind where the number of elements does not divide.
Replacement all_reduce_padded(Place& p) {
  const AllReduce* op = sum_of(&p.op());
  if (op == nullptr) return std::nullopt;
  const Shape shape = p.shape(p.operand(0));
  const int64_t k = p.mesh().size(op->axis), n = element_count(shape), more = (k - n % k) % k;
  const ValueId flat = p.add(Reshape{{n}}, p.operands());
  const ValueId zero = p.add(Constant{Rational(0), p.type(flat).dtype, {}}, {});
  const ValueId padded = p.add(Pad{{0}, {more}}, {flat, zero});
  const ValueId block = p.add(ReduceScatter{op->axis, 0, op->precision}, {padded});
  const ValueId whole = p.add(AllGather{op->axis, 0, op->to}, {block});
  p.did = "as blocks of the flat value with " + std::to_string(more) + " zeros";
  return p.append(Reshape{shape}, {p.slice(whole, 0, 0, n)});
}

/// Each device adds what the others send round the ring.
Replacement all_reduce_as_ring(Place& p) {
  const AllReduce* op = sum_of(&p.op());
  if (op == nullptr) return std::nullopt;
  const int64_t direction = p.dice.chance(50) ? 1 : -1;
  ValueId passing = p.operand(0), total = passing;
  for (int64_t i = 1; i < p.mesh().size(op->axis); ++i) {
    CollectivePermute step{op->axis, direction, {}};
    step.order = PermuteOrder::tuple;
    if (op->axis.axes.size() < 2) step.order = PermuteOrder::unspecified;
    passing = p.add(step, {passing});
    total = p.add(Add{}, {total, passing});
  }
  p.did = direction > 0 ? "as a ring" : "as a ring to the left";
  return std::vector{total};
}

/// One axis after the other, where a tuple is reduced at once, in any order.
Replacement all_reduce_by_axes(Place& p) {
  const AllReduce* op = p.as<AllReduce>();
  if (op == nullptr || op->axis.axes.size() < 2) return std::nullopt;
  std::vector<AxisId> axes = op->axis.axes;
  p.dice.shuffle(axes);
  std::vector<ValueId> value = p.operands();
  for (const AxisId axis : axes) value = p.append(AllReduce{Group{{axis}}, op->to, op->op, op->precision}, value);
  p.did = "one axis after the other";
  return value;
}

Replacement gather_as_sum(Place& p) {
  const AllGather* op = p.as<AllGather>();
  if (op == nullptr || p.type(p.operand(0)).dtype == DType::pred || p.type(p.operand(0)).dtype == DType::key) {
    return std::nullopt;
  }
  p.did = "as place_block and all_reduce";
  return p.append(AllReduce{op->axis, op->to, Reducer::none}, p.append(PlaceBlock{op->axis, op->dim}, p.operands()));
}

Replacement scatter_as_slice(Place& p) {
  const ReduceScatter* op = p.as<ReduceScatter>();
  if (op == nullptr) return std::nullopt;
  p.did = "as all_reduce and slice_block";
  const AllReduce whole{op->axis, State::replicated, Reducer::none, op->precision};
  const std::vector<ValueId> sum = p.append(whole, p.operands());
  return p.append(SliceBlock{op->axis, op->dim}, sum);
}

/// The blocks of dimension `dim`, counted over `axes`, counted over the same axes in reverse.
ValueId reverse_axes(Place& p, ValueId value, int64_t dim, const std::vector<AxisId>& axes) {
  const Shape whole = p.shape(value);
  int64_t rest = whole[at(dim)];
  Shape split(whole.begin(), whole.begin() + dim);
  for (const AxisId axis : axes) {
    split.push_back(p.mesh().axis(axis).size);
    rest /= p.mesh().axis(axis).size;
  }
  split.push_back(rest);
  split.insert(split.end(), whole.begin() + dim + 1, whole.end());
  std::vector<int64_t> order(split.size());
  std::iota(order.begin(), order.end(), 0);
  std::reverse(order.begin() + dim, order.begin() + dim + std::ssize(axes));
  const ValueId moved = p.add(Transpose{order}, {p.add(Reshape{split}, {value})});
  return p.add(Reshape{whole}, {moved});
}

/// The group counted in the other order, and the blocks put back where they belong.
Replacement reordered_tuple(Place& p) {
  const auto reversed = [](Group group) {
    std::reverse(group.axes.begin(), group.axes.end());
    return group;
  };
  p.did = "the tuple in reverse, and the blocks back in order";
  if (const AllReduce* op = p.as<AllReduce>(); op != nullptr && op->axis.axes.size() > 1) {
    AllReduce other = *op;
    other.axis = reversed(op->axis);
    return p.append(other, p.operands());
  }
  if (const AllGather* op = p.as<AllGather>(); op != nullptr && op->axis.axes.size() > 1) {
    AllGather other = *op;
    other.axis = reversed(op->axis);
    return std::vector{reverse_axes(p, p.add(other, p.operands()), op->dim, other.axis.axes)};
  }
  if (const ReduceScatter* op = p.as<ReduceScatter>(); op != nullptr && op->axis.axes.size() > 1) {
    ReduceScatter other = *op;
    other.axis = reversed(op->axis);
    return p.append(other, {reverse_axes(p, p.operand(0), op->dim, op->axis.axes)});
  }
  if (const SliceBlock* op = p.as<SliceBlock>(); op != nullptr && op->axis.axes.size() > 1) {
    SliceBlock other = *op;
    other.axis = reversed(op->axis);
    return p.append(other, {reverse_axes(p, p.operand(0), op->dim, op->axis.axes)});
  }
  return std::nullopt;
}

/// all_reduce(a + b) = all_reduce(a) + all_reduce(b), read from either side.
Replacement sum_of_sums(Place& p) {
  if (const AllReduce* op = sum_of(&p.op())) {
    const Op* maker = p.maker(0);
    if (maker == nullptr || !std::holds_alternative<Add>(maker->data)) return std::nullopt;
    p.did = "each term reduced on its own";
    const ValueId a = p.add(*op, {p.copy(maker->operands[0])});
    return p.append(Add{}, {a, p.add(*op, {p.copy(maker->operands[1])})});
  }
  if (p.as<Add>() == nullptr) return std::nullopt;
  const Op *a = p.maker(0), *b = p.maker(1);
  if (sum_of(a) == nullptr || sum_of(b) == nullptr || !(*sum_of(a) == *sum_of(b))) return std::nullopt;
  p.did = "both reduced at once";
  return p.append(*sum_of(a), {p.add(Add{}, {p.copy(a->operands[0]), p.copy(b->operands[0])})});
}

/// There and back again.
Replacement permute_and_back(Place& p) {
  if (p.mesh().axis_count() == 0 || p.op().results.size() != 1 || !p.float_result()) return std::nullopt;
  if (std::holds_alternative<Scan>(p.op().data)) return std::nullopt;
  const Group axis{{AxisId(p.dice.below(p.mesh().axis_count()))}};
  const int64_t shift = p.dice.in(1, std::max<int64_t>(1, p.mesh().size(axis) - 1));
  p.did = "sent " + std::to_string(shift) + " further and back";
  const std::vector<ValueId> there = p.append(CollectivePermute{axis, shift, {}}, p.again(p.operands()));
  return p.append(CollectivePermute{axis, -shift, {}}, there);
}

/// The own block of what is gathered.
Replacement gather_and_slice(Place& p) {
  if (p.mesh().axis_count() == 0 || p.op().results.size() != 1 || !p.float_result()) return std::nullopt;
  if (std::holds_alternative<Scan>(p.op().data)) return std::nullopt;
  const std::vector<ValueId> made = p.again(p.operands());
  if (p.shape(made[0]).empty()) return std::nullopt;
  const Group axis{{AxisId(p.dice.below(p.mesh().axis_count()))}};
  const auto dim = static_cast<int64_t>(p.dice.below(p.shape(made[0]).size()));
  p.did = "gathered, and the own block of it";
  return p.append(SliceBlock{axis, dim}, p.append(AllGather{axis, dim, State::replicated}, made));
}

/// All steps of all rings to the other side: where every device does the same, each meets the same blocks in another
/// order.
Replacement flipped_ring(Place& p) {
  p.did = "every ring in the other direction";
  if (const CollectivePermute* op = p.as<CollectivePermute>(); op != nullptr && op->shift) {
    CollectivePermute other = *op;
    *other.shift = -*other.shift;
    return p.append(other, p.operands());
  }
  const View* view = p.as<View>();
  if (view == nullptr) return std::nullopt;
  View other = *view;
  for (ViewEntry& entry : other.layout) entry.offset = -entry.offset;
  if (other == *view) return std::nullopt;
  return p.append(other, {});
}

}  // namespace

std::vector<Operator> right_collectives() {
  return {{"all_reduce_in_halves", true, all_reduce_in_halves},
          {"all_reduce_padded", true, all_reduce_padded},
          {"all_reduce_as_ring", true, all_reduce_as_ring},
          {"all_reduce_by_axes", true, all_reduce_by_axes},
          {"gather_as_sum", true, gather_as_sum},
          {"scatter_as_slice", true, scatter_as_slice},
          {"reordered_tuple", true, reordered_tuple},
          {"sum_of_sums", true, sum_of_sums},
          {"permute_and_back", true, permute_and_back},
          {"gather_and_slice", true, gather_and_slice},
          {"flipped_ring", true, flipped_ring, Reach::rings}};
}

}  // namespace isoshard::mutation
