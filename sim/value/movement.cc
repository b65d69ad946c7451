// Moves elements without looking into them, in any domain: slices, transposes, broadcasts and reversals are one walk
// over the input with a stride per dimension (GatherPlan), planes one after another. Where elements stay in place, or a
// walk runs in order, the result shares the operand's storage, so that reshapes, leading slices and transposes of size
// 1 cost nothing. Semantics are StableHLO's. Cost: one copy of the result at most.
#include "sim/value/movement.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "core/support/check.h"
#include "sim/value/movement_gather.h"
#include "sim/value/new_value.h"

namespace isoshard::sim {
namespace {

size_t index_of(int64_t i) { return static_cast<size_t>(i); }

/// The product of sizes in [first, last).
int64_t extent(const Shape& shape, size_t first, size_t last) {
  int64_t count = 1;
  for (size_t d = first; d < last; ++d) count *= shape[d];
  return count;
}

/// True when a walk with `strides` is the row-major order of `shape`.
bool runs_in_order(const Shape& shape, std::span<const int64_t> strides) {
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) {
    if (shape[d] != 1 && strides[d] != stride) return false;
  }
  return true;
}

Value gathered(const Value& x, Shape shape, std::span<const int64_t> strides, int64_t offset) {
  NewValue result(TensorType{x.type.dtype, std::move(shape)}, x.storage);
  if (result.size() == 0) return std::move(result).finish();
  const auto fill_planes = [&](const auto& fill) {
    for (size_t p = 0; p < x.storage.planes; ++p) {
      fill(x.data.get() + p * x.plane_bytes() + index_of(offset) * x.storage.element_bytes, result.plane(p));
    }
  };
  if (runs_in_order(result.type.shape, strides)) {
    fill_planes([&](const std::byte* from, std::byte* to) { std::memcpy(to, from, result.plane_bytes()); });
  } else {
    const GatherPlan plan(result.type.shape, strides);
    fill_planes([&](const std::byte* from, std::byte* to) { plan.run(x.storage.element_bytes, from, to); });
  }
  return std::move(result).finish();
}

/// True when dimensions of size other than 1 keep their order.
bool keeps_order(const Shape& shape, std::span<const int64_t> permutation) {
  int64_t last = -1;
  for (const int64_t d : permutation) {
    if (shape[index_of(d)] == 1) continue;
    if (d < last) return false;
    last = d;
  }
  return true;
}

/// Copies the row-major array `from` of `shape` into one with `strides`; strides.back() is 1.
void copy_strided(const Shape& shape, const std::vector<int64_t>& strides, size_t d, size_t width,
                  const std::byte*& from, std::byte* to) {
  if (d + 1 >= shape.size()) {
    const size_t bytes = (shape.empty() ? 1 : index_of(shape[d])) * width;
    std::memcpy(to, from, bytes);
    from += bytes;
    return;
  }
  for (int64_t i = 0; i < shape[d]; ++i) {
    copy_strided(shape, strides, d + 1, width, from, to + index_of(i * strides[d]) * width);
  }
}

}  // namespace

std::vector<int64_t> strides_of(const Shape& shape) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = 1;
  for (size_t d = shape.size(); d-- > 0; stride *= shape[d]) strides[d] = stride;
  return strides;
}

Value reshape(const Value& x, Shape shape) {
  ISOSHARD_CHECK(element_count(shape) == x.size(), "a reshape keeps the number of elements");
  Value result = x;
  result.type.shape = std::move(shape);
  return result;
}

Value transpose(const Value& x, std::span<const int64_t> permutation) {
  ISOSHARD_CHECK(permutation.size() == x.type.shape.size(), "a transpose names every dimension");
  const std::vector<int64_t> source = strides_of(x.type.shape);
  Shape shape;
  std::vector<int64_t> strides;
  for (const int64_t d : permutation) {
    shape.push_back(x.type.shape[index_of(d)]);
    strides.push_back(source[index_of(d)]);
  }
  if (keeps_order(x.type.shape, permutation)) return reshape(x, std::move(shape));
  return gathered(x, std::move(shape), strides, 0);
}

Value slice(const Value& x, std::span<const int64_t> start, std::span<const int64_t> limit,
            std::span<const int64_t> strides) {
  std::vector<int64_t> steps = strides_of(x.type.shape);
  Shape shape;
  int64_t offset = 0;
  for (size_t d = 0; d < steps.size(); ++d) {
    const int64_t step = strides.empty() ? 1 : strides[d];
    offset += start[d] * steps[d];
    steps[d] *= step;
    shape.push_back((limit[d] - start[d] + step - 1) / step);
  }
  if (shape == x.type.shape) return x;
  return gathered(x, std::move(shape), steps, offset);
}

Value take_block(const Value& x, int64_t dim, int64_t index, int64_t count) {
  const int64_t whole = x.type.shape[index_of(dim)];
  ISOSHARD_CHECK(count > 0 && whole % count == 0 && index >= 0 && index < count, "a block that does not exist");
  if (count == 1) return x;
  const std::vector<int64_t> strides = strides_of(x.type.shape);
  Shape shape = x.type.shape;
  shape[index_of(dim)] = whole / count;
  return gathered(x, std::move(shape), strides, whole / count * index * strides[index_of(dim)]);
}

