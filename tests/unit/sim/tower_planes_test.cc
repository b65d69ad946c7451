// Arrays of rung E as planes of residues, without a ring.
#include "sim/domains/tower/tower_planes.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace isoshard::sim::tower_planes_test {
namespace {

class TowerPlanesTest : public ::testing::Test {
 protected:
  /// Residues i, i + 10, ... and the form of element i.
  std::vector<std::byte> array(int64_t n, uint64_t form = RingForms::kPlain) const {
    std::vector<std::byte> result(static_cast<size_t>(n) * (fields_.size() + 1) * sizeof(uint64_t));
    planes_.each(n, result.data(), [&](int64_t i) {
      TowerElement x;
      for (size_t r = 0; r < fields_.size(); ++r) x.a[r] = (static_cast<uint64_t>(i) + 10 * r) % fields_[r].modulus();
      x.form = form;
      return x;
    });
    return result;
  }

  const std::vector<PrimeField> fields_{PrimeField(101), PrimeField(1073741827)};
  const TowerPlanes planes_{fields_};
};

TEST_F(TowerPlanesTest, ElementsComeBackWithTheirForms) {
  std::vector<std::byte> x = array(3);
  EXPECT_TRUE(planes_.all_plain(3, x.data()));
  planes_.put(TowerElement{{7, 8}, RingForms::integer(7)}, 3, 1, x.data());
  EXPECT_FALSE(planes_.all_plain(3, x.data()));
  EXPECT_EQ(planes_.at(3, x.data(), 1).a[1], 8u);
  EXPECT_EQ(planes_.at(3, x.data(), 1).form, RingForms::integer(7));
  EXPECT_EQ(planes_.at(3, x.data(), 2).a[1], 12u);
  planes_.make_plain(3, x.data());
  EXPECT_TRUE(planes_.all_plain(3, x.data()));
}

TEST_F(TowerPlanesTest, CalculateInTheFieldOfEachPlane) {
  const std::vector<std::byte> x = array(4);
  std::vector<std::byte> out = array(4, RingForms::integer(0));
  planes_.binary(BinaryOp::multiply, 4, x.data(), x.data(), out.data());
  EXPECT_TRUE(planes_.all_plain(4, out.data()));
  EXPECT_EQ(planes_.at(4, out.data(), 3).a[0], 9u);
  EXPECT_EQ(planes_.at(4, out.data(), 3).a[1], 169u);
  planes_.dot(2, 2, 2, x.data(), x.data(), out.data());
  EXPECT_EQ(planes_.at(4, out.data(), 3).a[0], 11u) << "of [[0, 1], [2, 3]] and itself";
  EXPECT_EQ(planes_.at(4, out.data(), 3).a[1], 12u * 11 + 13 * 13) << "by dot products, in a larger field";
}

TEST_F(TowerPlanesTest, InverseOfEachUnit) {
  for (const int64_t n : {1, 2, 7, 127, 128, 1000}) {
    const std::vector<std::byte> x = array(n);
    std::vector<std::byte> out = array(n, RingForms::integer(0));
    planes_.invert(n, x.data(), out.data());
    EXPECT_TRUE(planes_.all_plain(n, out.data()));
    for (int64_t i = 0; i < n; ++i) {
      for (size_t r = 0; r < fields_.size(); ++r) {
        const uint64_t unit = planes_.at(n, x.data(), i).a[r], inverse = planes_.at(n, out.data(), i).a[r];
        EXPECT_EQ(fields_[r].multiply(unit, inverse), unit == 0 ? 0U : 1U) << i << " of " << n << ", plane " << r;
      }
    }
  }
}

TEST_F(TowerPlanesTest, SumOverDimensions) {
  const std::vector<std::byte> x = array(6);
  std::vector<std::byte> out = array(2, RingForms::integer(0));
  const int64_t shape[] = {2, 3}, dims[] = {1};
  planes_.sum(ReducePlan(shape, dims), x.data(), out.data());
  EXPECT_TRUE(planes_.all_plain(2, out.data()));
  EXPECT_EQ(planes_.at(2, out.data(), 1).a[0], 12u);
  EXPECT_EQ(planes_.at(2, out.data(), 0).a[1], 33u);
}

}  // namespace
}  // namespace isoshard::sim::tower_planes_test
