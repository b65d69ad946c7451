// Ops that bring elements together. The dimensions that stay and those that are summed are joined apart; the order of
// summed elements is row-major in both operands of a product, as the pairs are written. A product goes to cuBLASLt
// where asked for, if its dtype is one that is added in f32 or f64 there and each operand is a matrix per batch index
// whose rows or columns have no gaps: the library takes one stride per dimension. All others have kernels. Cost:
// dimensions.
#include <algorithm>
#include <limits>
#include <optional>

#include "core/plan/calls/fusion/chain.h"
#include "core/plan/calls/writing/op_calls.h"
#include "core/value/integers.h"

namespace isoshard::calls {
namespace {

using Dims = std::vector<int64_t>;

bool contains(const Dims& dims, int64_t dim) { return std::find(dims.begin(), dims.end(), dim) != dims.end(); }

/// The operands of a dot_general along its dimensions.
struct DotViews {
  explicit DotViews(const DotGeneral& op, const CallWriter& writer)
      : a(view_of(writer.operand(0))),
        b(view_of(writer.operand(1))),
        a_shape(writer.operand(0).type->shape),
        b_shape(writer.operand(1).type->shape),
        rows(free_dims(a_shape, op.contract.lhs, op.batch.lhs)),
        columns(free_dims(b_shape, op.contract.rhs, op.batch.rhs)) {}

