// Arithmetic ops against naive loops over indices, in every domain and on every instruction set.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

#include "sim/evaluate/evaluate.h"
#include "sim/kernels/isa.h"
#include "tests/domains_testing.h"

namespace isoshard::sim::domains_evaluate_test {
namespace {

using testing_support::flat_of;
using testing_support::index_of;
using testing_support::random_value;

using Index = std::vector<int64_t>;

int64_t draw(int64_t low, int64_t high) { return *rc::gen::inRange<int64_t>(low, high + 1); }

Shape draw_shape(int64_t max_rank) {
  Shape shape(static_cast<size_t>(draw(0, max_rank)));
  for (int64_t& size : shape) size = draw(0, 14) == 0 ? 0 : draw(1, 6);
  return shape;
}

/// Every kind of arithmetic: its domain, its dtype, and its naive form on one element of one plane.
template <class T>
struct Arithmetic;

template <class T>
struct Floats {
  static T fused(T a, T b, T c) { return std::fma(a, b, c); }
  static T add(T a, T b) { return a + b; }
  static T multiply(T a, T b) { return a * b; }
  static T negate(T a) { return -a; }
  static const Domain& domain() { return float_domain(); }
};
template <>
struct Arithmetic<float> : Floats<float> {
  static constexpr DType kDType = DType::f32;
};
template <>
struct Arithmetic<double> : Floats<double> {
  static constexpr DType kDType = DType::f64;
};
template <>
struct Arithmetic<int32_t> {
  static constexpr DType kDType = DType::i32;
  static int32_t wrapped(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(x)); }
  static int32_t fused(int32_t a, int32_t b, int32_t c) { return wrapped(int64_t{a} * b + c); }
  static int32_t add(int32_t a, int32_t b) { return wrapped(int64_t{a} + b); }
  static int32_t multiply(int32_t a, int32_t b) { return wrapped(int64_t{a} * b); }
  static int32_t negate(int32_t a) { return wrapped(-int64_t{a}); }
  static const Domain& domain() { return bounded_domain(); }
};
template <>
struct Arithmetic<uint32_t> {
  static constexpr DType kDType = DType::f32;
  static uint32_t fused(uint64_t a, uint64_t b, uint64_t c) { return static_cast<uint32_t>((a * b + c) % modulus); }
  static uint32_t add(uint64_t a, uint64_t b) { return static_cast<uint32_t>((a + b) % modulus); }
  static uint32_t multiply(uint64_t a, uint64_t b) { return static_cast<uint32_t>(a * b % modulus); }
  static uint32_t negate(uint64_t a) { return static_cast<uint32_t>((modulus - a) % modulus); }
  static inline uint64_t modulus = 1;  ///< of the plane that is looked at
  static const Domain& domain() {
    static const RingDomain ring(3, 17);
    return ring;
  }
};

/// Says which plane the naive forms speak of.
template <class T>
void look_at_plane(size_t plane) {
  if constexpr (std::is_same_v<T, uint32_t>) {
    Arithmetic<T>::modulus = dynamic_cast<const RingDomain&>(Arithmetic<T>::domain()).modulus(plane);
  }
}

template <class T>
bool same(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

template <class T>
Value draw_value(const Shape& shape) {
  return random_value({Arithmetic<T>::kDType, shape}, Arithmetic<T>::domain(), static_cast<uint64_t>(draw(0, 1 << 30)));
}

template <class T>
Value apply(const OpData& op, const std::vector<Value>& operands, const Shape& shape) {
  return evaluate(op, operands, {Arithmetic<T>::kDType, shape}, Arithmetic<T>::domain());
}

template <class T>
class Naive : public ::testing::Test {};
using Kinds = ::testing::Types<float, double, int32_t, uint32_t>;
TYPED_TEST_SUITE(Naive, Kinds);

TYPED_TEST(Naive, Elementwise) {
  using T = TypeParam;
  using A = Arithmetic<T>;
  EXPECT_TRUE(rc::check([] {
    const Shape shape = draw_shape(3);
    const Value x = draw_value<T>(shape);
    const Value y = draw_value<T>(shape);
    const Value sum = apply<T>(Add{}, {x, y}, shape);
    const Value difference = apply<T>(Subtract{}, {x, y}, shape);
    const Value product = apply<T>(Multiply{}, {x, y}, shape);
    const Value opposite = apply<T>(Negate{}, {x}, shape);
    for (size_t p = 0; p < x.storage.planes; ++p) {
      look_at_plane<T>(p);
      for (size_t i = 0; i < static_cast<size_t>(x.size()); ++i) {
        const T a = x.plane<T>(p)[i];
        const T b = y.plane<T>(p)[i];
        RC_ASSERT(same(sum.plane<T>(p)[i], A::add(a, b)));
        RC_ASSERT(same(difference.plane<T>(p)[i], A::add(a, A::negate(b))));
        RC_ASSERT(same(product.plane<T>(p)[i], A::multiply(a, b)));
        RC_ASSERT(same(opposite.plane<T>(p)[i], A::negate(a)));
      }
    }
  }));
}

/// Operands of a dot with `pairs` contracted dimensions scattered among up to two free ones each.
struct DotCase {
  DotGeneral op;
  Shape a, b, result;
};

void scatter(Shape& shape, std::vector<int64_t>& contracted, const Shape& sizes, const Shape& free) {
  const size_t rank = sizes.size() + free.size();
  std::vector<bool> taken(rank, false);
  shape.assign(rank, -1);
  for (const int64_t size : sizes) {
    int64_t d = 0;
    do d = draw(0, static_cast<int64_t>(rank) - 1);
    while (taken[static_cast<size_t>(d)]);
    taken[static_cast<size_t>(d)] = true;
    shape[static_cast<size_t>(d)] = size;
    contracted.push_back(d);
  }
  size_t next = 0;
  for (int64_t& size : shape) {
    if (size < 0) size = free[next++];
  }
}

DotCase draw_dot() {
  DotCase c;
  const Shape sizes = draw_shape(2);
  const Shape rows = draw_shape(2);
  const Shape columns = draw_shape(2);
  scatter(c.a, c.op.contract.lhs, sizes, rows);
  scatter(c.b, c.op.contract.rhs, sizes, columns);
  c.result = rows;
  c.result.insert(c.result.end(), columns.begin(), columns.end());
  return c;
}

/// Fills the dimensions of `shape` that are not contracted from `index`, which advances.
Index placed(const Shape& shape, const std::vector<int64_t>& contracted, const Index& at, const int64_t*& index) {
  Index full(shape.size());
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto found = std::find(contracted.begin(), contracted.end(), static_cast<int64_t>(d));
    full[d] = found == contracted.end() ? *index++ : at[static_cast<size_t>(found - contracted.begin())];
  }
  return full;
}

TYPED_TEST(Naive, DotGeneral) {
  using T = TypeParam;
  EXPECT_TRUE(rc::check([] {
    const DotCase c = draw_dot();
    const Value a = draw_value<T>(c.a);
    const Value b = draw_value<T>(c.b);
    const Value y = apply<T>(c.op, {a, b}, c.result);
    RC_ASSERT(y.type.shape == c.result);
    Shape sizes;
    for (const int64_t d : c.op.contract.lhs) sizes.push_back(c.a[static_cast<size_t>(d)]);
    for (size_t p = 0; p < a.storage.planes; ++p) {
      look_at_plane<T>(p);
      for (int64_t i = 0; i < y.size(); ++i) {
        const Index index = index_of(i, c.result);
        T chain = 0;  // one chain of fused multiply-adds over the pairs in the order they are written, row-major
        for (int64_t k = 0; k < element_count(sizes); ++k) {
          const int64_t* next = index.data();
          const Index at = index_of(k, sizes);
          const auto left = static_cast<size_t>(flat_of(placed(c.a, c.op.contract.lhs, at, next), c.a));
          const auto right = static_cast<size_t>(flat_of(placed(c.b, c.op.contract.rhs, at, next), c.b));
          chain = Arithmetic<T>::fused(a.plane<T>(p)[left], b.plane<T>(p)[right], chain);
        }
        RC_ASSERT(same(y.plane<T>(p)[static_cast<size_t>(i)], chain));
      }
    }
  }));
}

/// The sum of the partials, in the documented order of sim/kernels/reduce.h.
template <class T>
T reduced(const std::vector<T>& terms) {
  std::vector<T> partials(16, T(0));
  for (size_t i = 0; i < terms.size(); ++i) partials[i % 16] = Arithmetic<T>::add(partials[i % 16], terms[i]);
  for (size_t w = 8; w > 0; w /= 2) {
    for (size_t i = 0; i < w; ++i) partials[i] = Arithmetic<T>::add(partials[i], partials[i + w]);
  }
  return partials[0];
}

TYPED_TEST(Naive, Reduce) {
  using T = TypeParam;
  EXPECT_TRUE(rc::check([] {
    const Shape shape = draw_shape(4);
    Reduce op{Reducer::add, {}, {}};
    Shape kept;
    for (size_t d = 0; d < shape.size(); ++d) {
      if (draw(0, 1) == 0) {
        op.dims.push_back(static_cast<int64_t>(d));
      } else {
        kept.push_back(shape[d]);
      }
    }
    const Value x = draw_value<T>(shape);
    const Value y = apply<T>(op, {x}, kept);
    for (size_t p = 0; p < x.storage.planes; ++p) {
      look_at_plane<T>(p);
      std::vector<std::vector<T>> terms(static_cast<size_t>(y.size()));
      for (int64_t i = 0; i < x.size(); ++i) {
        const Index index = index_of(i, shape);
        Index target;
        for (size_t d = 0; d < shape.size(); ++d) {
          if (std::count(op.dims.begin(), op.dims.end(), static_cast<int64_t>(d)) == 0) target.push_back(index[d]);
        }
        terms[static_cast<size_t>(flat_of(target, kept))].push_back(x.plane<T>(p)[static_cast<size_t>(i)]);
      }
      for (size_t i = 0; i < terms.size(); ++i) RC_ASSERT(same(y.plane<T>(p)[i], reduced<T>(terms[i])));
    }
  }));
}

std::vector<OpData> numeric_ops() {
  return {OpData(Negate{}), OpData(Exponential{}), OpData(Tanh{}),     OpData(Logistic{}),
          OpData(Add{}),    OpData(Subtract{}),    OpData(Multiply{}), OpData(Divide{})};
}

RC_GTEST_PROP(Evaluate, EveryInstructionSetGivesTheSameBits, ()) {
  static const RingDomain ring(2, 5);
  const Domain* domains[] = {&float_domain(Precision::f32), &float_domain(Precision::f64), &ring, &bounded_domain()};
  const Domain& domain = *domains[draw(0, 3)];
  const Shape shape = {draw(0, 40), draw(1, 40)};
  const Shape square = {shape[0], shape[0]};
  const TensorType type{DType::f32, shape};
  const auto seed = static_cast<uint64_t>(draw(0, 1 << 30));
  const std::vector<Value> operands = {random_value(type, domain, seed), random_value(type, domain, seed + 1)};
  const auto run = [&](Isa isa) {
    const ScopedIsa scope(isa);
    std::vector<Value> results;
    for (const OpData& op : numeric_ops()) {
      const auto count = static_cast<size_t>(operand_count(op));
      results.push_back(evaluate(op, std::span(operands).first(count), type, domain));
    }
    results.push_back(evaluate(DotGeneral{DimPairs{{1}, {1}}, {}}, operands, {DType::f32, square}, domain));
    results.push_back(
        evaluate(Reduce{Reducer::add, {0}, {}}, std::span(operands).first(1), {DType::f32, {shape[1]}}, domain));
    return results;
  };
  const std::vector<Value> scalar = run(Isa::scalar);
  for (const Isa isa : {Isa::avx2, Isa::avx512}) {
    if (!isa_supported(isa)) continue;  // the kernels' tests say that it is missing
    const std::vector<Value> vector = run(isa);
    for (size_t i = 0; i < scalar.size(); ++i) RC_ASSERT(same_bits(scalar[i], vector[i]));
  }
}

}  // namespace
}  // namespace isoshard::sim::domains_evaluate_test
