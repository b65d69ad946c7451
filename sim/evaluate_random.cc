#include <cstring>
#include <utility>
#include <vector>

#include "core/value/threefry.h"
#include "sim/evaluators.h"
#include "sim/indexing.h"
#include "sim/new_value.h"

namespace isoshard::sim {
namespace {

constexpr Storage kKeys{sizeof(uint64_t), 1};
constexpr Storage kBits{sizeof(uint32_t), 1};

/// A block of a row-major array as stretches of adjacent elements.
struct Stretches {
  size_t outer = 0;    ///< dimensions before those that a stretch covers
  int64_t length = 1;  ///< of one stretch
  std::vector<int64_t> strides;

  Stretches(const Shape& block, const Shape& whole) : outer(whole.size()), strides(whole.size(), 1) {
    for (size_t d = whole.size(); d-- > 0;) strides[d] = d + 1 == whole.size() ? 1 : strides[d + 1] * whole[d + 1];
    bool adjacent = true;
    while (outer > 0 && adjacent) {
      --outer;
      length *= block[outer];
      adjacent = block[outer] == whole[outer];
    }
  }
};

/// The elements of the block at `start`, in order; `index` counts the outer dimensions.
void fill_block(uint64_t key, const RngBits& op, const std::vector<int64_t>& start, uint32_t* out) {
  const Shape& whole = op.whole();
  const Stretches stretches(op.shape, whole);
  std::vector<int64_t> index(stretches.outer, 0);
  for (int64_t left = element_count(op.shape); left > 0; left -= stretches.length, out += stretches.length) {
    int64_t first = 0;
    for (size_t d = 0; d < start.size(); ++d) {
      first += (start[d] + (d < index.size() ? index[d] : 0)) * stretches.strides[d];
    }
    threefry::random_bits(key, first, stretches.length, element_count(whole), op.key_layout, out);
    for (size_t d = index.size(); d-- > 0 && ++index[d] == op.shape[d];) index[d] = 0;
  }
}

}  // namespace

Value apply(const RngFoldIn&, const EvalContext& c) {
  const Value &keys = c.operand(0), &data = c.operand(1);
  NewValue result(c.result(), kKeys);
  const auto words = data.plane<uint32_t>(0);
  for (size_t i = 0; i < keys.plane<uint64_t>(0).size(); ++i) {
    const uint32_t word = words[data.type.shape.empty() ? 0 : i];
    result.elements<uint64_t>()[i] = threefry::fold_in(keys.plane<uint64_t>(0)[i], word);
  }
  return std::move(result).finish();
}

Value apply(const RngSplit& op, const EvalContext& c) {
  NewValue result(c.result(), kKeys);
  const uint64_t key = c.operand(0).plane<uint64_t>(0)[0];
  for (int64_t i = 0; i < op.n; ++i) result.elements<uint64_t>()[i] = threefry::split(key, i, op.n, op.key_layout);
  return std::move(result).finish();
}

Value apply(const RngBits& op, const EvalContext& c) {
  NewValue result(c.result(), kBits);
  std::vector<int64_t> start(op.whole().size(), 0);
  if (c.operands.size() > 1) start = clamped_starts(c.operands.subspan(1), op.whole(), op.shape);
  fill_block(c.operand(0).plane<uint64_t>(0)[0], op, start, result.elements<uint32_t>());
  return std::move(result).finish();
}

/// The words of a key are adjacent, the first in front, in both forms.
Value apply(const BitcastConvert& op, const EvalContext& c) {
  const Value& x = c.operand(0);
  NewValue result(c.result(), op.dtype == DType::key ? kKeys : kBits);
  std::memcpy(result.data.get(), x.data.get(), x.bytes());
  return std::move(result).finish();
}

}  // namespace isoshard::sim
