// Mistakes in collectives: left out, made twice, over the wrong group, of the wrong kind, at the wrong place.

#include <algorithm>

#include "tests/mutation/operators/operators.h"

namespace isoshard::mutation {
namespace {

bool is_add(const AllReduce& op) { return op.op == Reducer::none || op.op == Reducer::add; }

/// What a device has in place of the result when it talks to nobody.
Replacement drop_collective(Place& p) {
  p.did = "the collective is left out";
  const std::vector<ValueId>& in = p.operands();
  if (p.as<AllReduce>() != nullptr || p.as<CollectivePermute>() != nullptr) return in;
  if (const ReduceScatter* op = p.as<ReduceScatter>()) {
    p.did = "the own block without the sum";
    return p.append(SliceBlock{op->axis, op->dim}, in);
  }
  if (const AllGather* op = p.as<AllGather>()) {
    p.did = "the own block again and again, nothing gathered";
    const auto times = static_cast<size_t>(p.mesh().size(op->axis));
    return p.append(Concatenate{op->dim}, std::vector<ValueId>(times, in[0]));
  }
  const AllToAll* op = p.as<AllToAll>();
  if (op == nullptr || op->split_dim != op->concat_dim) return std::nullopt;
  return in;
}

Replacement double_collective(Place& p) {
  p.did = "made twice";
  const AllReduce* sum = p.as<AllReduce>();
  const AllToAll* exchange = p.as<AllToAll>();
  if ((sum != nullptr && is_add(*sum)) || p.as<CollectivePermute>() != nullptr ||
      (exchange != nullptr && exchange->split_dim == exchange->concat_dim)) {
    return p.again(p.again(p.operands()));
  }
  if (const ReduceScatter* op = p.as<ReduceScatter>()) {
    p.did = "the sum is made twice";
    return p.again(p.append(AllReduce{op->axis, State::replicated, Reducer::none, op->precision}, p.operands()));
  }
  return std::nullopt;
}

/// f(all_reduce(x)) becomes all_reduce(f(x)).
Replacement swap_collective(Place& p) {
  if (!is_elementwise(p.op().data) || std::holds_alternative<Negate>(p.op().data)) return std::nullopt;
  const Op* maker = p.maker(0);
  if (maker == nullptr ||
      !(std::holds_alternative<AllReduce>(maker->data) || std::holds_alternative<ReduceScatter>(maker->data))) {
    return std::nullopt;
  }
  p.did = "swapped with the " + std::string(op_name(maker->data)) + " before it";
  return p.append(maker->data, p.again({p.copy(maker->operands[0])}));
}

/// A reduce where a copy is due, or the other way round.
Replacement wrong_collective(Place& p) {
  if (const SliceBlock* op = p.as<SliceBlock>()) {
    p.did = "reduce_scatter in place of slice_block";
    return p.append(ReduceScatter{op->axis, op->dim}, p.operands());
  }
  if (const AllGather* op = p.as<AllGather>()) {
    p.did = "place_block in place of all_gather";
    return p.append(PlaceBlock{op->axis, op->dim}, p.operands());
  }
  if (const ReduceScatter* op = p.as<ReduceScatter>()) {
    p.did = "every device gets the first block of the sum";
    const int64_t k = p.mesh().size(op->axis), n = p.shape(p.operand(0))[static_cast<size_t>(op->dim)] / k;
    const ValueId first = p.slice(p.operand(0), op->dim, 0, n);
    return p.append(AllReduce{op->axis, State::replicated, Reducer::none, op->precision}, {first});
  }
  if (const CollectivePermute* op = p.as<CollectivePermute>()) {
    p.did = "all_reduce in place of the permute";
    return p.append(AllReduce{op->axis, State::replicated, Reducer::none}, p.operands());
  }
  return std::nullopt;
}

/// Another group: any one where the size is free, one of the same size where it is not.
bool other_group(Place& p, Group& group, bool same_size) {
  std::vector<Group> groups;
  for (size_t a = 0; a < p.mesh().axis_count(); ++a) groups.push_back(Group{{AxisId(a)}});
  for (size_t a = 0; a < p.mesh().axis_count(); ++a) {
    for (size_t b = 0; b < p.mesh().axis_count(); ++b) {
      if (a != b) groups.push_back(Group{{AxisId(a), AxisId(b)}});
    }
  }
  const int64_t size = p.mesh().size(group);
  std::vector<Group> others;
  for (const Group& g : groups) {
    const bool alike = g.set() == group.set() && !same_size;  // the order means nothing where the size is free
    if (g == group || alike || (same_size && p.mesh().size(g) != size)) continue;
    others.push_back(g);
  }
  if (others.empty()) return false;
  group = p.dice.pick(others);
  p.did = "over " + p.mesh().to_string(group);
  return true;
}

template <class Op>
Replacement over_another(Place& p, Op op, bool same_size) {
  if (!other_group(p, op.axis, same_size)) return std::nullopt;
  return p.append(op, p.operands());
}

Replacement wrong_axis(Place& p) {
  if (const AllReduce* op = p.as<AllReduce>()) return over_another(p, *op, false);
  if (const CollectivePermute* op = p.as<CollectivePermute>()) return over_another(p, *op, !op->pairs.empty());
  if (const AllGather* op = p.as<AllGather>()) return over_another(p, *op, true);
  if (const ReduceScatter* op = p.as<ReduceScatter>()) return over_another(p, *op, true);
  if (const AllToAll* op = p.as<AllToAll>()) return over_another(p, *op, true);
  if (const SliceBlock* op = p.as<SliceBlock>()) return over_another(p, *op, true);
  if (const PlaceBlock* op = p.as<PlaceBlock>()) return over_another(p, *op, true);
  if (const AxisIndex* op = p.as<AxisIndex>()) return over_another(p, *op, false);
  const View* view = p.as<View>();
  if (view == nullptr) return std::nullopt;
  View other = *view;
  for (ViewEntry& entry : other.layout) {
    if (!entry.axes.empty() && other_group(p, entry.axes, true)) return p.append(other, {});
  }
  return std::nullopt;
}

Replacement shifted_permute(Place& p) {
  const CollectivePermute* op = p.as<CollectivePermute>();
  if (op == nullptr) return std::nullopt;
  CollectivePermute other = *op;
  const int64_t size = p.mesh().size(op->axis), by = p.dice.chance(50) ? 1 : size - 1;
  p.did = by == 1 ? "one device too far" : "one device too short";
  if (other.shift) *other.shift += by;
  for (IndexPair& pair : other.pairs) pair.second = (pair.second + by) % size;
  return p.append(other, p.operands());
}

Replacement wrong_reduction(Place& p) {
  const Reducer kinds[] = {Reducer::add, Reducer::max, Reducer::min};
  const auto another = [&](Reducer now) {
    const Reducer other = kinds[p.dice.below(3)];
    return other == (now == Reducer::none ? Reducer::add : now) ? kinds[(static_cast<size_t>(other)) % 3] : other;
  };
  p.did = "another kind of reduction";
  if (const AllReduce* op = p.as<AllReduce>()) {
    AllReduce other = *op;
    other.op = another(op->op);
    return p.append(other, p.operands());
  }
  const Reduce* op = p.as<Reduce>();
  if (op == nullptr || op->op == Reducer::argmax) return std::nullopt;
  Reduce other = *op;
  other.op = another(op->op);
  return p.append(other, p.operands());
}

/// x + all_reduce(y) becomes all_reduce(x + y): everybody adds what one should add.
Replacement bias_on_all_ranks(Place& p) {
  if (p.as<ConvertState>() != nullptr && p.as<ConvertState>()->owner) {
    p.did = "every device keeps the value, not only its owner";
    return p.operands();
  }
  if (const View* view = p.as<View>(); view != nullptr && !view->only.empty()) {
    p.did = "every device reads the value, not only its owner";
    View other = *view;
    other.only.clear();
    return p.append(other, {});
  }
  if (p.as<Add>() == nullptr && p.as<Subtract>() == nullptr) return std::nullopt;
  for (size_t i = 0; i < 2; ++i) {
    const Op* maker = p.maker(i);
    if (maker == nullptr) continue;
    const AllReduce* sum = std::get_if<AllReduce>(&maker->data);
    const bool scatter = std::holds_alternative<ReduceScatter>(maker->data);
    if (!scatter && (sum == nullptr || !is_add(*sum))) continue;
    std::vector<ValueId> in = p.operands();
    in[i] = p.copy(maker->operands[0]);
    if (p.shape(in[i]) != p.shape(p.operand(i))) continue;
    p.did = "on every device, before the sum";
    return p.append(maker->data, p.again(in));
  }
  return std::nullopt;
}

/// The owner of something is the next device.
Replacement wrong_owner(Place& p) {
  p.did = "the next device";
  if (const AxisIndex* op = p.as<AxisIndex>()) {
    const ValueId own = p.add(*op, {});
    const int64_t size = p.mesh().size(op->axis), by = p.dice.in(1, std::max<int64_t>(size - 1, 1));
    const ValueId next = p.add(Add{}, {own, p.constant(Rational(by), own)});
    return p.append(Remainder{}, {next, p.constant(Rational(size), own)});
  }
  const CollectivePermute* op = p.as<CollectivePermute>();
  if (op == nullptr || op->pairs.empty()) return std::nullopt;
  CollectivePermute other = *op;
  for (IndexPair& pair : other.pairs) pair.first = (pair.first + 1) % p.mesh().size(op->axis);
  return p.append(other, p.operands());
}

}  // namespace

std::vector<Operator> wrong_communication() {
  return {{"drop_collective", false, drop_collective}, {"double_collective", false, double_collective},
          {"swap_collective", false, swap_collective}, {"wrong_collective", false, wrong_collective},
          {"wrong_axis", false, wrong_axis},           {"shifted_permute", false, shifted_permute},
          {"wrong_reduction", false, wrong_reduction}, {"bias_on_all_ranks", false, bias_on_all_ranks},
          {"wrong_owner", false, wrong_owner}};
}

}  // namespace isoshard::mutation
