// Matrices in values: where they lie, and that products of them are those of copies.
#include "sim/value/placed_matrices.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "sim/evaluate/evaluate_dot.h"
#include "sim/value/movement.h"
#include "tests/domains_testing.h"

namespace isoshard::sim::placed_matrices_test {
namespace {

using testing_support::elements;
using testing_support::random_value;
using Dims = std::vector<int64_t>;

TEST(PlacedMatrices, LieWhereTheirRowsOrColumnsAreTogether) {
  const Value x = random_value(TensorType{DType::f32, {2, 3, 4, 5}}, float_domain(), 1);
  struct Case {
    Dims batch, first, second;
    bool in_place, turned;
    int64_t ld;
  };
  const Case cases[] = {
      {{}, {0, 1}, {2, 3}, true, false, 20},  {{}, {2, 3}, {0, 1}, true, true, 20},
      {{0}, {1}, {2, 3}, true, false, 20},    {{0, 2}, {1}, {3}, true, false, 20},
      {{0, 2}, {3}, {1}, true, true, 20},     {{2, 0}, {1}, {3}, true, false, 20},
      {{}, {1}, {0, 2, 3}, false, false, 40}, {{0, 1}, {3, 2}, {}, false, false, 1},
      {{3}, {0}, {1, 2}, false, false, 12},
  };
  for (const auto& [batch, first, second, in_place, turned, ld] : cases) {
    const DotOperand matrix = PlacedMatrices(x, batch, first, second).matrix(0);
    EXPECT_EQ(matrix.data == x.data.get(), in_place);
    EXPECT_EQ(matrix.turned, turned);
    EXPECT_EQ(matrix.ld, ld);
  }
}

/// A product of `a` and `b` of random elements, and the same of copies [batch, rows, contracted] and [batch,
/// contracted, columns], which lie one after another.
void expect_same(const DotGeneral& op, const Shape& a, const Shape& b, const Domain& domain) {
  const auto others = [](size_t rank, const Dims& batch, const Dims& contracted) {
    Dims dims;
    for (int64_t d = 0; d < static_cast<int64_t>(rank); ++d) {
      const bool taken =
          std::count(batch.begin(), batch.end(), d) + std::count(contracted.begin(), contracted.end(), d) > 0;
      if (!taken) dims.push_back(d);
    }
    return dims;
  };
  const Value x = random_value(TensorType{DType::f32, a}, domain, 1),
              y = random_value(TensorType{DType::f32, b}, domain, 2);
  const Dims rows = others(a.size(), op.batch.lhs, op.contract.lhs),
             columns = others(b.size(), op.batch.rhs, op.contract.rhs);
  const int64_t batches = size_over(a, op.batch.lhs), m = size_over(a, rows), n = size_over(b, columns);
  const int64_t k = size_over(a, op.contract.lhs);
  const Value left = reshape(transpose(x, joined(op.batch.lhs, rows, op.contract.lhs)), {batches, m, k});
  const Value right = reshape(transpose(y, joined(op.batch.rhs, op.contract.rhs, columns)), {batches, k, n});
  const DotGeneral plain{DimPairs{{2}, {1}}, {}, DimPairs{{0}, {0}}};
  const Value expected = dot_general(plain, left, right, TensorType{DType::f32, {batches, m, n}}, domain);
  const Value result = dot_general(op, x, y, TensorType{DType::f32, {batches, m, n}}, domain);
  EXPECT_EQ(elements(result), elements(expected)) << domain.name();
}

TEST(PlacedMatrices, ProductsAreThoseOfCopies) {
  const RingDomain ring(3, 1);
  for (const Domain* domain : std::initializer_list<const Domain*>{&float_domain(), &ring, &bounded_domain()}) {
    expect_same(DotGeneral{DimPairs{{1}, {0}}, {}}, {4, 5}, {5, 6}, *domain);
    expect_same(DotGeneral{DimPairs{{0}, {1}}, {}}, {5, 4}, {6, 5}, *domain);
    expect_same(DotGeneral{DimPairs{{3}, {3}}, {}, DimPairs{{0, 2}, {0, 2}}}, {2, 7, 3, 5}, {2, 9, 3, 5},
                *domain);  // q k
    expect_same(DotGeneral{DimPairs{{3}, {1}}, {}, DimPairs{{0, 1}, {0, 2}}}, {2, 3, 7, 9}, {2, 9, 3, 5},
                *domain);  // p v
    expect_same(DotGeneral{DimPairs{{2, 3}, {0, 1}}, {}}, {2, 7, 3, 5}, {3, 5, 4}, *domain);
    expect_same(DotGeneral{DimPairs{{0, 1}, {0, 1}}, {}}, {2, 7, 3}, {2, 7, 5, 4}, *domain);
    expect_same(DotGeneral{DimPairs{{2, 0}, {1, 0}}, {}}, {2, 7, 3}, {2, 3, 4}, *domain);  // digits in another order
    expect_same(DotGeneral{DimPairs{{1}, {1}}, {}, DimPairs{{0}, {0}}}, {3, 5}, {3, 5}, *domain);
    expect_same(DotGeneral{DimPairs{{1}, {0}}, {}}, {1, 5}, {5, 1}, *domain);
    expect_same(DotGeneral{DimPairs{{1}, {0}}, {}}, {3, 0}, {0, 4}, *domain);
  }
}

}  // namespace
}  // namespace isoshard::sim::placed_matrices_test
