// A product and what is added to it as one call of cuBLASLt: `v + bias` for a vector along the last dimension, which is
// its epilogue, or `v + c` for a matrix like the result, as a sum with beta = 1 ("residual"). The library adds in f32,
// of f64 in f64, and rounds once, to the result; op by op `v` would have been rounded before. So what comes out lies
// within the bounds of a run (docs/spec/float_bounds.md): each rounding that is left is one that an op is charged for.
//
// One sum and no more: in `(v + bias) + c` the library would add c first, and a bound of one order of two sums says
// nothing of another one. GELU is another reason (docs/adr/0076-epilogues.md). The result may be written over c, byte
// for byte, but over nothing else that is read. What was not tried on a GPU is left to kernels: a bias of f64, of
// batches, and at a place that is no multiple of 16 bytes. Cost: dimensions.
#include "core/plan/calls/fusion/epilogue.h"

#include <utility>

namespace isoshard::calls {
namespace {

Extent extent_of_matrix(const Product::Matrix& matrix, DType dtype, int64_t rows, int64_t columns, int64_t batch) {
  if (matrix.transposed) std::swap(rows, columns);
  return extent_of({matrix.place, dtype, {matrix.batch, matrix.row, 1}}, {batch, rows, columns});
}

/// Whether its elements lie one behind the other; of a dimension of one element any stride says the same.
bool lies_row_by_row(const View& view, const Shape& shape) {
  const std::vector<int64_t> strides = row_major(shape);
  for (size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 1 && view.strides[d] != strides[d]) return false;
  }
  return true;
}

/// What is added to the input that is the value, in a chain that does nothing else.
std::optional<View> added_to(const Chain& chain, const Held& value) {
  if (chain.steps.size() != 2 || chain.inputs.size() != 2 || chain.compute != compute_of(value.type->dtype)) {
    return std::nullopt;
  }
  const Step &first = chain.steps[0], &second = chain.steps[1];
  const bool is_sum = first.op == StepOp::take && second.op == StepOp::add && first.keep == 0 && second.keep == 0 &&
                      first.b.from == From::input && second.b.from == From::input && first.b.which != second.b.which;
  if (!is_sum) return std::nullopt;
  const auto is_value = [&](const View& input) {
    return input.place == value.place && input.dtype == value.type->dtype && lies_row_by_row(input, chain.shape);
  };
  const bool is_first = is_value(chain.inputs[0]);
  const View& other = chain.inputs[is_first ? 1 : 0];
  if (!is_first && !is_value(chain.inputs[1])) return std::nullopt;
  if (other.dtype != value.type->dtype) return std::nullopt;
  return other;
}

/// Whether it is one vector of n elements for all rows.
bool is_row(const View& view, const Shape& shape, int64_t n) {
  int64_t inner = 1;
  for (size_t d = shape.size(); d-- > 0;) {
    const int64_t wanted = inner < n ? inner : 0;
    if (shape[d] != 1 && view.strides[d] != wanted) return false;
    inner *= shape[d];
    if (inner > n && wanted != 0) return false;  // the dimension reaches over the end of the row
  }
  return true;
}

bool may_have_bias(const Product& product, const View& bias) {
  constexpr Place kLoads = 16;
  return product.batch == 1 && product.result != DType::f64 && bias.place % kLoads == 0;
}

}  // namespace

bool product_reads(const Product& p, const Extent& extent) {
  return extent_of_matrix(p.a, p.operands, p.m, p.k, p.batch).overlaps(extent) ||
         extent_of_matrix(p.b, p.operands, p.k, p.n, p.batch).overlaps(extent);
}

Extent written_by(const Product& p) { return extent_of_matrix(p.c, p.result, p.m, p.n, p.batch); }

std::optional<Product> with_epilogue(const HeldProduct& held, const Chain& chain, const Held& result) {
  Product product = held.product;
  const std::optional<View> added = added_to(chain, held.value);
  if (!added || result.type->dtype != product.result) return std::nullopt;
  if (element_count(chain.shape) != element_count(held.value.type->shape)) return std::nullopt;
  const Extent written = extent_of(view_of(result), result.type->shape), read = extent_of(*added, chain.shape);
  const bool is_over = read.overlaps(written);
  if (product_reads(product, written) || read.overlaps(written_by(product))) return std::nullopt;
  if (lies_row_by_row(*added, chain.shape)) {
    if (is_over && added->place != result.place) return std::nullopt;
    product.epilogue = Epilogue::residual;
  } else if (is_row(*added, chain.shape, product.n) && may_have_bias(product, *added) && !is_over) {
    product.epilogue = Epilogue::bias;
  } else {
    return std::nullopt;
  }
  product.added = added->place, product.c.place = result.place;
  return product;
}

}  // namespace isoshard::calls
