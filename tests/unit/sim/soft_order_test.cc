#include "sim/domains/soft/tables/soft_order.h"

#include <gtest/gtest.h>

#include <vector>

namespace isoshard::sim::soft_order_test {
namespace {

using Element = SoftOrder::Element;

std::vector<std::byte> argument(int x) { return {static_cast<std::byte>(x)}; }

/// exp(1), exp(2) are 11, 12; exp(1) + exp(2) is 20; these over it are 31, 32.
class OrderOfExponentials : public ::testing::Test {
 protected:
  OrderOfExponentials() {
    order_.exponential({11}, argument(1));
    order_.exponential({12}, argument(2));
    order_.sum({20}, {{11}, {12}});
    order_.quotient({31}, {11}, {20});
    order_.quotient({32}, {12}, {20});
  }
  SoftOrder order_;
};

TEST_F(OrderOfExponentials, OfExponentialsAndSoftmaxesIsThatOfTheirArguments) {
  const std::vector<std::vector<std::byte>> both{argument(2), argument(1)};
  EXPECT_EQ(order_.arguments({{12}, {11}}), both);
  EXPECT_EQ(order_.arguments({{32}, {31}}), both);
}

TEST_F(OrderOfExponentials, OfOtherRowsIsNotKnown) {
  EXPECT_FALSE(order_.arguments({{12}, {13}}));
  EXPECT_FALSE(order_.arguments({{12}, {31}})) << "one of both is divided";
  order_.sum({21}, {{11}, {11}});
  order_.quotient({33}, {12}, {21});
  EXPECT_FALSE(order_.arguments({{31}, {33}})) << "by different sums";
}

TEST_F(OrderOfExponentials, NeedsADivisorThatIsPositive) {
  order_.quotient({41}, {11}, {13});
  EXPECT_FALSE(order_.arguments({{41}}));
  order_.sum({22}, {{11}, {13}});
  order_.quotient({42}, {11}, {22});
  EXPECT_FALSE(order_.arguments({{42}})) << "a sum with a term of either sign";
  order_.sum({23}, {});
  order_.quotient({43}, {11}, {23});
  EXPECT_FALSE(order_.arguments({{43}})) << "a sum of nothing is 0";
}

}  // namespace
}  // namespace isoshard::sim::soft_order_test
