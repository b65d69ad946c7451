#pragma once  // internal

#include <cstdint>
#include <span>

#include "sim/domains/domain.h"
#include "sim/value/value.h"

/// The ops of sim/evaluate/indexing.h where indices are no known numbers: every number that an index may be
/// contributes, weighted with the predicate that the index is that number. Domains whose integers are always known
/// never come here.
namespace isoshard::sim {

/// The sizes of x[b, p, n, q] and ids[b, i] when each group of dimensions is one.
struct IndexedSizes {
  int64_t b, p, n, q, i;

  IndexedSizes(const Shape& x, const Shape& ids, int64_t dim, int64_t batch);
};

Value slice_anywhere(const Value& x, std::span<const Value> starts, const Shape& sizes, const Domain& domain);
Value update_anywhere(const Value& x, const Value& update, std::span<const Value> starts, const Domain& domain);
Value gather_any(const Value& x, const Value& ids, int64_t dim, int64_t batch, const TensorType& result,
                 const Domain& domain);
Value scatter_add_any(const Value& x, const Value& ids, const Value& updates, int64_t dim, int64_t batch,
                      const Domain& domain);

}  // namespace isoshard::sim
