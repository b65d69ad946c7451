// Ops with computed places and batches, by definition: element by element, in every domain.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

#include "core/value/integers.h"
#include "sim/evaluate/accumulator.h"
#include "sim/evaluate/conversion.h"
#include "sim/evaluate/evaluate.h"
#include "sim/integers/integer_ops.h"
#include "sim/value/movement.h"
#include "tests/domains_testing.h"

namespace isoshard::sim::domains_indexing_test {
namespace {

using testing_support::element;
using testing_support::flat_of;
using testing_support::index_of;
using testing_support::random_value;

using Index = std::vector<int64_t>;

int64_t draw(int64_t low, int64_t high) { return *rc::gen::inRange<int64_t>(low, high + 1); }
size_t at(int64_t i) { return static_cast<size_t>(i); }

Shape draw_shape(int64_t rank, int64_t smallest) {
  Shape shape;
  for (int64_t d = 0; d < rank; ++d) shape.push_back(draw(0, 14) == 0 ? smallest : draw(1, 5));
  return shape;
}

struct Kind {
  DType dtype;
  const Domain* domain;
};

Kind draw_kind() {
  static const RingDomain ring(3, 1);
  const std::vector<Kind> kinds = {
      {DType::i32, &bounded_domain()}, {DType::i64, &ring},           {DType::u32, &float_domain()},
      {DType::f64, &float_domain()},   {DType::f32, &float_domain()}, {DType::f32, &ring},
      {DType::f32, &bounded_domain()}, {DType::i8, &float_domain()},  {DType::u8, &ring},
      {DType::u64, &bounded_domain()}};
  return kinds[at(draw(0, std::ssize(kinds) - 1))];
}

Value draw_value(const Kind& kind, const Shape& shape) {
  return random_value({kind.dtype, shape}, *kind.domain, static_cast<uint64_t>(draw(0, 1 << 30)));
}

/// Indices of [-2, limit + 1] in any integer dtype; without a sign they wrap around, outside, those of u64 beyond
/// what `ids` holds.
Value draw_ids(const Shape& shape, int64_t limit, std::vector<int64_t>& ids) {
  constexpr DType kKinds[] = {DType::i8, DType::u8, DType::i32, DType::u32, DType::i64, DType::u64};
  const DType dtype = kKinds[draw(0, 5)];
  ids.clear();
  for (int64_t i = element_count(shape); i > 0; --i) ids.push_back(draw(-2, limit + 1));
  std::vector<std::byte> machine(ids.size() * info(dtype).bytes);
  integer::wrap(dtype, std::ssize(ids), ids.data(), machine.data());
  for (int64_t& id : ids) {
    const bool is_far = id < 0 && dtype == DType::u64;
    id = is_far ? std::numeric_limits<int64_t>::max() : wrapped_integer(dtype, id);
  }
  return from_tensor(Tensor::from_bytes(dtype, shape, machine), float_domain());
}

/// A scalar start per dimension, and where it clamps to for a block of `sizes`.
std::vector<Value> draw_starts(const Shape& shape, const Shape& sizes, Index& clamped) {
  std::vector<Value> starts;
  for (size_t d = 0; d < shape.size(); ++d) {
    std::vector<int64_t> id;
    starts.push_back(draw_ids({}, shape[d], id));
    clamped.push_back(std::min(std::max<int64_t>(id[0], 0), shape[d] - sizes[d]));
  }
  return starts;
}

Shape draw_block(const Shape& shape) {
  Shape sizes;
  for (const int64_t size : shape) sizes.push_back(draw(0, size));
  return sizes;
}

Value run(const Kind& kind, const OpData& op, const std::vector<Value>& operands, const Shape& shape) {
  return evaluate(op, operands, TensorType{kind.dtype, shape}, *kind.domain);
}

RC_GTEST_PROP(Indexing, ReverseAndPad, ()) {
  const Kind kind = draw_kind();
  const Shape shape = draw_shape(draw(0, 4), 0);
  const Value x = draw_value(kind, shape), padding = draw_value(kind, {});
  Reverse reverse;
  Pad pad;
  Shape padded;
  for (size_t d = 0; d < shape.size(); ++d) {
    if (draw(0, 1) == 0) reverse.dims.push_back(static_cast<int64_t>(d));
    pad.low.push_back(draw(0, 2));
    pad.high.push_back(draw(0, 2));
    padded.push_back(pad.low[d] + shape[d] + pad.high[d]);
  }
  const Value y = run(kind, reverse, {x}, shape);
  for (int64_t i = 0; i < y.size(); ++i) {
    Index from = index_of(i, shape);
    for (const int64_t d : reverse.dims) from[at(d)] = shape[at(d)] - 1 - from[at(d)];
    RC_ASSERT(element(y, i) == element(x, flat_of(from, shape)));
  }
  const Value z = run(kind, pad, {x, padding}, padded);
  for (int64_t i = 0; i < z.size(); ++i) {
    Index from = index_of(i, padded);
    bool inside = true;
    for (size_t d = 0; d < from.size(); ++d) {
      from[d] -= pad.low[d];
      inside &= from[d] >= 0 && from[d] < shape[d];
    }
    RC_ASSERT(element(z, i) == (inside ? element(x, flat_of(from, shape)) : element(padding, 0)));
  }
}

RC_GTEST_PROP(Indexing, DynamicSlicesClamp, ()) {
  const Kind kind = draw_kind();
  const Shape shape = draw_shape(draw(0, 3), 0), sizes = draw_block(shape);
  const Value x = draw_value(kind, shape), update = draw_value(kind, sizes);
  Index start;
  const std::vector<Value> starts = draw_starts(shape, sizes, start);
  std::vector<Value> operands{x};
  operands.insert(operands.end(), starts.begin(), starts.end());
  const Value y = run(kind, DynamicSlice{sizes}, operands, sizes);
  operands.insert(operands.begin() + 1, update);
  const Value z = run(kind, DynamicUpdateSlice{}, operands, shape);
  std::vector<std::string> expected = testing_support::elements(x);
  for (int64_t i = 0; i < y.size(); ++i) {
    Index from = index_of(i, sizes);
    for (size_t d = 0; d < from.size(); ++d) from[d] += start[d];
    const int64_t place = flat_of(from, shape);
    RC_ASSERT(element(y, i) == element(x, place));
    expected[at(place)] = element(update, i);
  }
  RC_ASSERT(testing_support::elements(z) == expected);
}

/// x[b.., p.., n, q..], ids[b.., i..] and the result [b.., p.., i.., q..] of a gather.
struct GatherCase {
  int64_t dim, batch;
  Shape x, ids, result;
  size_t free;  ///< dimensions of ids behind the batch

