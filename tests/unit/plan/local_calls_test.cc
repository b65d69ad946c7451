// What exec has no kernels for, and which products go to the library.
#include "core/plan/calls/writing/local_calls.h"

#include <gtest/gtest.h>

#include "core/support/result.h"

namespace isoshard::local_calls_test {
namespace {

using calls::Held;
using calls::LocalCalls;
using calls::Products;

/// The calls of an op on values of these types, each at a place of its own.
Result<LocalCalls> calls_of(const OpData& op, const std::vector<TensorType>& operands,
                            const std::vector<TensorType>& results, Products products = Products::exact) {
  std::vector<Held> from, to;
  for (const TensorType& type : operands) from.push_back({int64_t{1 << 20} * std::ssize(from), &type});
  for (const TensorType& type : results) to.push_back({int64_t{1 << 20} * (16 + std::ssize(to)), &type});
  return local_calls(op, from, to, int64_t{1} << 30, Location(), products);
}

std::string refusal(const OpData& op, const std::vector<TensorType>& operands, const TensorType& result) {
  const Result<LocalCalls> calls = calls_of(op, operands, {result});
  return calls ? "" : calls.error().rule + " " + calls.error().message;
}

TEST(LocalCalls, RefuseMoreDimensionsThanKernelsHave) {
  const Shape shape(9, 2);
  Transpose turned;
  for (int64_t d = 8; d >= 0; --d) turned.permutation.push_back(d);
  EXPECT_EQ(
      refusal(turned, {{DType::f32, shape}}, {DType::f32, shape}),
      "X-unsupported transpose of f32[2,2,2,2,2,2,2,2,2] to f32[2,2,2,2,2,2,2,2,2]: its arrays lie in 9 dimensions "
      "that cannot be joined; kernels have 8");
  const Transpose straight{{0, 1, 2, 3, 4, 5, 6, 8, 7}};
  EXPECT_EQ(refusal(straight, {{DType::f32, shape}}, {DType::f32, shape}), "");
  DynamicSlice block{Shape(9, 1)};
  std::vector<TensorType> operands(10, TensorType{DType::i32, {}});
  operands[0] = {DType::f32, shape};
  EXPECT_EQ(refusal(block, operands, {DType::f32, block.sizes}),
            "X-unsupported dynamic_slice of f32[2,2,2,2,2,2,2,2,2], i32[], i32[], i32[], i32[], i32[], i32[], i32[], "
            "i32[], i32[] to f32[1,1,1,1,1,1,1,1,1]: its block begins anywhere in 9 dimensions; kernels have 8");
}

TEST(LocalCalls, RefuseWhatIsNotLocal) {
  const TensorType type{DType::f32, {2}};
  EXPECT_EQ(refusal(AllReduce{}, {type}, type),
            "X-unsupported all_reduce of f32[2] to f32[2]: it is not a local op of a Plan");
  EXPECT_EQ(refusal(Reduce{Reducer::mul, {0}, {}}, {type}, {DType::f32, {}}),
            "X-unsupported reduce of f32[2] to f32[]: it is not a local op of a Plan");
}

/// The product of a dot_general that contracts `left` and `right`.
std::optional<calls::Product> product(DType dtype, const Shape& a, const Shape& b, const DotGeneral& op,
                                      const Shape& result) {
  const Result<LocalCalls> calls = calls_of(op, {{dtype, a}, {dtype, b}}, {{dtype, result}}, Products::library);
  if (!calls || calls->calls.size() != 1) return std::nullopt;
  const auto* found = std::get_if<calls::Product>(&calls->calls[0]);
  return found == nullptr ? std::nullopt : std::optional(*found);
}

TEST(LocalCalls, ProductsOfMatricesGoToTheLibrary) {
  const auto plain = product(DType::bf16, {3, 4}, {4, 5}, {{{1}, {0}}, {}, {}}, {3, 5});
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->batch, 1);
  EXPECT_EQ(plain->m, 3);
  EXPECT_EQ(plain->n, 5);
  EXPECT_EQ(plain->k, 4);
  EXPECT_FALSE(plain->a.transposed);
  EXPECT_EQ(plain->a.row, 4);
  EXPECT_FALSE(plain->b.transposed);
  EXPECT_EQ(plain->b.row, 5);
  EXPECT_EQ(plain->c.row, 5);
  const auto turned = product(DType::f64, {4, 3}, {5, 4}, {{{0}, {1}}, {}, {}}, {3, 5});
  ASSERT_TRUE(turned);
  EXPECT_TRUE(turned->a.transposed);
  EXPECT_EQ(turned->a.row, 3);
  EXPECT_TRUE(turned->b.transposed);
  EXPECT_EQ(turned->b.row, 4);
}

TEST(LocalCalls, HeadsBetweenRowsAndColumnsAreABatch) {
  // q[t, h, d] . k[s, h, d] over d, per head
  const auto scores = product(DType::f32, {7, 2, 4}, {9, 2, 4}, {{{2}, {2}}, {}, {{1}, {1}}}, {2, 7, 9});
  ASSERT_TRUE(scores);
  EXPECT_EQ(scores->batch, 2);
  EXPECT_EQ(scores->a.batch, 4);
  EXPECT_EQ(scores->a.row, 8);
  EXPECT_TRUE(scores->b.transposed);
  EXPECT_EQ(scores->b.row, 8);
  EXPECT_EQ(scores->c.batch, 63);
}

TEST(LocalCalls, OtherProductsHaveKernels) {
  EXPECT_FALSE(product(DType::i32, {3, 4}, {4, 5}, {{{1}, {0}}, {}, {}}, {3, 5})) << "integers";
  EXPECT_FALSE(product(DType::f8e4m3, {3, 4}, {4, 5}, {{{1}, {0}}, {}, {}}, {3, 5})) << "fp8";
  EXPECT_FALSE(product(DType::f32, {3, 4, 2}, {4, 5, 2}, {{{1}, {0}}, {}, {{2}, {2}}}, {2, 3, 5})) << "gaps everywhere";
  EXPECT_FALSE(product(DType::f32, {3, 0}, {0, 5}, {{{1}, {0}}, {}, {}}, {3, 5})) << "nothing to add";
  EXPECT_FALSE(product(DType::f32, {2, 3, 4}, {4, 2, 5}, {{{0, 2}, {1, 0}}, {}, {}}, {3, 5})) << "two strides of k";
}

TEST(LocalCalls, ResultsInPlaceNeedNoCopy) {
  const TensorType type{DType::f32, {4}};
  const Held held{64, &type};
  const Result<LocalCalls> calls = local_calls(StopGradient{}, std::vector{held}, std::vector{held}, 0, Location());
  ASSERT_TRUE(calls);
  EXPECT_TRUE(calls->calls.empty());
}

}  // namespace
}  // namespace isoshard::local_calls_test