  View a, b;
  const Shape &a_shape, &b_shape;
  Dims rows, columns;
};

size_t at(int64_t dim) { return static_cast<size_t>(dim); }

void write_sum_of_products(const DotGeneral& op, const DotViews& x, CallWriter& writer) {
  Loops kept(2), summed(2);
  for (size_t i = 0; i < op.batch.lhs.size(); ++i) {
    kept.add(x.a_shape[at(op.batch.lhs[i])], {x.a.strides[at(op.batch.lhs[i])], x.b.strides[at(op.batch.rhs[i])]});
  }
  for (const int64_t d : x.rows) kept.add(x.a_shape[at(d)], {x.a.strides[at(d)], 0});
  for (const int64_t d : x.columns) kept.add(x.b_shape[at(d)], {0, x.b.strides[at(d)]});
  for (size_t i = 0; i < op.contract.lhs.size(); ++i) {
    const int64_t left = op.contract.lhs[i], right = op.contract.rhs[i];
    summed.add(x.a_shape[at(left)], {x.a.strides[at(left)], x.b.strides[at(right)]});
  }
  if (!writer.fits(kept) || !writer.fits(summed)) return;
  SumOfProducts call;
  call.dims = kept.dims(), call.summed_dims = summed.dims();
  kept.put_sizes(call.size), summed.put_sizes(call.summed_size);
  call.terms = summed.count();
  call.a.place = x.a.place, call.a.dtype = x.a.dtype;
  call.b.place = x.b.place, call.b.dtype = x.b.dtype;
  kept.put_strides(0, call.a.stride), kept.put_strides(1, call.b.stride);
  summed.put_strides(0, call.a_summed), summed.put_strides(1, call.b_summed);
  call.output = writer.result().place;
  writer.add(call);
}

/// Some dimensions of one array as one, if they are.
std::optional<Loops::Axis> joined(const View& view, const Shape& shape, const Dims& dims) {
  Loops loops(1);
  for (const int64_t d : dims) loops.add(shape[at(d)], {view.strides[at(d)]});
  if (loops.axes().empty()) return Loops::Axis{1, {0}};
  if (loops.axes().size() > 1) return std::nullopt;
  return loops.axes()[0];
}

/// [batch, rows, columns], in memory as that or with rows and columns the other way round.
std::optional<Product::Matrix> matrix_of(const View& view, const Shape& shape, const Dims& batch, const Dims& rows,
                                         const Dims& columns) {
  const auto b = joined(view, shape, batch), r = joined(view, shape, rows), c = joined(view, shape, columns);
  if (!b || !r || !c) return std::nullopt;
  const bool straight = c->size == 1 || c->stride[0] == 1, turned = r->size == 1 || r->stride[0] == 1;
  if (!straight && !turned) return std::nullopt;
  const bool transposed = !straight;
  const Loops::Axis &outer = transposed ? *c : *r, &inner = transposed ? *r : *c;
  const int64_t row = outer.size == 1 ? inner.size : outer.stride[0];
  if (row < inner.size) return std::nullopt;
  return Product::Matrix{view.place, transposed, row, b->stride[0]};
}

bool has_product(DType dtype) {
  return dtype == DType::f32 || dtype == DType::f64 || dtype == DType::bf16 || dtype == DType::f16;
}

/// A Product, if the operands are matrices.
std::optional<Product> product_of(const DotGeneral& op, const DotViews& x, const CallWriter& writer) {
  if (!has_product(x.a.dtype)) return std::nullopt;
  const auto a = matrix_of(x.a, x.a_shape, op.batch.lhs, x.rows, op.contract.lhs);
  const auto b = matrix_of(x.b, x.b_shape, op.batch.rhs, op.contract.rhs, x.columns);
  if (!a || !b) return std::nullopt;
  const auto size = [](const Shape& shape, const Dims& dims) {
    int64_t count = 1;
    for (const int64_t d : dims) count *= shape[at(d)];
    return count;
  };
  Product product;
  product.operands = product.result = x.a.dtype;
  product.tf32 = writer.products() == Products::tf32 && x.a.dtype == DType::f32;
  product.batch = size(x.a_shape, op.batch.lhs);
  product.m = size(x.a_shape, x.rows), product.n = size(x.b_shape, x.columns);
  product.k = size(x.a_shape, op.contract.lhs);
  product.a = *a, product.b = *b;
  product.c = {writer.result().place, false, product.n, product.m * product.n};
  const bool is_empty = product.m == 0 || product.n == 0 || product.k == 0 || product.batch == 0;
  if (is_empty) return std::nullopt;
  return product;
}

/// The sum, or the extreme, of no elements.
uint64_t of_nothing(Reducer op, DType dtype) {
  if (op == Reducer::add) return 0;
  const bool least = op == Reducer::max;
  if (is_float(dtype)) return constant_bits(Rational::infinity(least), dtype);
  return with_integer(dtype, [least](auto zero) {
    using Limits = std::numeric_limits<decltype(zero)>;
    return static_cast<uint64_t>(least ? Limits::min() : Limits::max());
  });
}

Reducing reducing(Reducer op) {
  return op == Reducer::add ? Reducing::add : op == Reducer::max ? Reducing::maximum : Reducing::minimum;
}

int64_t product_between(const Shape& shape, int64_t first, int64_t last) {
  return element_count(Shape(shape.begin() + first, shape.begin() + last));
}

/// Bytes of a number that a dtype is computed in.
int64_t number_bytes(DType dtype) { return compute_of(dtype) == Compute::f32 ? 4 : 8; }

/// Sums and extremes over dimensions.
void write_reduction(const Reduce& op, CallWriter& writer) {
  const Held& x = writer.operand(0);
  const View view = view_of(x);
  Loops kept(1), reduced(1);
  for (size_t d = 0; d < view.strides.size(); ++d) {
    (contains(op.dims, static_cast<int64_t>(d)) ? reduced : kept).add(x.type->shape[d], {view.strides[d]});
  }
  if (kept.count() == 0) return;
  if (reduced.count() == 0) return writer.fill(writer.result(), of_nothing(op.op, view.dtype));
  if (!writer.fits(kept) || !writer.fits(reduced)) return;
  Reduction call;
  call.op = reducing(op.op);
  call.dims = kept.dims(), call.reduced_dims = reduced.dims();
  kept.put_sizes(call.size), reduced.put_sizes(call.reduced_size);
  call.terms = reduced.count();
  call.input.place = view.place, call.input.dtype = view.dtype;
  kept.put_strides(0, call.input.stride), reduced.put_strides(0, call.reduced_stride);
  call.output = writer.result().place;
  if (call.terms < kTermsApart || kept.count() > kOutputsApart) return writer.add(call);
  call.chunks_apart = 1;
  const JoinChunks join{call.op, view.dtype, 0, call.output, kept.count(), chunks_of(call.terms)};
  call.output = writer.scratch(join.outputs * join.chunks * number_bytes(view.dtype));
  writer.add(call);
  writer.add(JoinChunks{join.op, join.dtype, call.output, join.output, join.outputs, join.chunks});
}

/// The k largest along one dimension.
void write_largest(int64_t dim, int64_t k, CallWriter& writer) {
  const Held& x = writer.operand(0);
  const Shape& shape = x.type->shape;
  Largest call;
  call.dtype = x.type->dtype;
  call.input = x.place, call.values = writer.result(0).place, call.indices = writer.result(1).place;
  call.outer = product_between(shape, 0, dim), call.length = shape[at(dim)];
  call.inner = product_between(shape, dim + 1, std::ssize(shape)), call.k = k;
  if (call.outer * call.inner != 0) writer.add(call);
}

}  // namespace

void write(const DotGeneral& op, CallWriter& writer) {
  if (element_count(writer.result().type->shape) == 0) return;
  const DotViews views(op, writer);
  if (writer.products() != Products::exact) {
    if (const std::optional<Product> product = product_of(op, views, writer)) return writer.add(*product);
  }
  write_sum_of_products(op, views, writer);
}

void write(const Reduce& op, CallWriter& writer) {
  if (op.op == Reducer::argmax) return write_largest(op.dims[0], 1, writer);
  write_reduction(op, writer);
}

void write(const Cumsum& op, CallWriter& writer) {
  const Held& x = writer.operand(0);
  const Shape& shape = x.type->shape;
  if (element_count(shape) == 0) return;
  RunningSum call;
  call.dtype = x.type->dtype;
  call.input = x.place, call.output = writer.result().place;
  call.outer = product_between(shape, 0, op.dim), call.length = shape[at(op.dim)];
  call.inner = product_between(shape, op.dim + 1, std::ssize(shape));
  writer.add(call);
}

void write(const TopK& op, CallWriter& writer) {
  write_largest(std::ssize(writer.operand(0).type->shape) - 1, op.k, writer);
}

}  // namespace isoshard::calls
