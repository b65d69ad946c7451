// reduce_sum against its definition, written out naively.
#include "sim/kernels/mod31.h"
#include "sim/kernels/reduce.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "tests/internal_error.h"
#include "tests/kernels_testing.h"

namespace isoshard::sim::kernels_reduce_test {
namespace {

using testing_support::first_difference;
using testing_support::random_integers;
using testing_support::random_residues;
using testing_support::random_values;
using testing_support::supported_isas;

using Index = std::int64_t;
using Indices = std::vector<Index>;

struct Case {
  Indices shape;
  Indices dims;
};

const Case kCases[] = {{{}, {}},
                       {{1}, {0}},
                       {{5}, {}},
                       {{5}, {0}},
                       {{1000}, {0}},
                       {{7, 300}, {1}},
                       {{300, 7}, {0}},
                       {{40, 290}, {0}},
                       {{3, 5, 7, 9}, {1, 3}},
                       {{3, 5, 7, 9}, {3, 1}},
                       {{3, 5, 7, 9}, {0, 2}},
                       {{3, 5, 7, 9}, {0, 1, 2, 3}},
                       {{3, 1, 37, 1}, {1, 2, 3}},
                       {{20, 33, 2}, {0, 2}},
                       {{512}, {0}},
                       {{513}, {0}},
                       {{3, 1025}, {1}},
                       {{1100, 130}, {0}},
                       {{2, 515, 3}, {0, 1}},
                       {{9, 130, 7}, {0, 2}},
                       {{70, 17}, {1}},
                       {{130, 15}, {1}},
                       {{5, 16}, {1}},
                       {{3, 511}, {1}},
                       {{3, 1100}, {0}},
                       {{10000}, {0}},
                       {{2, 3, 4, 5, 6}, {0, 2, 4}},
                       {{4, 0, 3}, {1}},
                       {{4, 0, 3}, {0}},
                       {{0}, {0}}};

/// The elements of each sum in row-major order.
template <typename T>
std::vector<std::vector<T>> gathered(const Case& c, const std::vector<T>& x) {
  std::vector<bool> reduced(c.shape.size(), false);
  for (const Index d : c.dims) reduced[static_cast<std::size_t>(d)] = true;
  Index outputs = 1;
  for (std::size_t d = 0; d < c.shape.size(); ++d) outputs *= reduced[d] ? 1 : c.shape[d];
  std::vector<std::vector<T>> groups(static_cast<std::size_t>(outputs));
  for (std::size_t i = 0; i < x.size(); ++i) {
    Index rest = static_cast<Index>(i), output = 0, scale = 1;
    for (std::size_t d = c.shape.size(); d-- > 0;) {
      const Index position = rest % c.shape[d];
      rest /= c.shape[d];
      if (reduced[d]) continue;
      output += position * scale;
      scale *= c.shape[d];
    }
    groups[static_cast<std::size_t>(output)].push_back(x[i]);
  }
  return groups;
}

/// 16 interleaved partial sums, then halving.
template <typename T>
T sum_in_partials(std::span<const T> terms) {
  T partial[16] = {};
  for (std::size_t i = 0; i < terms.size(); ++i) partial[i % 16] = partial[i % 16] + terms[i];
  for (std::size_t w = 8; w > 0; w /= 2) {
    for (std::size_t i = 0; i < w; ++i) partial[i] = partial[i] + partial[i + w];
  }
  return partial[0];
}

/// The documented order: so the terms of each chunk of 512, and so the sums of chunks.
template <typename T>
T defined_sum(std::span<const T> terms) {
  std::vector<T> chunks;
  for (std::size_t i = 0; i < terms.size(); i += 512) {
    chunks.push_back(sum_in_partials(terms.subspan(i, std::min<std::size_t>(512, terms.size() - i))));
  }
  const T sum = sum_in_partials(std::span<const T>(chunks));
  return std::isnan(sum) ? std::numeric_limits<T>::quiet_NaN() : sum;
}

Index size_of(const Indices& shape) {
  Index size = 1;
  for (const Index d : shape) size *= d;
  return size;
}

template <typename T>
class Reduce : public ::testing::Test {};
using Floats = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Reduce, Floats);

TYPED_TEST(Reduce, FollowsTheDocumentedOrderOnEveryIsa) {
  using T = TypeParam;
  for (const Case& c : kCases) {
    auto x = random_values<T>(size_of(c.shape), 3);
    if (x.size() > 50) x[37] = -std::numeric_limits<T>::quiet_NaN();
    std::vector<T> expected;
    for (const auto& group : gathered(c, x)) expected.push_back(defined_sum(std::span<const T>(group)));
    const ReducePlan plan(c.shape, c.dims);
    ASSERT_EQ(plan.output_size(), static_cast<Index>(expected.size()));
    ASSERT_EQ(plan.input_size(), static_cast<Index>(x.size()));
    for (const Isa isa : supported_isas()) {
      std::vector<T> y(expected.size(), T(-7));
      reduce_sum(isa, plan, x.data(), y.data());
      EXPECT_EQ(first_difference(y, expected), -1) << isa_name(isa) << " case " << (&c - kCases);
    }
  }
}

template <typename T>
void expect_scalar_sums(Isa isa) {
  const Indices shape = {37, 130, 41};
  const auto x = random_values<T>(size_of(shape), 4);
  for (const Indices& dims : {Indices{0}, Indices{1}, Indices{2}, Indices{0, 2}, Indices{0, 1, 2}}) {
    const ReducePlan plan(shape, dims);
    std::vector<T> by_scalar(static_cast<std::size_t>(plan.output_size()));
    std::vector<T> by_isa(by_scalar.size());
    reduce_sum(Isa::scalar, plan, x.data(), by_scalar.data());
    reduce_sum(isa, plan, x.data(), by_isa.data());
    EXPECT_EQ(first_difference(by_isa, by_scalar), -1);
  }
}

TYPED_TEST(Reduce, Avx2GivesTheScalarBits) {
  ISOSHARD_NEEDS_ISA(Isa::avx2);
  expect_scalar_sums<TypeParam>(Isa::avx2);
}

TYPED_TEST(Reduce, Avx512GivesTheScalarBits) {
  ISOSHARD_NEEDS_ISA(Isa::avx512);
  expect_scalar_sums<TypeParam>(Isa::avx512);
}

TYPED_TEST(Reduce, IntegersAreExact) {
  using T = TypeParam;
  for (const Case& c : kCases) {
    const auto x = random_integers<T>(size_of(c.shape), 5);
    const ReducePlan plan(c.shape, c.dims);
    std::vector<T> y(static_cast<std::size_t>(plan.output_size()));
    reduce_sum(best_isa(), plan, x.data(), y.data());
    const auto groups = gathered(c, x);
    for (std::size_t i = 0; i < y.size(); ++i) {
      long sum = 0;
      for (const T value : groups[i]) sum += static_cast<long>(value);
      ASSERT_EQ(static_cast<long>(y[i]), sum);
    }
  }
}

TYPED_TEST(Reduce, NegativeZerosSumToPositiveZero) {
  using T = TypeParam;
  const std::vector<T> x(6, T(-0.0));
  for (const Indices& dims : {Indices{0}, Indices{1}, Indices{0, 1}, Indices{}}) {
    const ReducePlan plan(Indices{2, 3}, dims);
    std::vector<T> y(static_cast<std::size_t>(plan.output_size()));
    reduce_sum(best_isa(), plan, x.data(), y.data());
    for (const T value : y) EXPECT_FALSE(std::signbit(value));
  }
}

TEST(ReduceMod31, IsTheSumModuloThePrime) {
  constexpr std::uint32_t kModulus = 2130706457u;
  for (const Case& c : kCases) {
    const auto x = random_residues(kModulus, size_of(c.shape), 6);
    std::vector<std::uint32_t> expected;
    for (const auto& group : gathered(c, x)) {
      std::uint64_t sum = 0;
      for (const std::uint32_t value : group) sum = (sum + value) % kModulus;
      expected.push_back(static_cast<std::uint32_t>(sum));
    }
    for (const Isa isa : supported_isas()) {
      std::vector<std::uint32_t> y(expected.size());
      reduce_sum_mod31(isa, Mod31(kModulus), ReducePlan(c.shape, c.dims), x.data(), y.data());
      EXPECT_EQ(y, expected) << isa_name(isa) << " case " << (&c - kCases);
    }
  }
}

TEST(ReducePlan, RejectsDimensionsThatAreNotThere) {
  EXPECT_INTERNAL_ERROR(ReducePlan(Indices{2, 3}, Indices{2}), "a reduced dimension does not exist");
  EXPECT_INTERNAL_ERROR(ReducePlan(Indices{2, 3}, Indices{1, 1}), "a dimension is reduced twice");
}

}  // namespace
}  // namespace isoshard::sim::kernels_reduce_test
