#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "sim/domains/floats/bounded.h"
#include "sim/domains/floats/f32_f64.h"
#include "sim/domains/residues/ring_a.h"
#include "sim/evaluate/blocks.h"
#include "sim/evaluate/conversion.h"

namespace isoshard::sim::domains_padding_test {
namespace {

Value ramp(const Domain& domain) {
  std::vector<double> elements(7 * 2);
  for (size_t i = 0; i < elements.size(); ++i) elements[i] = static_cast<double>(i);
  return from_doubles(TensorType{DType::f64, {7, 2}}, elements, domain);
}

TEST(DomainsPadding, FloatsArePaddedWithNaN) {
  const Domain& domain = float_domain();
  const Value block = read_block(ramp(domain), {6, 0}, {3, 2}, domain, {1});
  const auto elements = block.plane<double>(0);
  EXPECT_EQ(elements[0], 12);
  EXPECT_EQ(elements[1], 13);
  for (size_t i = 2; i < 6; ++i) EXPECT_TRUE(std::isnan(elements[i]));
}

TEST(DomainsPadding, FloatsArePaddedWithNumbersWhereThatIsWanted) {
  const FloatDomain domain(Precision::f64, FloatPadding::numbers);
  const Value block = read_block(ramp(domain), {6, 0}, {3, 2}, domain, {1});
  const auto elements = block.plane<double>(0);
  EXPECT_EQ(elements[1], 13);
  for (size_t i = 2; i < 6; ++i) EXPECT_TRUE(0.5 <= elements[i] && elements[i] < 1) << elements[i];
  EXPECT_EQ(std::set<double>(elements.begin() + 2, elements.end()).size(), 4U);
}

TEST(DomainsPadding, ABlockInsideHasNone) {
  const Domain& domain = float_domain();
  const Value block = read_block(ramp(domain), {3, 1}, {3, 1}, domain, {1});
  EXPECT_EQ(std::vector<double>(block.plane<double>(0).begin(), block.plane<double>(0).end()),
            (std::vector<double>{7, 9, 11}));
}

TEST(DomainsPadding, RingsDrawEveryElementLaneAndSeedAnew) {
  const RingDomain ring(3, 5);
  std::set<uint32_t> seen;
  for (const uint64_t seed : {1U, 2U}) {
    const Value block = read_block(ramp(ring), {9, 0}, {3, 2}, ring, {seed});  // wholly beyond the end
    for (size_t lane = 0; lane < 3; ++lane) {
      for (const uint32_t element : block.plane<uint32_t>(lane)) seen.insert(element);
    }
  }
  EXPECT_EQ(seen.size(), 2U * 3 * 6);
  const Value again = read_block(ramp(ring), {9, 0}, {3, 2}, ring, {1});
  EXPECT_TRUE(same_bits(again, read_block(ramp(ring), {9, 0}, {3, 2}, ring, {1}))) << "the same draw";
}

TEST(DomainsPadding, BoundedPaddingIsLargeAndExact) {
  const Domain& domain = bounded_domain();
  const Value block = read_block(ramp(domain), {6, 0}, {2, 2}, domain, {3});
  for (size_t i = 2; i < 4; ++i) {
    EXPECT_GE(std::abs(block.plane<double>(0)[i]), 0x1p12);
    EXPECT_EQ(block.plane<double>(1)[i], 0);
  }
}

TEST(DomainsPadding, PredicatesStayPredicates) {
  const Domain& domain = float_domain();
  const Value empty = zeros(TensorType{DType::pred, {0}}, domain);
  const Value block = with_padding(empty, {1000}, domain, {4});
  size_t set = 0;
  for (const uint8_t element : block.plane<uint8_t>(0)) {
    ASSERT_LE(element, 1);
    set += element;
  }
  EXPECT_GT(set, 400U);
  EXPECT_LT(set, 600U);
}

}  // namespace
}  // namespace isoshard::sim::domains_padding_test
