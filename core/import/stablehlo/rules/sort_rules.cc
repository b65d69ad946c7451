// Sorts of arrays by one of them. The language has the largest k along the last dimension, in falling order and equal
// ones in theirs, nan first, with their indices: of all elements that is a sort. A rising one is that of the reversed
// array in reverse, so that equal ones stay in order, too. What is sorted along is gathered by the indices; an iota,
// as in jnp.argsort, is the indices themselves. Cost: a few ops for each array.
#include <algorithm>
#include <numeric>
#include <utility>

#include "core/import/stablehlo/idioms/reducers.h"
#include "core/import/stablehlo/lower/attributes.h"
#include "core/import/stablehlo/lower/lowering.h"
#include "core/import/stablehlo/lower/rules.h"

namespace isoshard::stablehlo {
namespace {

/// A sort in the making: `dim` is brought to the end and back.
class Sort {
 public:
  Sort(Lowering& lowering, const Operation& op, Scope& scope, int64_t dim)
      : lowering_(lowering), op_(op), scope_(scope), type_(lowering.wire(op, 0, scope).type), dim_(dim) {
    order_.resize(type_.shape.size());
    std::iota(order_.begin(), order_.end(), 0);
    std::swap(order_[static_cast<size_t>(dim)], order_.back());
  }

  /// One array by itself; +0 and -0 stay in their order.
  std::vector<Wire> alone(bool ascending) {
    const Wire falling = largest(turned(keys_at_end(0), ascending));
    return {result(of_keys(turned(falling.id, ascending)))};
  }

  std::vector<Wire> by(size_t key, bool ascending) {
    const ValueId keys_before = keys_at_end(key), keys = turned(keys_before, ascending);
    const std::vector<Wire> found = lowering_.append_two(TopK{length()}, keys, op_);
    const ValueId indices = turned(found[1].id, ascending);
    std::vector<Wire> results;
    for (size_t i = 0; i < op_.operands.size(); ++i) {
      results.push_back(result(i == key ? of_keys(turned(found[0].id, ascending)) : along(i, indices, ascending)));
      results.back().permutation = lowering_.wire(op_, i, scope_).permutation;
      if (is_places(i)) note_places(key, keys_before, ascending, results.back());
    }
    return results;
  }

 private:
  int64_t rank() const { return std::ssize(type_.shape); }
  int64_t length() const { return type_.shape[static_cast<size_t>(dim_)]; }
  bool is_places(size_t i) const {
    const Wire& x = lowering_.wire(op_, i, scope_);
    return x.counted == dim_ && is_integer(x.type.dtype);
  }
  bool is_last() const { return dim_ == rank() - 1; }

  /// Of places in a single row: rising keys that are a permutation themselves are sorted by its inverse.
  void note_places(size_t key, ValueId keys, bool ascending, Wire& places) const {
    places.different = dim_;
    const bool i32 = lowering_.builder().type(keys).tensor.dtype == DType::i32;
    const bool row = rank() == 1 && lowering_.wire(op_, key, scope_).permutation;
    if (row && ascending && i32) places.inverse = keys;
  }

  ValueId at_end(size_t i) {
    const ValueId x = lowering_.value(op_, i, scope_);
    return is_last() ? x : lowering_.append(Transpose{order_}, {x}, op_);
  }
  /// Predicates as 0 and 1.
  ValueId keys_at_end(size_t i) {
    const ValueId x = at_end(i);
    predicates_ = lowering_.builder().type(x).tensor.dtype == DType::pred;
    return predicates_ ? lowering_.append(Convert{DType::i32}, {x}, op_) : x;
  }
  ValueId of_keys(ValueId x) { return predicates_ ? lowering_.append(Convert{DType::pred}, {x}, op_) : x; }
  ValueId reversed(ValueId x) { return lowering_.append(Reverse{{rank() - 1}}, {x}, op_); }
  ValueId turned(ValueId x, bool ascending) { return ascending ? reversed(x) : x; }
  Wire largest(ValueId x) { return lowering_.append_two(TopK{length()}, x, op_)[0]; }

  /// Array i in the order of `indices`, which count from the end where keys rise.
  ValueId along(size_t i, ValueId indices, bool ascending) {
    const Wire& x = lowering_.wire(op_, i, scope_);
    if (!is_places(i)) {
      return lowering_.append(Gather{rank() - 1, rank() - 1}, {turned(at_end(i), ascending), indices}, op_);
    }
    ValueId places = indices;
    if (ascending) {
      const TensorType& type = lowering_.builder().type(indices).tensor;
      places = lowering_.append(Subtract{}, {lowering_.splat(Rational(length() - 1), type, op_), indices}, op_);
    }
    return x.type.dtype == DType::i32 ? places : lowering_.append(Convert{x.type.dtype}, {places}, op_);
  }

  Wire result(ValueId x) {
    if (!is_last()) x = lowering_.append(Transpose{order_}, {x}, op_);
    return Wire{lowering_.builder().type(x).tensor, x};
  }

  Lowering& lowering_;
  const Operation& op_;
  Scope& scope_;
  const TensorType& type_;
  int64_t dim_;
  std::vector<int64_t> order_;
  bool predicates_ = false;  ///< the keys are
};

/// The array whose elements the comparator compares.
std::optional<size_t> key_of(const Operation& op) {
  for (size_t key = 0; !op.regions.empty() && key < op.operands.size(); ++key) {
    if (is_ascending(op.regions[0], key)) return key;
  }
  return std::nullopt;
}

std::vector<Wire> sort(Lowering& lowering, const Operation& op, Scope& scope) {
  const TensorType& type = lowering.wire(op, 0, scope).type;
  const auto rank = static_cast<int64_t>(type.shape.size());
  int64_t dim = op.find("dimension") != nullptr ? integer(lowering, op, "dimension") : -1;
  if (dim < 0) dim += rank;
  const std::optional<size_t> key = key_of(op);
  const Attribute* stable = op.find("is_stable");
  const bool keeps_order = stable != nullptr && stable->text == "true";
  if (!key || dim < 0 || dim >= rank || element_count(type.shape) == 0) {
    lowering.unsupported(op, "a sort that is not by less or greater of the elements of one array");
  }
  const bool ascending = *is_ascending(op.regions[0], *key);
  if (op.operands.size() == 1) return Sort(lowering, op, scope, dim).alone(ascending);
  if (!keeps_order) lowering.unsupported(op, "a sort of several arrays that is not stable");
  return Sort(lowering, op, scope, dim).by(*key, ascending);
}

}  // namespace

std::span<const NamedRule> sort_rules() {
  static constexpr NamedRule kRules[] = {{"stablehlo.sort", sort}};
  return kRules;
}

}  // namespace isoshard::stablehlo
