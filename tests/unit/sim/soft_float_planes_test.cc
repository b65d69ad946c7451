// How floats of soft domains lie in arrays, without their tables.
#include "sim/domains/soft/soft_float_planes.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "sim/domains/residues/ring_a.h"
#include "sim/domains/tower/tower_domain.h"

namespace isoshard::sim::soft_float_planes_test {
namespace {

constexpr int64_t kCount = 5;

/// Residues of 32 bits, and of 64.
template <class Ring>
class SoftFloatPlanesTest : public ::testing::Test {
 protected:
  std::vector<std::byte> array() const {
    const Storage storage = ring_.storage(DType::f32);
    return std::vector<std::byte>(storage.element_bytes * (storage.planes + 2) * static_cast<size_t>(kCount));
  }

  const Ring ring_{2, 7};
  const SoftFloatPlanes planes_{ring_};
};

using Rings = ::testing::Types<RingDomain, TowerDomain>;
TYPED_TEST_SUITE(SoftFloatPlanesTest, Rings);

TYPED_TEST(SoftFloatPlanesTest, KeepTablesAndNumbersApart) {
  const SoftFloatPlanes& planes = this->planes_;
  std::vector<std::byte> x = this->array();
  EXPECT_TRUE(planes.tables(DType::f32, kCount, x.data()).empty());
  EXPECT_TRUE(planes.numbers(DType::f32, kCount, x.data()).empty());
  planes.set_table(3, DType::f32, kCount, 4, x.data());
  EXPECT_TRUE(planes.numbers(DType::f32, kCount, x.data()).empty());
  planes.set_number(7, DType::f32, kCount, 0, x.data());
  EXPECT_EQ(planes.tables(DType::f32, kCount, x.data()), (std::vector<SoftFloats::Id>{0, 0, 0, 0, 3}));
  EXPECT_EQ(planes.numbers(DType::f32, kCount, x.data()), (std::vector<SoftNumbers::Id>{7, 0, 0, 0, 0}));
  EXPECT_EQ(planes.table_of(DType::f32, kCount, x.data(), 4), 3u);
  EXPECT_EQ(planes.number_id(DType::f32, kCount, x.data(), 4), 0u);
}

TYPED_TEST(SoftFloatPlanesTest, LeaveTheRingsElementsAlone) {
  const SoftFloatPlanes& planes = this->planes_;
  std::vector<std::byte> x = this->array();
  this->ring_.random(
      kCount, [](size_t lane, uint64_t i) { return (lane + 3) * (i + 1) << 33; }, x.data());
  const std::vector<std::byte> before = x;
  for (int64_t i = 0; i < kCount; ++i) planes.set_table(1, DType::f32, kCount, i, x.data());
  EXPECT_EQ(planes.copy_of(DType::f32, kCount, x.data()), x);
  EXPECT_NE(x, before);
  planes.no_tables(DType::f32, kCount, x.data());
  EXPECT_EQ(x, before);
}

}  // namespace
}  // namespace isoshard::sim::soft_float_planes_test
