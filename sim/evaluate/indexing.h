#pragma once  // internal

#include <cstdint>
#include <span>
#include <vector>

#include "sim/domains/domain.h"
#include "sim/value/value.h"

/// Ops whose operands say which elements are meant.
namespace isoshard::sim {

/// The starts, known numbers, of a block of `sizes` in an array of `shape`, one integer scalar per dimension, clamped
/// so that the block lies inside (StableHLO dynamic_slice).
std::vector<int64_t> clamped_starts(std::span<const Value> starts, const Shape& shape, const Shape& sizes,
                                    const Domain& domain);

/// The block of `sizes` at the clamped `starts`.
Value dynamic_slice(const Value& x, std::span<const Value> starts, const Shape& sizes, const Domain& domain);

/// x with `update` at the clamped `starts`.
Value dynamic_update_slice(const Value& x, const Value& update, std::span<const Value> starts, const Domain& domain);

/// x[b.., p.., n, q..] at ids[b.., i..] along `dim`: [b.., p.., i.., q..]; the first `batch` dimensions are b. Indices
/// outside 0..n-1 are clamped.
Value gather(const Value& x, const Value& ids, int64_t dim, int64_t batch, const TensorType& result,
             const Domain& domain);

/// x with `updates` (of the shape that gather gives) added at ids along `dim`, for each element in row-major order of
/// the indices; indices outside 0..n-1 are dropped. bf16 and f16 add up in f32 and are rounded once.
Value scatter_add(const Value& x, const Value& ids, const Value& updates, int64_t dim, int64_t batch,
                  const Domain& domain);

}  // namespace isoshard::sim
