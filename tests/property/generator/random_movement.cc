#include "tests/property/generator/random_movement.h"

#include <algorithm>
#include <utility>

namespace isoshard::testing {
namespace {

using Proposal = std::optional<ProposedOp>;

class Mover {
 public:
  Mover(Dice& dice, const std::vector<ValueId>& values, const std::function<const TensorType&(ValueId)>& type_of)
      : dice_(dice), values_(values), type_of_(type_of) {}

  Proposal propose() {
    const ValueId x = dice_.pick(values_);
    switch (dice_.in(0, 8)) {
      case 0:
        return iota();
      case 1:
        return pad(x);
      case 2:
        return reverse(x);
      case 3:
        return dynamic_slice(x);
      case 4:
        return dynamic_update_slice(x);
      case 5:
      case 6:
        return gather(x);
      case 7:
        return scatter_add(x);
      default:
        return batched_dot(x);
    }
  }

 private:
  using Accepts = std::function<bool(const TensorType&)>;

  const Shape& shape(ValueId x) const { return type_of_(x).shape; }
  int64_t rank(ValueId x) const { return std::ssize(shape(x)); }

  std::optional<ValueId> value_where(const Accepts& accepts) {
    std::vector<ValueId> fitting;
    for (const ValueId id : values_) {
      if (accepts(type_of_(id))) fitting.push_back(id);
    }
    return fitting.empty() ? std::nullopt : std::optional(dice_.pick(fitting));
  }
  std::optional<ValueId> scalar_of(DType dtype) {
    return value_where([&](const TensorType& t) { return t == TensorType{dtype, {}}; });
  }

  Proposal iota() {
    static const std::vector<DType> kNumbers = {DType::i32, DType::f32, DType::f64};
    Shape sizes;
    for (int64_t d = dice_.in(1, 3); d > 0; --d) sizes.push_back(dice_.in(1, 4));
    const int64_t dim = dice_.in(0, std::ssize(sizes) - 1);
    return ProposedOp{Iota{dice_.pick(kNumbers), std::move(sizes), dim}, {}};
  }

  Proposal pad(ValueId x) {
    const std::optional<ValueId> padding = scalar_of(type_of_(x).dtype);
    if (!padding) return std::nullopt;
    Pad op;
    for (int64_t d = 0; d < rank(x); ++d) {
      op.low.push_back(dice_.in(0, 2));
      op.high.push_back(dice_.in(0, 1));
    }
    return ProposedOp{std::move(op), {x, *padding}};
  }

  Proposal reverse(ValueId x) {
    Reverse op;
    for (int64_t d = 0; d < rank(x); ++d) {
      if (dice_.chance(60)) op.dims.push_back(d);
    }
    return ProposedOp{std::move(op), {x}};
  }

  /// Appends a start per dimension of `x`.
  bool add_starts(ValueId x, std::vector<ValueId>& operands) {
    for (int64_t d = 0; d < rank(x); ++d) {
      const auto start = value_where([](const TensorType& t) { return is_integer(t.dtype) && t.shape.empty(); });
      if (!start) return false;
      operands.push_back(*start);
    }
    return true;
  }

  Proposal dynamic_slice(ValueId x) {
    DynamicSlice op;
    for (const int64_t size : shape(x)) op.sizes.push_back(dice_.in(std::min<int64_t>(1, size), size));
    std::vector<ValueId> operands{x};
    if (!add_starts(x, operands)) return std::nullopt;
    return ProposedOp{std::move(op), std::move(operands)};
  }

  Proposal dynamic_update_slice(ValueId x) {
    const auto update = value_where([&](const TensorType& t) {
      return t.dtype == type_of_(x).dtype && t.shape.size() == shape(x).size() &&
             std::equal(t.shape.begin(), t.shape.end(), shape(x).begin(), std::less_equal<>());
    });
    std::vector<ValueId> operands{x, update.value_or(x)};
    if (!add_starts(x, operands)) return std::nullopt;
    return ProposedOp{DynamicUpdateSlice{}, std::move(operands)};
  }

  /// Integers to index `x` along `dim`, and how many leading dimensions they share.
  std::optional<std::pair<ValueId, int64_t>> ids_for(ValueId x, int64_t dim) {
    const auto ids = value_where([](const TensorType& t) { return is_integer(t.dtype); });
    if (!ids) return std::nullopt;
    int64_t shared = 0;
    while (shared < dim && shared < rank(*ids) && shape(*ids)[at(shared)] == shape(x)[at(shared)]) ++shared;
    return std::pair(*ids, dice_.in(0, shared));
  }

  Proposal gather(ValueId x) {
    if (rank(x) == 0) return std::nullopt;
    const int64_t dim = dice_.in(0, rank(x) - 1);
    const auto ids = ids_for(x, dim);
    if (!ids) return std::nullopt;
    return ProposedOp{Gather{dim, ids->second}, {x, ids->first}};
  }

  Proposal scatter_add(ValueId x) {
    if (rank(x) == 0) return std::nullopt;
    const int64_t dim = dice_.in(0, rank(x) - 1);
    const auto ids = ids_for(x, dim);
    if (!ids) return std::nullopt;
    TensorType wanted{type_of_(x).dtype, Shape(shape(x).begin(), shape(x).begin() + dim)};
    const Shape& indices = shape(ids->first);
    wanted.shape.insert(wanted.shape.end(), indices.begin() + ids->second, indices.end());
    wanted.shape.insert(wanted.shape.end(), shape(x).begin() + dim + 1, shape(x).end());
    const auto updates = value_where([&](const TensorType& t) { return t == wanted; });
    if (!updates) return std::nullopt;
    return ProposedOp{ScatterAdd{dim, ids->second}, {x, ids->first, *updates}};
  }

  Proposal batched_dot(ValueId x) {
    const auto y = value_where([&](const TensorType& t) { return t.dtype == type_of_(x).dtype; });
    DotGeneral op;
    std::vector<bool> used(shape(*y).size());
    for (int64_t i = 0; i < rank(x); ++i) {
      for (int64_t j = 0; j < rank(*y); ++j) {
        if (used[at(j)] || shape(x)[at(i)] != shape(*y)[at(j)] || dice_.chance(20)) continue;
        used[at(j)] = true;
        DimPairs& pairs = dice_.chance(60) ? op.batch : op.contract;
        pairs.lhs.push_back(i);
        pairs.rhs.push_back(j);
        break;
      }
    }
    return ProposedOp{std::move(op), {x, *y}};
  }

  static size_t at(int64_t i) { return static_cast<size_t>(i); }

  Dice& dice_;
  const std::vector<ValueId>& values_;
  const std::function<const TensorType&(ValueId)>& type_of_;
};

}  // namespace

std::optional<ProposedOp> random_movement(Dice& dice, const std::vector<ValueId>& values,
                                          const std::function<const TensorType&(ValueId)>& type_of) {
  return Mover(dice, values, type_of).propose();
}

}  // namespace isoshard::testing
