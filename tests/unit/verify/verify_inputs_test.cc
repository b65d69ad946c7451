#include "verify/compare/inputs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "sim/domains/floats/bounded.h"
#include "sim/domains/residues/ring_a.h"

namespace isoshard::verify::verify_inputs_test {
namespace {

Global make_global(const std::string& name, DType dtype, Shape shape, Role role = Role::input, Init init = {}) {
  return Global{name, TensorType{dtype, std::move(shape)}, role, std::move(init), {}};
}

std::vector<uint32_t> lane(const sim::Value& value, size_t l) {
  const auto plane = value.plane<uint32_t>(l);
  return {plane.begin(), plane.end()};
}

TEST(VerifyInputs, RingInputsAreResiduesThatDifferPerGlobalLaneSeedAndDraw) {
  const sim::RingDomain domain(3, 1);
  const Global x = make_global("x", DType::f32, {50, 20}), y = make_global("y", DType::f32, {50, 20});
  const sim::Value value = draw_ring(x, domain, {7, 0, {}});
  std::set<uint32_t> seen;
  for (size_t l = 0; l < 3; ++l) {
    for (const uint32_t r : lane(value, l)) {
      EXPECT_LT(r, domain.modulus(l));
      seen.insert(r);
    }
  }
  EXPECT_GT(seen.size(), 2990U) << "3000 draws of 2^31 numbers";
  EXPECT_TRUE(sim::same_bits(value, draw_ring(x, domain, {7, 0, {}})));
  EXPECT_FALSE(sim::same_bits(value, draw_ring(y, domain, {7, 0, {}})));
  EXPECT_FALSE(sim::same_bits(value, draw_ring(x, domain, {8, 0, {}})));
  EXPECT_FALSE(sim::same_bits(value, draw_ring(x, domain, {7, 1, {}})));
}

TEST(VerifyInputs, ALaneIsRedrawnAlone) {
  const sim::RingDomain domain(2, 1);
  const Global x = make_global("x", DType::f32, {9});
  const sim::Value before = draw_ring(x, domain, {7, 0, {0, 0}}), after = draw_ring(x, domain, {7, 0, {0, 1}});
  EXPECT_EQ(lane(before, 0), lane(after, 0));
  EXPECT_NE(lane(before, 1), lane(after, 1));
}

TEST(VerifyInputs, InitIsIgnoredButForExactConstants) {
  const sim::RingDomain domain(2, 1);
  const Init half{InitKind::value, Rational(1, 2)};
  const sim::Value constant = draw_ring(make_global("c", DType::f32, {3}, Role::constant, half), domain, {});
  for (const uint32_t r : lane(constant, 1)) EXPECT_EQ(domain.moduli()[1].multiply(r, 2), 1U);
  const sim::Value zeros =
      draw_ring(make_global("z", DType::f32, {3}, Role::constant, {InitKind::zeros, {}}), domain, {});
  EXPECT_EQ(lane(zeros, 0), std::vector<uint32_t>(3, 0));
  const sim::Value bias = draw_ring(make_global("b", DType::f32, {3}, Role::param, {InitKind::zeros, {}}), domain, {});
  for (const uint32_t r : lane(bias, 0)) EXPECT_NE(r, 0U) << "a bias is random and not zero";
}

TEST(VerifyInputs, FloatInputsHaveTheScaleAndNoError) {
  const Global x = make_global("x", DType::f32, {10000});
  for (const double scale : {0x1p-8, 1.0, 0x1p8}) {
    const sim::Value value = draw_float(x, sim::bounded_domain(), {3, 0, {}}, {FloatKind::bell, scale});
    double sum = 0, squares = 0;
    for (const double v : value.plane<double>(0)) sum += v, squares += v * v;
    EXPECT_LT(std::abs(sum / 10000), 0.05 * scale);
    EXPECT_NEAR(squares / 10000, scale * scale, 0.05 * scale * scale);
    for (const double e : value.plane<double>(1)) EXPECT_EQ(e, 0);
  }
}

TEST(VerifyInputs, IntegersRepeatAndPredicatesDifferInDensity) {
  const sim::RingDomain domain(2, 1);
  const Global ids = make_global("ids", DType::i32, {4, 16}), mask = make_global("mask", DType::pred, {8, 32});
  std::set<int> row_counts;
  for (uint32_t d = 0; d < 8; ++d) {
    const sim::Value value = draw_ring(ids, domain, {1, d, {}});
    const auto elements = value.plane<int32_t>(0);
    const std::set<int32_t> distinct(elements.begin(), elements.end());
    EXPECT_GT(distinct.size(), 1U);
    EXPECT_LT(distinct.size(), 10U);
    const sim::Value masks = draw_ring(mask, domain, {1, d, {}});
    for (size_t row = 0; row < 8; ++row) {
      int count = 0;
      for (size_t i = 0; i < 32; ++i) count += static_cast<int>(masks.plane<uint32_t>(0)[row * 32 + i]);
      EXPECT_TRUE(d != 1 || count == 0) << "one draw has none set";
      if (d != 1) row_counts.insert(count);
    }
  }
  EXPECT_GT(row_counts.size(), 10U);
}

std::multiset<int32_t> drawn_indices(int64_t count, uint32_t index, const IndexRange& range) {
  Draw draw{1, index, {}};
  draw.indices = range;
  const sim::Value value = draw_ring(make_global("ids", DType::i32, {count}), sim::RingDomain(2, 1), draw);
  const auto elements = value.plane<int32_t>(0);
  return {elements.begin(), elements.end()};
}

TEST(VerifyInputs, IndicesHitTheEndsOfBlocksRepeatAndLieOutside) {
  for (const uint32_t d : {3U, 7U}) {
    const std::multiset<int32_t> drawn = drawn_indices(4000, d, IndexRange{1000, {8}});
    for (const int32_t edge : {-1, 0, 124, 125, 499, 500, 874, 875, 999, 1000})
      EXPECT_GT(drawn.count(edge), 4U) << edge;
    EXPECT_EQ(*drawn.begin(), -1);
    EXPECT_EQ(*drawn.rbegin(), 1000);
    EXPECT_GT(std::set<int32_t>(drawn.begin(), drawn.end()).size(), 800U);
  }
}

/// 60 ids in two draws go over a table of 120 rows once.
TEST(VerifyInputs, IndicesGoOverASmallTable) {
  std::multiset<int32_t> drawn = drawn_indices(60, 1, IndexRange{120, {2}});
  EXPECT_EQ(std::set<int32_t>(drawn.begin(), drawn.end()).size(), 60U);
  drawn.merge(drawn_indices(60, 5, IndexRange{120, {2}}));
  const std::set<int32_t> distinct(drawn.begin(), drawn.end());
  EXPECT_EQ(distinct.size(), 120U);
  EXPECT_EQ(*distinct.begin(), 0);
  EXPECT_EQ(*distinct.rbegin(), 119);
}

TEST(VerifyInputs, RangesHold) {
  Global ids = make_global("ids", DType::i32, {200});
  ids.range = ValueRange{5, 40, {-100}};
  for (uint32_t d = 0; d < 8; ++d) {
    Draw draw{1, d, {}};
    draw.indices = IndexRange{1000, {8}};
    const sim::Value value = draw_ring(ids, sim::RingDomain(2, 1), draw);
    const std::set<int32_t> drawn(value.plane<int32_t>(0).begin(), value.plane<int32_t>(0).end());
    for (const int32_t number : drawn) EXPECT_TRUE(ids.range->contains(number)) << number;
    for (const int32_t end : {-100, 5, 39}) EXPECT_EQ(drawn.count(end), 1U) << end << " in draw " << d;
  }
}

TEST(VerifyInputs, IndicesKeepToTheRowsOfTheReference) {
  const Global ids = make_global("ids", DType::i32, {200}), others = make_global("others", DType::i32, {200});
  for (uint32_t d = 0; d < 8; ++d) {
    Draw draw{1, d, {}};
    draw.indices = IndexRange{8, {2}};
    draw.indices.rows.emplace("ids", ValueRange{0, 7, {-100}});
    const sim::Value value = draw_ring(ids, sim::RingDomain(2, 1), draw);
    for (const int32_t number : value.plane<int32_t>(0)) {
      EXPECT_TRUE(number == -100 || (number >= 0 && number < 7)) << number;
    }
  }
  Draw draw{1, 3, {}};
  draw.indices = IndexRange{8, {2}};
  draw.indices.rows.emplace("ids", ValueRange{0, 7});
  const sim::Value value = draw_ring(others, sim::RingDomain(2, 1), draw);
  const std::set<int32_t> drawn(value.plane<int32_t>(0).begin(), value.plane<int32_t>(0).end());
  EXPECT_EQ(drawn.count(8), 1U) << "of another global";
}

TEST(VerifyInputs, FloatsStandAtTheConstantsOfPrograms) {
  Draw draw{1, 0, {}};
  draw.indices.limits = {0.5, 20000};
  const sim::Value value =
      draw_float(make_global("x", DType::f32, {200}), sim::bounded_domain(), draw, {FloatKind::limits});
  const std::multiset<double> drawn(value.plane<double>(0).begin(), value.plane<double>(0).end());
  for (const double number : {0.5, -0.5, 20000.0, 40000.0}) EXPECT_GT(drawn.count(number), 2U) << number;
  EXPECT_GT(std::set<double>(drawn.begin(), drawn.end()).size(), 60U);
}

/// The sizes of the elements of an array of 10 rows and 4 columns.
std::vector<double> shaped(const FloatDraw& floats) {
  const sim::Value value = draw_float(make_global("x", DType::f32, {10, 4}), sim::bounded_domain(), {1, 0, {}}, floats);
  return {value.plane<double>(0).begin(), value.plane<double>(0).end()};
}

TEST(VerifyInputs, FloatsHaveOrders) {
  const std::vector<double> up = shaped({FloatKind::ascending}), down = shaped({FloatKind::descending});
  EXPECT_TRUE(std::is_sorted(up.begin(), up.end()));
  EXPECT_TRUE(std::is_sorted(down.rbegin(), down.rend()));
  EXPECT_EQ(std::set<double>(up.begin(), up.end()).size(), 40U);
  EXPECT_EQ(std::set<double>(up.begin(), up.end()), std::set<double>(down.begin(), down.end()));
}

TEST(VerifyInputs, FloatsAreLargeInOnePart) {
  const auto expect = [](const FloatDraw& floats, const std::function<bool(size_t)>& is_large) {
    const std::vector<double> x = shaped(floats);
    for (size_t i = 0; i < x.size(); ++i) EXPECT_EQ(std::abs(x[i]) > 0.1, is_large(i)) << i << ": " << x[i];
  };
  expect({FloatKind::first_half}, [](size_t i) { return i < 20; });
  expect({FloatKind::last_half}, [](size_t i) { return i >= 20; });
  expect({FloatKind::column, 1, false, 2}, [](size_t i) { return i % 4 == 2; });
  for (const double x : shaped({FloatKind::column, 1, false, 2})) EXPECT_GE(x, 0);
}

TEST(VerifyInputs, ProgramsThatLookNothingUpGetSmallIntegers) {
  for (const uint32_t d : {0U, 1U, 3U}) {
    const std::multiset<int32_t> drawn = drawn_indices(200, d, IndexRange{});
    EXPECT_LT(*drawn.rbegin(), 10) << d;
  }
}

/// Numbers of the programs with their neighbours, and one outside either end, even of few elements.
TEST(VerifyInputs, NumbersOfTheProgramsAreAmongTheIntegers) {
  IndexRange range;
  range.numbers = {-100, 7};
  const std::multiset<int32_t> labels = drawn_indices(6, 3, range);
  for (const int32_t special : {-101, -100, -99, 6, 7, 8}) EXPECT_EQ(labels.count(special), 1U) << special;
  range.size = 3;
  std::multiset<int32_t> few = drawn_indices(4, 3, range);
  few.merge(drawn_indices(4, 7, range));
  for (const int32_t special : {-101, -100, -99, -1, 3, 6, 7, 8}) EXPECT_EQ(few.count(special), 1U) << special;
}

}  // namespace
}  // namespace isoshard::verify::verify_inputs_test
