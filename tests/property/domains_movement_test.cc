// Moving elements, by definition: every op against "element i of the result is element j of the operand".
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "sim/evaluate/evaluate.h"
#include "sim/value/movement.h"
#include "tests/domains_testing.h"

namespace isoshard::sim::domains_movement_test {
namespace {

using testing_support::element;
using testing_support::elements;
using testing_support::flat_of;
using testing_support::index_of;
using testing_support::random_value;

using Index = std::vector<int64_t>;

int64_t draw(int64_t low, int64_t high) { return *rc::gen::inRange<int64_t>(low, high + 1); }

/// Mostly small, sometimes large enough for the tiled loops, now and then 0.
int64_t draw_size() { return draw(0, 9) == 0 ? draw(30, 70) : draw(0, 12) == 0 ? 0 : draw(1, 4); }

Shape draw_shape(int64_t max_rank) {
  Shape shape(static_cast<size_t>(draw(0, max_rank)));
  for (int64_t& size : shape) size = draw_size();
  return element_count(shape) > 20000 ? Shape{3, 2} : shape;
}

/// Elements of 1, 4 and 8 bytes on 1 to 3 planes.
Value draw_value(const Shape& shape) {
  static const RingDomain ring(3, 1);
  const auto seed = static_cast<uint64_t>(draw(0, 1 << 30));
  switch (draw(0, 4)) {
    case 0:
      return random_value({DType::pred, shape}, float_domain(), seed);
    case 1:
      return random_value({DType::i32, shape}, ring, seed);
    case 2:
      return random_value({DType::f64, shape}, float_domain(), seed);
    case 3:
      return random_value({DType::f32, shape}, ring, seed);
    default:
      return random_value({DType::f32, shape}, bounded_domain(), seed);
  }
}

/// Checks that `y` has `shape` and that its element i is the operand's element source(i).
void expect_moved(const Value& y, const Value& x, const Shape& shape, const std::function<int64_t(Index)>& source) {
  RC_ASSERT(y.type == (TensorType{x.type.dtype, shape}));
  RC_ASSERT(y.storage == x.storage);
  for (int64_t i = 0; i < y.size(); ++i) RC_ASSERT(element(y, i) == element(x, source(index_of(i, shape))));
}

Value apply(const OpData& op, const std::vector<Value>& operands, const Shape& shape) {
  return evaluate(op, operands, TensorType{operands.at(0).type.dtype, shape}, float_domain());
}

Index draw_permutation(size_t rank) {
  Index permutation(rank);
  std::iota(permutation.begin(), permutation.end(), 0);
  for (size_t d = rank; d-- > 1;)
    std::swap(permutation[d], permutation[static_cast<size_t>(draw(0, static_cast<int64_t>(d)))]);
  return permutation;
}

RC_GTEST_PROP(Movement, TransposePermutesIndices, ()) {
  const Value x = draw_value(draw_shape(4));
  const Index permutation = draw_permutation(x.type.shape.size());
  Shape shape;
  for (const int64_t d : permutation) shape.push_back(x.type.shape[static_cast<size_t>(d)]);
  const Value y = apply(Transpose{permutation}, {x}, shape);
  expect_moved(y, x, shape, [&](const Index& index) {
    Index from(index.size());
    for (size_t d = 0; d < index.size(); ++d) from[static_cast<size_t>(permutation[d])] = index[d];
    return flat_of(from, x.type.shape);
  });
}

RC_GTEST_PROP(Movement, SliceTakesARangeOfEachDimension, ()) {
  const Value x = draw_value(draw_shape(4));
  Slice op;
  Shape shape;
  for (const int64_t size : x.type.shape) {
    op.start.push_back(draw(0, size));
    op.limit.push_back(draw(op.start.back(), size));
    op.strides.push_back(draw(1, 3));
    shape.push_back((op.limit.back() - op.start.back() + op.strides.back() - 1) / op.strides.back());
  }
  const Value y = apply(op, {x}, shape);
  expect_moved(y, x, shape, [&](Index index) {
    for (size_t d = 0; d < index.size(); ++d) index[d] = op.start[d] + index[d] * op.strides[d];
    return flat_of(index, x.type.shape);
  });
}

RC_GTEST_PROP(Movement, BlocksAreEqualPartsInOrder, ()) {
  Shape shape = draw_shape(3);
  shape.push_back(1);
  const auto dim = static_cast<size_t>(draw(0, static_cast<int64_t>(shape.size()) - 1));
  const int64_t block = shape[dim];
  const int64_t count = draw(1, 4);
  shape[dim] *= count;
  const Value x = draw_value(shape);
  std::vector<Value> parts;
  for (int64_t i = 0; i < count; ++i) {
    parts.push_back(take_block(x, static_cast<int64_t>(dim), i, count));
    Shape part = shape;
    part[dim] = block;
    expect_moved(parts.back(), x, part, [&](Index index) {
      index[dim] += i * block;
      return flat_of(index, shape);
    });
  }
  RC_ASSERT(same_bits(concatenate(parts, static_cast<int64_t>(dim)), x));
}

RC_GTEST_PROP(Movement, BroadcastRepeats, ()) {
  const Shape shape = draw_shape(4);
  const Index order = draw_permutation(shape.size());
  BroadcastInDim op{{}, shape};
  Shape source;
  for (const int64_t d : order) {
    if (draw(0, 1) == 0) continue;
    op.dims.push_back(d);
    source.push_back(draw(0, 2) == 0 ? 1 : shape[static_cast<size_t>(d)]);
  }
  const Value x = draw_value(source);
  const Value y = apply(op, {x}, shape);
  expect_moved(y, x, shape, [&](const Index& index) {
    Index from(source.size());
    for (size_t i = 0; i < source.size(); ++i) from[i] = source[i] == 1 ? 0 : index[static_cast<size_t>(op.dims[i])];
    return flat_of(from, source);
  });
}

RC_GTEST_PROP(Movement, ReshapeKeepsRowMajorOrder, ()) {
  const Value x = draw_value(draw_shape(4));
  Shape shape = x.type.shape;
  if (!shape.empty()) std::swap(shape.front(), shape.back());
  shape.insert(shape.begin(), 1);
  const Value y = apply(Reshape{shape}, {x}, shape);
  expect_moved(y, x, shape, [&](const Index& index) { return flat_of(index, shape); });
  RC_ASSERT(y.data == x.data);
}

RC_GTEST_PROP(Movement, ConcatenateJoinsPartsOfAnySize, ()) {
  static const RingDomain ring(2, 1);
  Shape shape = draw_shape(2);
  shape.push_back(1);
  const auto dim = static_cast<size_t>(draw(0, static_cast<int64_t>(shape.size()) - 1));
  std::vector<Value> parts;
  Shape whole = shape;
  whole[dim] = 0;
  std::vector<std::pair<size_t, int64_t>> origin;  // per index along dim: the part, and the index within it
  for (size_t p = 0; p < static_cast<size_t>(draw(1, 4)); ++p) {
    shape[dim] = draw(0, 3);
    whole[dim] += shape[dim];
    for (int64_t i = 0; i < shape[dim]; ++i) origin.emplace_back(p, i);
    parts.push_back(random_value({DType::f32, shape}, ring, p));
  }
  const Value y = evaluate(Concatenate{static_cast<int64_t>(dim)}, parts, {DType::f32, whole}, ring);
  RC_ASSERT(y.type.shape == whole);
  for (int64_t i = 0; i < y.size(); ++i) {
    Index index = index_of(i, whole);
    const auto [part, at] = origin[static_cast<size_t>(index[dim])];
    index[dim] = at;
    RC_ASSERT(element(y, i) == element(parts[part], flat_of(index, parts[part].type.shape)));
  }
}

RC_GTEST_PROP(Movement, SplatRepeatsOneElement, ()) {
  static const RingDomain ring(3, 1);
  const Shape shape = draw_shape(3);
  const Value x = splat({DType::f32, shape}, Rational(2, 7), ring);
  const Value one = splat({DType::f32, {}}, Rational(2, 7), ring);
  for (const std::string& e : elements(x)) RC_ASSERT(e == element(one, 0));
}

}  // namespace
}  // namespace isoshard::sim::domains_movement_test
