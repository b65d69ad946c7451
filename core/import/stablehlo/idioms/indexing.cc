// Gathers and scatters of any form as picking along one dimension: indexed dimensions are brought side by side and
// joined into one, their starts become one index, and windows of more than one element become dimensions of the
// indices. Transposes and reshapes around are left out where they change nothing. Cost: constant for each op; windows
// are written out as indices.
#include "core/import/stablehlo/idioms/indexing.h"

#include <limits>
#include <numeric>
#include <utility>

#include "core/import/stablehlo/idioms/columns.h"
#include "core/import/stablehlo/lower/attributes.h"
#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

/// Whether these are different dimensions of an array.
bool are_dims(Dims dims, size_t rank) {
  std::sort(dims.begin(), dims.end());
  const bool different = std::adjacent_find(dims.begin(), dims.end()) == dims.end();
  return dims.empty() || (different && dims.front() >= 0 && dims.back() < static_cast<int64_t>(rank));
}

}  // namespace

Indexing::Indexing(Lowering& lowering, const Operation& op, GatherNumbers numbers, ValueId operand, ValueId starts,
                   bool drops)
    : lowering_(lowering), op_(op), numbers_(std::move(numbers)), operand_(operand), drops_(drops) {
  shape_ = type(operand).shape;
  expect_fitting_numbers(starts);
  order_dimensions();
  split_starts(starts);
}

void Indexing::expect_fitting_numbers(ValueId starts) const {
  if (numbers_.sizes.size() != shape_.size())
    lowering_.fail("M-attribute", op_, "windows of other rank than the operand");
  for (size_t d = 0; d < shape_.size(); ++d) {
    if (numbers_.sizes[d] < 0 || numbers_.sizes[d] > shape_[d])
      lowering_.fail("M-attribute", op_, "windows that are larger than the operand");
  }
  const size_t rank = shape_.size(), start_rank = type(starts).shape.size();
  Dims taken = numbers_.collapsed, picked = numbers_.map;
  taken.insert(taken.end(), numbers_.operand_batch.begin(), numbers_.operand_batch.end());
  picked.insert(picked.end(), numbers_.operand_batch.begin(), numbers_.operand_batch.end());
  const bool fit = are_dims(taken, rank) && are_dims(picked, rank) && are_dims(numbers_.index_batch, start_rank) &&
                   !has(numbers_.index_batch, numbers_.vector_dim) &&
                   numbers_.index_batch.size() == numbers_.operand_batch.size() && numbers_.vector_dim >= 0 &&
                   numbers_.vector_dim <= static_cast<int64_t>(start_rank);
  if (!fit) lowering_.fail("M-attribute", op_, "dimension numbers that the operands do not have, or one of them twice");
}

ValueId Indexing::indices() {
  ValueId sum;
  ValueId inside;  // where all windows lie inside, for those that are dropped
  const std::vector<int64_t> strides = strides_of_indexed();
  for (size_t k = 0; k < numbers_.map.size(); ++k) {
    const auto d = static_cast<size_t>(numbers_.map[k]);
    const int64_t last = shape_[d] - numbers_.sizes[d];
    ValueId start = starts_[k];
    const TensorType scalar{type(start).dtype, {}};
    if (drops_) {
      inside = both(inside, compared(Direction::ge, start, 0));
      inside = both(inside, compared(Direction::le, start, last));
    } else {
      start = lowering_.append(
          Clamp{}, {lowering_.splat(Rational(0), scalar, op_), start, lowering_.splat(Rational(last), scalar, op_)},
          op_);
    }
    ValueId term = in_windows(in_i32(start), k);
    if (strides[k] != 1) term = lowering_.append(Multiply{}, {term, filled(strides[k], term)}, op_);
    sum = sum.valid() ? lowering_.append(Add{}, {sum, term}, op_) : term;
  }
  if (!sum.valid()) sum = lowering_.splat(Rational(0), {DType::i32, index_shape()}, op_);
  if (!inside.valid()) return sum;
  const ValueId wide = in_windows(inside, numbers_.map.size());
  return lowering_.append(Select{}, {wide, sum, filled(joined_size_, sum)}, op_);
}

ValueId Indexing::to_result(ValueId picked) {
  return reshaped(transposed(picked, result_order()), result_shape_without_ones());
}

