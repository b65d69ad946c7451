#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/value/tensor.h"
#include "sim/value/value.h"

/// Moves elements without looking into them: any dtype, any domain. Semantics as in StableHLO. All are pure; results
/// share the operand's storage where the elements stay in place.
namespace isoshard::sim {

/// Elements from one index of each dimension to the next, row-major.
std::vector<int64_t> strides_of(const Shape& shape);

/// The same elements, row-major, under another shape with as many elements; shares storage.
Value reshape(const Value& x, Shape shape);

/// Result dimension i is operand dimension permutation[i].
Value transpose(const Value& x, std::span<const int64_t> permutation);

/// Elements start[d], start[d] + strides[d], ... below limit[d]; no strides means 1 everywhere.
Value slice(const Value& x, std::span<const int64_t> start, std::span<const int64_t> limit,
            std::span<const int64_t> strides = {});

/// Block `index` of `count` equal blocks along `dim`; the size must divide.
Value take_block(const Value& x, int64_t dim, int64_t index, int64_t count);

/// The elements of `x`, of one plane, with that first index, as they lie in it, in `shape`: keeps all of `x` alive.
Value row_in_place(const Value& x, int64_t index, const Shape& shape);

/// The slice of `x` without strides, as it lies in `x` where it does in one piece: keeps all of `x` alive then.
Value slice_in_place(const Value& x, std::span<const int64_t> start, std::span<const int64_t> limit);

/// Result dimension dims[i] runs over operand dimension i; size-1 and missing dimensions repeat.
Value broadcast(const Value& x, std::span<const int64_t> dims, Shape shape);

/// The parts one after another along `dim`; at least one, equal but for their sizes there.
Value concatenate(std::span<const Value> parts, int64_t dim);

/// The opposite order along each of `dims`.
Value reverse(const Value& x, std::span<const int64_t> dims);

/// x with `block` in place of its elements from `start` on; the block, of the same rank and dtype, must fit.
Value overwrite(const Value& x, const Value& block, std::span<const int64_t> start);

/// x between low[d] copies of the scalar `padding` before and high[d] behind it along each dimension d.
Value pad(const Value& x, const Value& padding, std::span<const int64_t> low, std::span<const int64_t> high);

}  // namespace isoshard::sim
