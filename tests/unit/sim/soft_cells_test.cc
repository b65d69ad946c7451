// Comparisons of inputs with constants by complete cases.
#include "sim/domains/soft/tables/soft_cells.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "sim/domains/residues/ring_a.h"
#include "sim/domains/soft/soft_domain.h"
#include "sim/evaluate/conversion.h"
#include "sim/evaluate/evaluate.h"
#include "sim/value/new_value.h"

namespace isoshard::sim::soft_cells_test {
namespace {

TEST(SoftCells, AreCutAtConstantsAndTheirOpposites) {
  SoftIntegers integers(std::vector(2, PrimeField(2147483647)), 3);
  EXPECT_FALSE(SoftCells(integers, {}).cut());
  EXPECT_EQ(SoftCells(integers, {2}).constants(), (std::vector<mpq_class>{-2, 0, 2}));
  EXPECT_EQ(SoftCells(integers, {0, 1, -3}).cells(), 11U);
  EXPECT_EQ(SoftCells(integers, {1, 2, 3, 4}).constants(), std::vector<mpq_class>{0});
}

TEST(SoftCells, PlaceElementsAndTheirOpposites) {
  SoftIntegers integers(std::vector(2, PrimeField(2147483647)), 3);
  SoftCells cells(integers, {1});
  const std::vector<uint64_t> x{5, 9}, opposite{2147483642, 2147483638}, other{5, 8};
  const uint32_t variable = cells.variable_of(x);
  EXPECT_EQ(cells.variable_of(x), variable);
  EXPECT_NE(cells.variable_of(other), variable);
  EXPECT_EQ(cells.place(x, variable, 2), 2U);
  EXPECT_EQ(cells.place(opposite, variable, 2), 4U);
  EXPECT_FALSE(cells.place(other, variable, 2));
  EXPECT_FALSE(cells.place(x, variable + 100, 2));
}

/// One input, in cells that 0, 1 and -1 cut.
class InCells : public ::testing::Test {
 protected:
  InCells() {
    std::mt19937_64 random(3);
    NewValue result(kType, soft_.storage(DType::f32));
    soft_.random(
        1, [&](size_t, uint64_t) { return random(); }, result.data.get());
    x_ = std::move(result).finish();
  }

  Value number(int64_t x) const { return splat(kType, Rational(x), soft_); }
  Value apply(const OpData& op, const std::vector<Value>& x) const { return evaluate(op, x, kType, soft_); }
  Value larger(const Value& x, int64_t than) const { return apply(Maximum{}, {x, number(than)}); }
  Value smaller(const Value& x, int64_t than) const { return apply(Minimum{}, {x, number(than)}); }
  Value where(Direction direction, int64_t limit, const Value& yes, const Value& no) const {
    const Value holds = evaluate(Compare{direction}, std::vector{x_, number(limit)}, {DType::pred, {1}}, soft_);
    return apply(Select{}, {holds, yes, no});
  }
  bool same(const Value& a, const Value& b) const {
    for (size_t l = 0; l < soft_.lanes(); ++l) {
      if (soft_.residue(a, l, 0) != soft_.residue(b, l, 0)) return false;
    }
    return true;
  }

  const TensorType kType{DType::f32, {1}};
  SoftDomain soft_{std::make_unique<RingDomain>(2, 5), 3,
                   SoftDomain::Options{true, SoftIntegers::Weights::random, true, 0, {}, 1024, {1}}};
  Value x_;
};

TEST_F(InCells, ClipsInEitherOrderAreTheSame) {
  EXPECT_TRUE(same(smaller(larger(x_, -1), 1), larger(smaller(x_, 1), -1)));
  EXPECT_FALSE(same(smaller(larger(x_, -1), 1), larger(smaller(x_, 0), -1)));
  EXPECT_FALSE(same(smaller(larger(x_, 1), -1), larger(smaller(x_, -1), 1))) << "bounds that cross";
}

TEST_F(InCells, TiesAreTold) {
  const Value zero = number(0), one = number(1);
  EXPECT_TRUE(same(where(Direction::gt, 1, one, x_), smaller(x_, 1)));
  EXPECT_TRUE(same(where(Direction::ge, 1, one, x_), smaller(x_, 1)));
  EXPECT_FALSE(same(where(Direction::gt, 1, zero, x_), where(Direction::ge, 1, zero, x_)));
  const Value sign = apply(Sign{}, {x_}), square = apply(Multiply{}, {sign, sign});
  EXPECT_TRUE(same(apply(Multiply{}, {square, x_}), x_));
  EXPECT_FALSE(same(square, one)) << "at 0";
  EXPECT_TRUE(same(where(Direction::eq, 0, one, square), one));
}

TEST_F(InCells, OppositesAreInOppositeCells) {
  const Value opposite = apply(Negate{}, {x_});
  EXPECT_TRUE(same(apply(Subtract{}, {larger(x_, 0), larger(opposite, 0)}), x_));
  EXPECT_TRUE(same(apply(Add{}, {larger(x_, 0), larger(opposite, 0)}), apply(Abs{}, {x_})));
  EXPECT_TRUE(same(apply(Abs{}, {opposite}), where(Direction::lt, 0, opposite, x_)));
  EXPECT_FALSE(same(larger(opposite, 0), larger(x_, 0)));
}

}  // namespace
}  // namespace isoshard::sim::soft_cells_test