  GatherCase() {
    x = draw_shape(draw(1, 4), 1);
    dim = draw(0, std::ssize(x) - 1);
    batch = draw(0, dim);
    ids.assign(x.begin(), x.begin() + batch);
    result.assign(x.begin(), x.begin() + dim);
    const Shape indices = draw_shape(draw(0, 2), 0);
    free = indices.size();
    ids.insert(ids.end(), indices.begin(), indices.end());
    result.insert(result.end(), indices.begin(), indices.end());
    result.insert(result.end(), x.begin() + dim + 1, x.end());
  }
  /// The index into ids behind element `r` of the result, and that into x but for its place along `dim`.
  std::pair<Index, Index> places(const Index& r) const {
    const auto middle = r.begin() + dim, behind = middle + static_cast<std::ptrdiff_t>(free);
    Index id(r.begin(), r.begin() + batch), from(r.begin(), middle);
    id.insert(id.end(), middle, behind);
    from.push_back(0);
    from.insert(from.end(), behind, r.end());
    return {id, from};
  }
};

RC_GTEST_PROP(Indexing, GatherClamps, ()) {
  const Kind kind = draw_kind();
  const GatherCase c;
  const Value x = draw_value(kind, c.x);
  std::vector<int64_t> ids;
  const Value indices = draw_ids(c.ids, c.x[at(c.dim)], ids);
  const Value y = run(kind, Gather{c.dim, c.batch}, {x, indices}, c.result);
  for (int64_t i = 0; i < y.size(); ++i) {
    auto [id, from] = c.places(index_of(i, c.result));
    from[at(c.dim)] = std::clamp<int64_t>(ids[at(flat_of(id, c.ids))], 0, c.x[at(c.dim)] - 1);
    RC_ASSERT(element(y, i) == element(x, flat_of(from, c.x)));
  }
}

RC_GTEST_PROP(Indexing, ScatterAddDropsAndKeepsTheOrder, ()) {
  const Kind kind = draw_kind();
  const GatherCase c;
  const Value x = draw_value(kind, c.x), updates = draw_value(kind, c.result);
  std::vector<int64_t> ids;
  const Value indices = draw_ids(c.ids, c.x[at(c.dim)], ids);
  const Value y = run(kind, ScatterAdd{c.dim, c.batch}, {x, indices, updates}, c.x);
  // One add after another, in row-major order of the updates, which is that of the indices for each element of x.
  std::vector<Value> expected;
  for (int64_t i = 0; i < x.size(); ++i) expected.push_back(slice(reshape(x, {x.size()}), Index{i}, Index{i + 1}));
  for (int64_t i = 0; i < updates.size(); ++i) {
    auto [id, to] = c.places(index_of(i, c.result));
    to[at(c.dim)] = ids[at(flat_of(id, c.ids))];
    if (to[at(c.dim)] < 0 || to[at(c.dim)] >= c.x[at(c.dim)]) continue;
    Value& sum = expected[at(flat_of(to, c.x))];
    const Value term = slice(reshape(updates, {updates.size()}), Index{i}, Index{i + 1});
    Accumulator total(sum);
    total.add(term, *kind.domain);
    sum = total.take();
  }
  for (int64_t i = 0; i < y.size(); ++i) RC_ASSERT(element(y, i) == element(expected[at(i)], 0));
}

RC_GTEST_PROP(Indexing, IotaCounts, ()) {
  static const RingDomain ring(2, 1);
  const Shape shape = draw_shape(draw(1, 3), 0);
  const int64_t dim = draw(0, std::ssize(shape) - 1);
  for (const DType dtype :
       {DType::i8, DType::u8, DType::i32, DType::u32, DType::i64, DType::u64, DType::f32, DType::f64}) {
    for (const Domain* domain : {&float_domain(), static_cast<const Domain*>(&ring), &bounded_domain()}) {
      const Value y = evaluate(Iota{dtype, shape, dim}, {}, TensorType{dtype, shape}, *domain);
      for (int64_t i = 0; i < y.size(); ++i) {
        const Value one = splat({dtype, {}}, Rational(index_of(i, shape)[at(dim)]), *domain);
        RC_ASSERT(element(y, i) == element(one, 0));
      }
    }
  }
}

/// Batches are products side by side: each equals the dot of its slices, which the arithmetic tests define.
RC_GTEST_PROP(Indexing, DotBatchesAreDotsOfSlices, ()) {
  const Kind kind = draw_kind();
  const int64_t batches = draw(0, 3), inner = draw(1, 2), k = draw(0, 4), rows = draw(0, 3), columns = draw(1, 3);
  // a[k, batches, rows, inner] and b[inner, columns, k, batches] give [inner, batches, rows, columns].
  const Value a = draw_value(kind, {k, batches, rows, inner}), b = draw_value(kind, {inner, columns, k, batches});
  const DotGeneral op{{{0}, {2}}, {}, {{3, 1}, {0, 3}}};
  const Value y = run(kind, op, {a, b}, {inner, batches, rows, columns});
  for (int64_t i = 0; i < inner; ++i) {
    for (int64_t j = 0; j < batches; ++j) {
      const Value left = reshape(slice(a, Index{0, j, 0, i}, Index{k, j + 1, rows, i + 1}), {k, rows});
      const Value right = reshape(slice(b, Index{i, 0, 0, j}, Index{i + 1, columns, k, j + 1}), {columns, k});
      const Value part = run(kind, DotGeneral{{{0}, {1}}, {}}, {left, right}, {rows, columns});
      const Value own = reshape(slice(y, Index{i, j, 0, 0}, Index{i + 1, j + 1, rows, columns}), {rows, columns});
      RC_ASSERT(same_bits(own, part));
    }
  }
}

}  // namespace
}  // namespace isoshard::sim::domains_indexing_test