Value row_in_place(const Value& x, int64_t index, const Shape& shape) {
  const size_t bytes = index_of(element_count(shape)) * x.storage.element_bytes;
  ISOSHARD_CHECK(x.storage.planes == 1 && index >= 0 && index < x.type.shape.at(0), "a row that lies in one piece");
  ISOSHARD_CHECK(bytes * index_of(x.type.shape[0]) == x.bytes(), "a row has its part of the elements");
  return Value{TensorType{x.type.dtype, shape}, x.storage, {x.data, x.data.get() + index_of(index) * bytes}};
}

Value slice_in_place(const Value& x, std::span<const int64_t> start, std::span<const int64_t> limit) {
  const std::vector<int64_t> steps = strides_of(x.type.shape);
  Shape shape;
  int64_t offset = 0;
  for (size_t d = 0; d < steps.size(); ++d) {
    offset += start[d] * steps[d];
    shape.push_back(limit[d] - start[d]);
  }
  if (x.storage.planes != 1 || !runs_in_order(shape, steps)) return slice(x, start, limit);
  const std::byte* const first = x.data.get() + index_of(offset) * x.storage.element_bytes;
  return Value{TensorType{x.type.dtype, std::move(shape)}, x.storage, {x.data, first}};
}

Value broadcast(const Value& x, std::span<const int64_t> dims, Shape shape) {
  const std::vector<int64_t> source = strides_of(x.type.shape);
  std::vector<int64_t> strides(shape.size(), 0);
  for (size_t i = 0; i < dims.size(); ++i) {
    if (x.type.shape[i] != 1) strides[index_of(dims[i])] = source[i];
  }
  if (element_count(shape) == x.size() && runs_in_order(shape, strides)) return reshape(x, std::move(shape));
  return gathered(x, std::move(shape), strides, 0);
}

Value concatenate(std::span<const Value> parts, int64_t dim) {
  ISOSHARD_CHECK(!parts.empty(), "a concatenation needs a part");
  if (parts.size() == 1) return parts[0];
  const size_t d = index_of(dim);
  TensorType type = parts[0].type;
  for (const Value& part : parts.subspan(1)) type.shape[d] += part.type.shape[d];
  NewValue result(type, parts[0].storage);
  const auto outer = extent(type.shape, 0, d);
  const size_t row = index_of(extent(type.shape, d, type.shape.size())) * result.storage.element_bytes;
  size_t column = 0;
  for (const Value& part : parts) {
    const size_t bytes = index_of(extent(part.type.shape, d, part.type.shape.size())) * part.storage.element_bytes;
    for (size_t p = 0; p < result.storage.planes && bytes != 0; ++p) {
      const std::byte* from = part.data.get() + p * part.plane_bytes();
      std::byte* to = result.plane(p) + column;
      for (int64_t o = 0; o < outer; ++o, from += bytes, to += row) std::memcpy(to, from, bytes);
    }
    column += bytes;
  }
  return std::move(result).finish();
}

Value reverse(const Value& x, std::span<const int64_t> dims) {
  std::vector<int64_t> steps = strides_of(x.type.shape);
  int64_t offset = 0;
  for (const int64_t d : dims) {
    offset += std::max<int64_t>(x.type.shape[index_of(d)] - 1, 0) * steps[index_of(d)];
    steps[index_of(d)] = -steps[index_of(d)];
  }
  if (offset == 0) return x;
  return gathered(x, x.type.shape, steps, offset);
}

Value overwrite(const Value& x, const Value& block, std::span<const int64_t> start) {
  ISOSHARD_CHECK(x.storage == block.storage && x.type.dtype == block.type.dtype, "a block has the dtype of its place");
  if (block.size() == 0) return x;
  if (block.size() == x.size()) return reshape(block, x.type.shape);
  NewValue result(x.type, x.storage);
  std::memcpy(result.data.get(), x.data.get(), x.bytes());
  const std::vector<int64_t> strides = strides_of(x.type.shape);
  int64_t offset = 0;
  for (size_t d = 0; d < strides.size(); ++d) {
    const int64_t limit = start[d] + block.type.shape[d];
    ISOSHARD_CHECK(start[d] >= 0 && limit <= x.type.shape[d], "a block lies inside");
    offset += start[d] * strides[d];
  }
  const size_t width = x.storage.element_bytes;
  for (size_t p = 0; p < x.storage.planes; ++p) {
    const std::byte* from = block.data.get() + p * block.plane_bytes();
    copy_strided(block.type.shape, strides, 0, width, from, result.plane(p) + index_of(offset) * width);
  }
  return std::move(result).finish();
}

Value pad(const Value& x, const Value& padding, std::span<const int64_t> low, std::span<const int64_t> high) {
  Shape shape = x.type.shape;
  for (size_t d = 0; d < shape.size(); ++d) shape[d] += low[d] + high[d];
  if (shape == x.type.shape) return x;
  return overwrite(broadcast(padding, {}, std::move(shape)), x, low);
}

}  // namespace isoshard::sim
