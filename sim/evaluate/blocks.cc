// Reads blocks out of whole arrays and copies blocks into them, row by row of adjacent elements. A block that reaches
// beyond its array is filled with padding, which no result may depend on (docs/spec/views.md, "Padding"): what the
// domain calls poison for floats, numbers that programs treat specially for integers, random bits for predicates. Each
// padding element depends on a seed and its index, so that a run can be repeated. A block that lies in one piece is
// read where it lies. Cost: one copy of the block at most.
#include "sim/evaluate/blocks.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "core/support/mix.h"
#include "sim/value/movement.h"

namespace isoshard::sim {
namespace {

void poison(const NewValue& out, const Domain& domain, const PaddingOf& padding) {
  const bool of_ring = out.type.dtype == DType::pred && out.storage.element_bytes > 1;
  if (is_float(out.type.dtype) || of_ring) {
    domain.poison(out.type.dtype, padding.seed, out.size(), out.data.get());
    return;
  }
  if (out.type.dtype != DType::pred) {
    domain.integer_padding(out.type.dtype, padding, out.size(), out.data.get());
    return;
  }
  std::vector<uint8_t> bits(static_cast<size_t>(out.size()));
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint8_t>(mix(padding.seed + mix(i)) & 1);
  domain.from_native(out.size(), bits.data(), out.data.get());
}

}  // namespace

void copy_into(const Value& part, std::span<const int64_t> begin, const NewValue& whole) {
  const Shape& local = part.type.shape;
  const Shape& shape = whole.type.shape;
  const size_t bytes = whole.storage.element_bytes;
  const int64_t length = local.empty() ? 1 : local.back();
  const int64_t rows = length == 0 ? 0 : part.size() / length;
  for (int64_t row = 0; row < rows; ++row) {
    int64_t rest = row, stride = 1, offset = 0;
    for (size_t d = local.size(); d-- > 0;) {
      const bool last = d + 1 == local.size();
      offset += (begin[d] + (last ? 0 : rest % local[d])) * stride;
      if (!last) rest /= local[d];
      stride *= shape[d];
    }
    for (size_t p = 0; p < whole.storage.planes; ++p) {
      const std::byte* source = part.data.get() + p * part.plane_bytes();
      std::memcpy(whole.plane(p) + static_cast<size_t>(offset) * bytes,
                  source + static_cast<size_t>(row * length) * bytes, static_cast<size_t>(length) * bytes);
    }
  }
}

Value with_padding(const Value& x, Shape shape, const Domain& domain, const PaddingOf& padding) {
  if (shape == x.type.shape) return x;
  NewValue result(TensorType{x.type.dtype, std::move(shape)}, x.storage);
  if (result.size() != 0) poison(result, domain, padding);
  copy_into(x, Shape(x.type.shape.size(), 0), result);
  return std::move(result).finish();
}

Value read_block(const Value& whole, const Shape& begin, const Shape& shape, const Domain& domain,
                 const PaddingOf& padding) {
  Shape first, limit;
  for (size_t d = 0; d < begin.size(); ++d) {
    first.push_back(std::min(begin[d], whole.type.shape[d]));
    limit.push_back(std::min(begin[d] + shape[d], whole.type.shape[d]));
  }
  return with_padding(slice_in_place(whole, first, limit), shape, domain, padding);
}

}  // namespace isoshard::sim
