// Collectives and ops that only change states.

#include <algorithm>
#include <utility>
#include <vector>

#include "tests/property/generator/random_body.h"

namespace isoshard::testing {
namespace {

/// All but sums.
std::vector<Reducer> reducers_of(DType dtype) {
  if (dtype == DType::pred) return {Reducer::logical_and, Reducer::logical_or};
  std::vector<Reducer> reducers{Reducer::max, Reducer::min, Reducer::mul};
  if (!is_float(dtype)) reducers.insert(reducers.end(), {Reducer::logical_and, Reducer::logical_or});
  return reducers;
}

/// Only sums of bf16 and f16 have one.
SumPrecision sum_precision(DType dtype, Dice& dice) {
  if (dtype != DType::bf16 && dtype != DType::f16) return SumPrecision::unspecified;
  return dice.pick(std::vector{SumPrecision::unspecified, SumPrecision::f32, SumPrecision::native});
}

}  // namespace

/// Often of the value made last, so that collectives follow one another, and of values whose elements were reordered.
bool BodyGrower::communication() {
  if (mesh_->axis_count() == 0) return false;
  ValueId x = dice_.chance(25) ? values_.back() : any();
  if (rank(x) > 1 && dice_.chance(20) && transpose(x)) x = values_.back();
  return dice_.chance(65) ? communicate(x) : change_state(x);
}

bool BodyGrower::communicate(ValueId x) {
  using enum State;
  const auto dim = [&] { return dice_.in(0, std::max<int64_t>(0, rank(x) - 1)); };
  const DType dtype = type(x).tensor.dtype;
  switch (dice_.in(0, 8)) {
    case 0:
    case 1:
      return with_group(
          AllReduce{group_where(x, {partial}), reduced_state(x), Reducer::none, sum_precision(dtype, dice_)}, x);
    case 2:
      if (type(x).has_gradient) x = must(StopGradient{}, {x});
      return with_group(AllReduce{group_where(x, {varying}), std::nullopt, dice_.pick(reducers_of(dtype))}, x);
    case 3:
      return with_group(AllGather{group_where(x, {varying}), dim(), reduced_state(x)}, x);
    case 4:
      return split_among(group_where(x, {partial}), x, [&](const Group& g, int64_t d) {
        return ReduceScatter{g, d, sum_precision(dtype, dice_)};
      });
    case 5:
      return split_among(group_where(x, {replicated, invariant, equal}), x, [](const Group& g, int64_t d) {
        return SliceBlock{g, d};
      });
    case 6:
      return split_among(group_where(x, {varying}), x, [&](const Group& g, int64_t d) {
        return AllToAll{g, d, dim()};
      });
    case 7:
      return with_group(PlaceBlock{group_where(x, {varying}), dim()}, x);
    default:
      return permute(x);
  }
}

/// Of `x`, or of copies of it along a new dimension where no dimension splits among the members.
bool BodyGrower::split_among(const Group& group, ValueId x, const std::function<OpData(const Group&, int64_t)>& make) {
  if (group.empty()) return false;
  const int64_t size = mesh_->size(group);
  std::vector<int64_t> fitting;
  for (int64_t d = 0; d < rank(x); ++d) {
    if (shape(x)[static_cast<size_t>(d)] % size == 0) fitting.push_back(d);
  }
  if (fitting.empty()) {
    BroadcastInDim copies{{}, shape(x)};
    copies.shape.push_back(size);
    for (int64_t d = 0; d < rank(x); ++d) copies.dims.push_back(d);
    fitting.push_back(rank(x));
    if (!try_op(std::move(copies), {x})) return false;
    x = values_.back();
  }
  return try_op(make(group, dice_.pick(fitting)), {x});
}

bool BodyGrower::permute(ValueId x) {
  CollectivePermute op{group_where(x, {State::varying}), std::nullopt, {}, PermuteOrder::unspecified};
  if (op.axis.empty()) return false;
  const bool sorted = std::is_sorted(op.axis.axes.begin(), op.axis.axes.end());
  if (!sorted || dice_.chance(20)) op.order = dice_.chance(50) ? PermuteOrder::tuple : PermuteOrder::mesh;
  if (dice_.chance(50)) {
    op.shift = dice_.in(-3, 3);
    return try_op(std::move(op), {x});
  }
  std::vector<int64_t> targets(static_cast<size_t>(mesh_->size(op.axis)));
  for (size_t i = 0; i < targets.size(); ++i) targets[i] = static_cast<int64_t>(i);
  dice_.shuffle(targets);
  for (size_t i = 0; i < targets.size(); ++i) {
    if (dice_.chance(75) || op.pairs.empty()) op.pairs.push_back({static_cast<int64_t>(i), targets[i]});
  }
  return try_op(std::move(op), {x});
}

bool BodyGrower::change_state(ValueId x) {
  const int64_t kind = dice_.in(0, 2);
  return kind == 0 ? convert_state(x) : kind == 1 ? reinterpret(x) : assert_equal(x);
}

bool BodyGrower::convert_state(ValueId x) {
  using enum State;
  if (dice_.chance(40)) return with_group(ConvertState{group_where(x, {replicated}), invariant, std::nullopt}, x);
  const Group group = group_where(x, {replicated, invariant, equal});
  return with_group(ConvertState{group, partial, dice_.in(0, mesh_->size(group) - 1)}, x);
}

bool BodyGrower::reinterpret(ValueId x) {
  using enum State;
  if (!options_.typed) return false;
  const State to = std::vector<State>{replicated, varying, partial}[dice_.below(3)];
  const Group group = to == replicated ? group_where(x, {invariant})
                      : to == varying  ? group_where(x, {replicated, equal})
                                       : group_where(x, {varying, replicated, equal});
  return with_group(Reinterpret{group, to}, x);
}

/// Claims what is so: an equal value, taken for a varying one before.
bool BodyGrower::assert_equal(ValueId x) {
  using enum State;
  const Group group = group_where(x, {replicated, equal});
  if (!options_.typed || !with_group(Reinterpret{group, varying}, x)) return false;
  return with_group(AssertEqual{group}, values_.back());
}

}  // namespace isoshard::testing
