// jax.ops.segment_max, segment_min and segment_prod: scatters that bound or multiply at indices which may repeat. The
// language adds at indices only, so every place takes the extreme of all updates, in which those with another index
// stand aside: they are what was there before, or 1 of a product. Cost: updates times places, at most 2^22 elements.
#include "core/import/stablehlo/idioms/scatter_extremes.h"

#include <numeric>

#include "core/import/stablehlo/idioms/reducers.h"

namespace isoshard::stablehlo {
namespace {

/// Dimensions of the operand before the indexed one, those of the indices, all places, the rest of the operand.
struct Wide {
  Shape shape;
  size_t before = 0, batch = 0, starts = 0;

  Wide(const Shape& operand, const Shape& indices, const ScatterAdd& add)
      : before(static_cast<size_t>(add.dim)), batch(static_cast<size_t>(add.batch)), starts(indices.size() - batch) {
    const auto dim = operand.begin() + add.dim;
    shape.assign(operand.begin(), dim);
    shape.insert(shape.end(), indices.begin() + add.batch, indices.end());
    shape.insert(shape.end(), dim, operand.end());
  }
  int64_t places() const { return static_cast<int64_t>(before + starts); }

  Dims of_indices() const {
    Dims dims(batch + starts);
    std::iota(dims.begin(), dims.end(), 0);
    for (size_t i = batch; i < dims.size(); ++i) dims[i] += static_cast<int64_t>(before - batch);
    return dims;
  }
  /// All but the places.
  Dims of_updates() const {
    Dims dims(shape.size());
    std::iota(dims.begin(), dims.end(), 0);
    dims.erase(dims.begin() + places());
    return dims;
  }
  /// All but those of the indices.
  Dims of_operand() const {
    Dims dims(shape.size());
    std::iota(dims.begin(), dims.end(), 0);
    dims.erase(dims.begin() + static_cast<ptrdiff_t>(before), dims.begin() + places());
    return dims;
  }
  Dims reduced() const {
    Dims dims(starts);
    std::iota(dims.begin(), dims.end(), static_cast<int64_t>(before));
    return dims;
  }
};

}  // namespace

namespace {

/// The least of numbers is the negative of the greatest of their negatives, and -inf, beside which proofs know more
/// than beside inf, of `inf`.
ValueId least(Lowering& lowering, const Operation& op, const ScatterAdd& add, const Scattered& values) {
  const auto negated = [&](ValueId x) { return lowering.append(Negate{}, {x}, op); };
  const TensorType type = lowering.builder().type(values.base).tensor;
  const ValueId base = lowering.splat(Rational::infinity(true), type, op);
  return negated(
      with_all_updates(lowering, op, Reducer::max, add, {base, values.indices, negated(values.updates)}, true));
}

}  // namespace

ValueId with_all_updates(Lowering& lowering, const Operation& op, Reducer how, const ScatterAdd& add,
                         const Scattered& values, bool from_neutral) {
  constexpr int64_t kMost = int64_t{1} << 22;
  if (how == Reducer::min && from_neutral && is_float(lowering.builder().type(values.base).tensor.dtype)) {
    return least(lowering, op, add, values);
  }
  const TensorType type = lowering.builder().type(values.base).tensor;
  const Wide wide(type.shape, lowering.builder().type(values.indices).tensor.shape, add);
  if (element_count(wide.shape) > kMost) {
    lowering.unsupported(op,
                         "a scatter that multiplies or bounds at indices that may repeat, with more than 2^22 "
                         "pairs of an update and a place");
  }
  const auto broadcast = [&](ValueId x, Dims dims) {
    return lowering.append(BroadcastInDim{std::move(dims), wide.shape}, {x}, op);
  };
  const ValueId place = lowering.append(Iota{DType::i32, wide.shape, wide.places()}, {}, op);
  const ValueId here =
      lowering.append(Compare{Direction::eq}, {broadcast(values.indices, wide.of_indices()), place}, op);
  const ValueId aside = how == Reducer::mul ? lowering.splat(Rational(1), {type.dtype, wide.shape}, op)
                                            : broadcast(values.base, wide.of_operand());
  ValueId result = lowering.append(Select{}, {here, broadcast(values.updates, wide.of_updates()), aside}, op);
  if (wide.starts > 0) result = lowering.append(Reduce{how, wide.reduced(), {}}, {result}, op);
  return from_neutral ? result : lowering.append(elementwise_op(how), {values.base, result}, op);
}

}  // namespace isoshard::stablehlo
