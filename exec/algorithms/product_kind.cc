// A product without its places. Algorithms may load several elements at once, so that how a place is aligned counts;
// more than 256 bytes nobody asks for. Cost: none.
#include "exec/algorithms/product_kind.h"

#include <algorithm>

namespace isoshard::exec {
namespace {

int64_t alignment_of(calls::Place place) {
  constexpr int64_t kMost = 256;
  return place == 0 ? kMost : std::min(kMost, place & -place);
}

MatrixKind kind_of(const calls::Product::Matrix& matrix) {
  return {matrix.transposed, matrix.row, matrix.batch, alignment_of(matrix.place)};
}

}  // namespace

ProductKind kind_of(const calls::Product& product) {
  return {product.operands,   product.result,     product.tf32,     product.batch,
          product.m,          product.n,          product.k,        kind_of(product.a),
          kind_of(product.b), kind_of(product.c), product.epilogue, alignment_of(product.added)};
}

}  // namespace isoshard::exec
