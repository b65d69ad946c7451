// Whatever way m, n or a kept dimension is split over devices, the bits are those of the whole.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "sim/kernels/gemm.h"
#include "sim/kernels/mod31.h"
#include "sim/kernels/reduce.h"
#include "tests/kernels_testing.h"

namespace isoshard::sim::kernels_split_test {
namespace {

using testing_support::first_difference;
using testing_support::random_residues;
using testing_support::random_values;
using testing_support::supported_isas;

using Index = std::int64_t;

/// Ascending cut points of [0, size], both ends included.
std::vector<Index> random_cuts(Index size) {
  auto cuts = *rc::gen::container<std::vector<Index>>(rc::gen::inRange<Index>(0, size + 1));
  cuts.push_back(0);
  cuts.push_back(size);
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

Index draw(Index low, Index high) { return *rc::gen::inRange<Index>(low, high + 1); }

Isa draw_isa() { return *rc::gen::elementOf(supported_isas()); }

/// A matrix copied to a random alignment and leading dimension.
template <typename T>
struct Placed {
  Placed(const std::vector<T>& dense, Index rows, Index columns) : ld(columns + draw(0, 9)), offset(draw(0, 7)) {
    storage.assign(static_cast<std::size_t>(offset + rows * ld + 1), T(77));
    for (Index i = 0; i < rows; ++i) {
      std::copy_n(dense.begin() + i * columns, columns, storage.begin() + offset + i * ld);
    }
  }
  const T* at(Index row, Index column) const { return storage.data() + offset + row * ld + column; }

  Index ld;
  Index offset;
  std::vector<T> storage;
};

/// One that was drawn for the case at hand.
std::uint32_t drawn_modulus = (1U << 30) + 1;

void multiply(Isa isa, Index m, Index n, Index k, const std::uint32_t* a, Index lda, const std::uint32_t* b, Index ldb,
              std::uint32_t* c, Index ldc) {
  gemm_mod31(isa, Mod31(drawn_modulus), m, n, k, a, lda, b, ldb, c, ldc);
}
template <typename T>
void multiply(Isa isa, Index m, Index n, Index k, const T* a, Index lda, const T* b, Index ldb, T* c, Index ldc) {
  gemm(isa, m, n, k, a, lda, b, ldb, c, ldc);
}

/// Checks that blocks of C computed apart, from differently placed operands and on any isa, make up the whole.
template <typename T>
void check_split(Index m, Index n, Index k, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> whole(static_cast<std::size_t>(m * n));
  multiply(draw_isa(), m, n, k, a.data(), k, b.data(), n, whole.data(), n);
  std::vector<T> parts(whole.size());
  const Placed<T> placed_a(a, m, k);
  const Placed<T> placed_b(b, k, n);
  const auto rows = random_cuts(m);
  const auto columns = random_cuts(n);
  for (std::size_t r = 0; r + 1 < rows.size(); ++r) {
    for (std::size_t s = 0; s + 1 < columns.size(); ++s) {
      multiply(draw_isa(), rows[r + 1] - rows[r], columns[s + 1] - columns[s], k, placed_a.at(rows[r], 0), placed_a.ld,
               placed_b.at(0, columns[s]), placed_b.ld, parts.data() + rows[r] * n + columns[s], n);
    }
  }
  RC_ASSERT(first_difference(parts, whole) == -1);
}

template <typename T>
void gemm_property() {
  const Index m = draw(1, 40), n = draw(1, 70);
  const Index k =
      *rc::gen::weightedOneOf<Index>({{4, rc::gen::inRange<Index>(1, 60)}, {1, rc::gen::inRange<Index>(250, 600)}});
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  check_split(m, n, k, random_values<T>(m * k, seed), random_values<T>(k * n, seed + 1));
}

RC_GTEST_PROP(KernelSplit, GemmFloat, ()) { gemm_property<float>(); }
RC_GTEST_PROP(KernelSplit, GemmDouble, ()) { gemm_property<double>(); }
RC_GTEST_PROP(KernelSplit, GemmMod31, ()) {
  const Index m = draw(1, 20), n = draw(1, 40), k = draw(0, 300);
  const auto seed = *rc::gen::arbitrary<std::uint64_t>();
  drawn_modulus = static_cast<std::uint32_t>((Index{1} << 30) + 1 + 2 * draw(0, (Index{1} << 29) - 1));
  check_split(m, n, k, random_residues(drawn_modulus, m * k, seed), random_residues(drawn_modulus, k * n, seed + 1));
}

/// Reducing dims 1 and 3 of x[outer, r1, inner, r2], whole and in blocks of outer and inner.
template <typename T>
void reduce_property() {
  const Index outer = draw(1, 6), r1 = draw(1, 20), inner = draw(1, 12), r2 = draw(1, 40);
  const auto x = random_values<T>(outer * r1 * inner * r2, *rc::gen::arbitrary<std::uint64_t>());
  const std::vector<Index> dims = {1, 3};
  std::vector<T> whole(static_cast<std::size_t>(outer * inner));
  reduce_sum(draw_isa(), ReducePlan(std::vector<Index>{outer, r1, inner, r2}, dims), x.data(), whole.data());
  const auto cuts = random_cuts(inner);
  std::vector<T> parts(whole.size());
  for (Index o = 0; o < outer; ++o) {
    for (std::size_t s = 0; s + 1 < cuts.size(); ++s) {
      const Index width = cuts[s + 1] - cuts[s];
      std::vector<T> block;
      for (Index r = 0; r < r1; ++r) {
        const auto begin = x.begin() + ((o * r1 + r) * inner + cuts[s]) * r2;
        block.insert(block.end(), begin, begin + width * r2);
      }
      const ReducePlan plan(std::vector<Index>{1, r1, width, r2}, dims);
      reduce_sum(draw_isa(), plan, block.data(), parts.data() + o * inner + cuts[s]);
    }
  }
  RC_ASSERT(first_difference(parts, whole) == -1);
}

RC_GTEST_PROP(KernelSplit, ReduceFloat, ()) { reduce_property<float>(); }
RC_GTEST_PROP(KernelSplit, ReduceDouble, ()) { reduce_property<double>(); }

/// The same terms summed as a row, as a column of a matrix, and as a block: one result.
RC_GTEST_PROP(KernelSplit, ReduceDoesNotSeeTheLayout, ()) {
  const Index terms = draw(1, 200), others = draw(1, 9), position = draw(0, others - 1);
  const auto x = random_values<float>(terms, *rc::gen::arbitrary<std::uint64_t>());
  std::vector<float> as_columns(static_cast<std::size_t>(terms * others), 3.0f);
  for (Index i = 0; i < terms; ++i)
    as_columns[static_cast<std::size_t>(i * others + position)] = x[static_cast<std::size_t>(i)];
  float row = 0;
  std::vector<float> columns(static_cast<std::size_t>(others));
  reduce_sum(draw_isa(), ReducePlan(std::vector<Index>{terms}, std::vector<Index>{0}), x.data(), &row);
  reduce_sum(draw_isa(), ReducePlan(std::vector<Index>{terms, others}, std::vector<Index>{0}), as_columns.data(),
             columns.data());
  RC_ASSERT(row == columns[static_cast<std::size_t>(position)]);
}

}  // namespace
}  // namespace isoshard::sim::kernels_split_test
