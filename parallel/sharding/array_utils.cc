#include "parallel/sharding/array_utils.h"

#include <algorithm>
#include <utility>

namespace isoshard {
namespace {

/// The first `size` elements along `dim`.
ValueId first_elements(ModelBuilder& m, ValueId x, int64_t dim, int64_t size, const Location& location) {
  Shape limit = m.shape(x);
  limit[static_cast<size_t>(dim)] = size;
  return m.op(Slice{Shape(limit.size(), 0), std::move(limit), {}}, {x}, "", location);
}

bool varies(ModelBuilder& m, ValueId x, const Group& axis) {
  const States& states = m.builder().type(x).states;
  return std::any_of(axis.axes.begin(), axis.axes.end(), [&](AxisId a) { return states[a.index()] == State::varying; });
}

/// Of a value that differs from device to device: a slice at a start of its own.
ValueId own_slice(ModelBuilder& m, ValueId x, const Group& axis, int64_t dim, int64_t block, std::string name,
                  const Location& location) {
  const ValueId index = m.op(AxisIndex{axis}, {}, "", location);
  const ValueId zero = m.op(Constant{Rational(0), DType::i32, {}}, {}, "", location);
  std::vector<ValueId> operands{x};
  operands.resize(m.shape(x).size() + 1, zero);
  operands[static_cast<size_t>(dim) + 1] = m.with_constant(Multiply{}, index, Rational(block), "", location);
  Shape sizes = m.shape(x);
  sizes[static_cast<size_t>(dim)] = block;
  return m.op(DynamicSlice{std::move(sizes)}, std::move(operands), std::move(name), location);
}

}  // namespace

ValueId split_array_over_mesh(ModelBuilder& m, ValueId x, const Group& axis, int64_t split_dim, std::string name,
                              const Location& location) {
  if (!x.valid()) return {};
  const auto rank = static_cast<int64_t>(m.shape(x).size());
  if (split_dim < -rank || split_dim >= rank) {
    return m.error("C-split-dim",
                   "split_array_over_mesh: the dimension is " + std::to_string(split_dim) + " and the value has " +
                       std::to_string(rank) + "; expected " + std::to_string(-rank) + " to " + std::to_string(rank - 1),
                   location);
  }
  const int64_t dim = split_dim < 0 ? split_dim + rank : split_dim, devices = m.mesh().size(axis);
  if (devices == 1) return x;
  const int64_t size = m.shape(x)[static_cast<size_t>(dim)], block = size / devices;
  if (varies(m, x, axis)) return own_slice(m, x, axis, dim, block, std::move(name), location);
  const ValueId kept = block * devices == size ? x : first_elements(m, x, dim, block * devices, location);
  return m.op(SliceBlock{axis, dim}, {kept}, std::move(name), location);
}

}  // namespace isoshard
