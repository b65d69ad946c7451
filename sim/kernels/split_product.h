#pragma once  // internal

#include <cstdint>
#include <functional>

#include "sim/kernels/isa.h"

namespace isoshard::sim::detail {

/// Some rows and columns of the result of a product.
struct ProductPart {
  Index row, rows;
  Index column, columns;
};

/// Calls `multiply` with parts that make up a product of [m, k] and [k, n]: with all of it, or, where it is large and
/// other threads have nothing to do, with one part for each of them, at the same time.
void split_product(Index m, Index n, Index k, const std::function<void(const ProductPart&)>& multiply);

}  // namespace isoshard::sim::detail