ValueId Indexing::from_updates(ValueId updates) {
  const std::vector<int64_t> order = result_order();
  Dims inverse(order.size());
  for (size_t i = 0; i < order.size(); ++i) inverse[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  Shape ordered;
  const Shape picked = picked_shape();
  for (const int64_t d : order) ordered.push_back(picked[static_cast<size_t>(d)]);
  return transposed(reshaped(updates, ordered), inverse);
}

ValueId Indexing::back(ValueId x) {
  Shape ordered;
  for (const int64_t d : order_) ordered.push_back(shape_[static_cast<size_t>(d)]);
  Dims inverse(order_.size());
  for (size_t i = 0; i < order_.size(); ++i) inverse[static_cast<size_t>(order_[i])] = static_cast<int64_t>(i);
  return transposed(reshaped(x, ordered), inverse);
}

void Indexing::expect_whole_windows() const {
  for (size_t d = 0; d < shape_.size(); ++d) {
    const auto dim = static_cast<int64_t>(d);
    const bool free = !has(numbers_.map, dim) && !has(numbers_.operand_batch, dim);
    if (free && numbers_.sizes[d] != shape_[d])
      lowering_.unsupported(op_, quoted(op_.name) + " of a part of a dimension that it does not index");
  }
}

ValueId Indexing::transposed(ValueId x, const Dims& permutation) {
  if (std::is_sorted(permutation.begin(), permutation.end())) return x;
  return lowering_.append(Transpose{permutation}, {x}, op_);
}

ValueId Indexing::reshaped(ValueId x, const Shape& shape) {
  return type(x).shape == shape ? x : lowering_.append(Reshape{shape}, {x}, op_);
}

ValueId Indexing::in_i32(ValueId x) {
  return type(x).dtype == DType::i32 ? x : lowering_.append(Convert{DType::i32}, {x}, op_);
}

ValueId Indexing::compared(Direction direction, ValueId x, int64_t with) {
  return lowering_.append(Compare{direction}, {x, filled(with, x)}, op_);
}

void Indexing::order_dimensions() {
  order_ = numbers_.operand_batch;
  const int64_t first = numbers_.map.empty() ? 0 : *std::min_element(numbers_.map.begin(), numbers_.map.end());
  for (int64_t d = 0; d < static_cast<int64_t>(shape_.size()); ++d) {
    if (has(numbers_.operand_batch, d)) continue;
    if (!numbers_.map.empty() && d == first) {
      joined_at_ = order_.size();
      order_.insert(order_.end(), numbers_.map.begin(), numbers_.map.end());
    } else if (!has(numbers_.map, d)) {
      order_.push_back(d);
    }
  }
  if (numbers_.map.empty()) joined_at_ = order_.size();
  for (const int64_t d : numbers_.map) joined_size_ *= shape_[static_cast<size_t>(d)];
  if (joined_size_ > std::numeric_limits<int32_t>::max()) {
    lowering_.unsupported(op_, quoted(op_.name) + " into 2^31 elements or more");
  }
}

Shape Indexing::joined_shape() const {
  Shape shape;
  for (size_t i = 0; i < order_.size(); ++i) {
    if (i == joined_at_) shape.push_back(joined_size_);
    if (i < joined_at_ || i >= joined_at_ + numbers_.map.size())
      shape.push_back(shape_[static_cast<size_t>(order_[i])]);
  }
  if (joined_at_ == order_.size()) shape.push_back(joined_size_);
  return shape;
}

void Indexing::split_starts(ValueId starts) {
  Shape shape = type(starts).shape;
  const auto rank = static_cast<int64_t>(shape.size());
  // One that 32 bits do not hold is as far outside: starts of wide dtypes are compared as they are.
  if (info(type(starts).dtype).bytes < info(DType::i32).bytes) starts = in_i32(starts);
  if (numbers_.vector_dim == rank) {
    starts = lowering_.append(Reshape{[&] {
                                Shape s = shape;
                                s.push_back(1);
                                return s;
                              }()},
                              {starts}, op_);
    shape.push_back(1);
  }
  const auto v = static_cast<size_t>(numbers_.vector_dim);
  if (v >= shape.size() || shape[v] != static_cast<int64_t>(numbers_.map.size())) {
    lowering_.fail("M-attribute", op_, "an index_vector_dim that does not hold one start for each indexed dimension");
  }
  Shape each = shape;
  each.erase(each.begin() + static_cast<ptrdiff_t>(v));
  for (const int64_t d : numbers_.index_batch) start_order_.push_back(d > numbers_.vector_dim ? d - 1 : d);
  for (int64_t d = 0; d < static_cast<int64_t>(each.size()); ++d) {
    if (!has(start_order_, d)) start_order_.push_back(d);
  }
  for (const int64_t d : start_order_) start_shape_.push_back(each.at(static_cast<size_t>(d)));
  for (size_t k = 0; k < numbers_.map.size(); ++k) {
    const ValueId one = column(lowering_, starts, v, static_cast<int64_t>(k), op_);
    starts_.push_back(transposed(reshaped(one, each), start_order_));
  }
}

Dims Indexing::windowed() const {
  Dims result;
  for (const int64_t d : numbers_.map) {
    if (numbers_.sizes[static_cast<size_t>(d)] != 1) result.push_back(d);
  }
  return result;
}

Shape Indexing::index_shape() const {
  Shape shape = start_shape_;
  for (const int64_t d : windowed()) shape.push_back(numbers_.sizes[static_cast<size_t>(d)]);
  return shape;
}

ValueId Indexing::in_windows(ValueId x, size_t k) {
  const Dims windows = windowed();
  if (windows.empty()) return x;
  Dims dims(start_shape_.size());
  std::iota(dims.begin(), dims.end(), 0);
  ValueId wide = lowering_.append(BroadcastInDim{dims, index_shape()}, {x}, op_);
  for (size_t w = 0; k < numbers_.map.size() && w < windows.size(); ++w) {
    if (windows[w] != numbers_.map[k]) continue;
    const Iota place{DType::i32, index_shape(), static_cast<int64_t>(start_shape_.size() + w)};
    wide = lowering_.append(Add{}, {wide, lowering_.append(place, {}, op_)}, op_);
  }
  return wide;
}

std::vector<int64_t> Indexing::strides_of_indexed() const {
  std::vector<int64_t> strides(numbers_.map.size(), 1);
  for (size_t k = strides.size(); k-- > 1;) strides[k - 1] = strides[k] * shape_[static_cast<size_t>(numbers_.map[k])];
  return strides;
}

std::vector<Indexing::Picked> Indexing::picked() const {
  std::vector<Picked> result;
  const size_t batch = numbers_.operand_batch.size();
  for (size_t i = 0; i < batch; ++i) result.push_back({true, start_order_[i], start_shape_[i]});
  const auto add = [&](size_t i) {
    const int64_t d = order_[i];
    result.push_back({false, d, shape_[static_cast<size_t>(d)]});
  };
  for (size_t i = batch; i < joined_at_; ++i) add(i);
  for (size_t i = batch; i < start_order_.size(); ++i) result.push_back({true, start_order_[i], start_shape_[i]});
  for (const int64_t d : windowed()) result.push_back({false, d, numbers_.sizes[static_cast<size_t>(d)]});
  for (size_t i = joined_at_ + numbers_.map.size(); i < order_.size(); ++i) add(i);
  return result;
}

Shape Indexing::picked_shape() const {
  Shape shape;
  for (const Picked& p : picked()) shape.push_back(p.size);
  return shape;
}

Dims Indexing::result_order() const {
  const std::vector<Picked> from = picked();
  const auto find = [&](bool of_starts, int64_t dim) -> int64_t {
    for (size_t i = 0; i < from.size(); ++i) {
      if (from[i].of_starts == of_starts && from[i].dim == dim) return static_cast<int64_t>(i);
    }
    return -1;
  };
  Dims window;  // dimensions of the operand that the result has
  for (int64_t d = 0; d < static_cast<int64_t>(shape_.size()); ++d) {
    if (!has(numbers_.collapsed, d) && !has(numbers_.operand_batch, d)) window.push_back(d);
  }
  const size_t rank = numbers_.window.size() + start_shape_.size();
  Dims order;
  size_t next_window = 0;
  int64_t next_start = 0;
  for (size_t r = 0; r < rank; ++r) {
    const bool of_window = has(numbers_.window, static_cast<int64_t>(r));
    if (of_window && next_window >= window.size())
      lowering_.fail("M-attribute", op_, "more window dimensions than the operand has");
    const int64_t at = of_window ? find(false, window[next_window++]) : find(true, next_start++);
    if (at >= 0) order.push_back(at);
  }
  for (size_t i = 0; i < from.size(); ++i) {  // a dimension of size 1 that the result does not have
    const auto at = static_cast<int64_t>(i);
    if (from[i].size == 1 && !has(order, at)) order.push_back(at);
  }
  if (order.size() != from.size()) lowering_.fail("M-attribute", op_, "dimension numbers that do not fit the operands");
  return order;
}

}  // namespace isoshard::stablehlo
