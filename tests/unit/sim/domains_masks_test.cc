// Masks in rung F: what is read as infinite, what comes of it, and that nothing else changes.
#include <gtest/gtest.h>

#include <limits>
#include <ostream>

#include "sim/domains/floats/bounded_masks.h"
#include "sim/evaluate/difference.h"
#include "sim/evaluate/evaluate.h"
#include "tests/domains_testing.h"

namespace isoshard::sim::domains_masks_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const MaskedBoundedDomain kDomain;
const TensorType kType{DType::f32, {2}};

/// c·T + value, with its bound.
struct Seen {
  double c, value, error;
  bool operator==(const Seen&) const = default;
};

std::ostream& operator<<(std::ostream& out, const Seen& s) {
  return out << s.c << " T + " << s.value << " +- " << s.error;
}

Seen seen(const Value& x) {
  return {MaskedBoundedDomain::multiple(x, 0), x.plane<double>(0)[0], x.plane<double>(1)[0]};
}

Value data(double x) { return from_doubles(kType, std::vector<double>(2, x), kDomain); }
Value number(const std::string& x) { return splat(kType, *Rational::parse(x), kDomain); }
Value made(const OpData& op, const std::vector<Value>& operands, const TensorType& type = kType) {
  return evaluate(op, operands, type, kDomain);
}
Value masked(double x, const std::string& mask) { return made(Add{}, {data(x), number(mask)}); }

TEST(Masks, LargeNumbersAreInfiniteWhereTheyMeetData) {
  EXPECT_EQ(seen(masked(3, "-10000")), (Seen{-10000, 3, 0}));
  EXPECT_EQ(seen(masked(3, "20000")), (Seen{20000, 3, 0}));
  EXPECT_EQ(seen(masked(3, "-9999")), (Seen{0, -9996, seen(masked(3, "-9999")).error})) << "too small";
  EXPECT_EQ(seen(number("-10000")).c, 0) << "met no data yet";
  EXPECT_EQ(seen(made(Add{}, {data(3), data(-20000)})).c, 0) << "data, however large";
  EXPECT_EQ(seen(made(Multiply{}, {data(3), number("-10000")})).c, 0) << "a factor is no mask";
}

TEST(Masks, NumbersAreComputedFirst) {
  const Value n = made(Subtract{}, {number("1"), number("0")}), bias = made(Multiply{}, {n, number("-10000")});
  EXPECT_EQ(seen(made(Add{}, {data(3), bias})), (Seen{-10000, 3, 0}));
  const Value none = made(Multiply{}, {number("0"), number("-10000")});
  EXPECT_EQ(seen(made(Add{}, {data(3), none})), (Seen{0, 3, 0}));
  EXPECT_EQ(seen(made(Add{}, {made(Add{}, {number("-6000"), number("-6000")}), data(0)})).c, -12000);
}

TEST(Masks, ExponentialsAreExactlyZero) {
  EXPECT_EQ(seen(made(Exponential{}, {masked(700, "-1e30")})), (Seen{0, 0, 0}));
  EXPECT_EQ(seen(made(Exponential{}, {number("-10000")})), (Seen{0, 0, 0}));
  const Value divided = made(Divide{}, {masked(3, "-10000"), number("20")});
  EXPECT_EQ(seen(divided).c, -500);
  EXPECT_EQ(seen(made(Exponential{}, {divided})), (Seen{0, 0, 0}));
  EXPECT_EQ(seen(made(Exponential{}, {masked(3, "10000")})).error, kInfinity);
  EXPECT_GT(seen(made(Exponential{}, {masked(-200, "-100")})).value, 0) << "-100 is no mask";
}

/// f64 would lose what is added to -1e30, and its bound would be 1e14.
TEST(Masks, CancelWithoutRounding) {
  const Value x = masked(3, "-1e30"), y = masked(1, "-1e30");
  EXPECT_EQ(seen(made(Subtract{}, {x, y})), seen(made(Subtract{}, {data(3), data(1)})));
  EXPECT_EQ(seen(made(Subtract{}, {x, number("-1e30")})), (Seen{0, 3, 0}));
  EXPECT_EQ(seen(made(Negate{}, {x})), (Seen{1e30, -3, 0}));
  const Value thirds = made(Multiply{}, {number("1/3"), number("-30000")});
  EXPECT_EQ(seen(made(Subtract{}, {made(Add{}, {data(3), thirds}), number("-10000")})), (Seen{0, 3, 0}))
      << "their own rounding";
}

TEST(Masks, LargerMultiplesWin) {
  const Value low = masked(900, "-20000"), high = masked(-900, "-10000"), x = data(-1e6);
  EXPECT_EQ(seen(made(Maximum{}, {low, high})), (Seen{-10000, -900, 0}));
  EXPECT_EQ(seen(made(Minimum{}, {low, high})), (Seen{-20000, 900, 0}));
  EXPECT_EQ(seen(made(Maximum{}, {x, high})), (Seen{0, -1e6, 0}));
  EXPECT_EQ(seen(made(Maximum{}, {number("-10000"), x})), (Seen{0, -1e6, 0}));
  EXPECT_EQ(seen(made(Maximum{}, {masked(1, "-10000"), masked(2, "-10000")})), (Seen{-10000, 2, 0}));
  const TensorType pred{DType::pred, {2}};
  EXPECT_EQ(made(Compare{Direction::lt}, {low, x}, pred).plane<uint8_t>(0)[0], 1);
  EXPECT_EQ(made(Compare{Direction::gt}, {low, low}, pred).plane<uint8_t>(0)[0], 0);
  EXPECT_EQ(made(Compare{Direction::gt}, {x, number("10000")}, pred).plane<uint8_t>(0)[0], 0);
}

TEST(Masks, SumsAndProducts) {
  const Reduce sum{Reducer::add, {0}, {}};
  EXPECT_EQ(seen(made(sum, {masked(3, "-10000")}, {DType::f32, {}})).c, -20000);
  EXPECT_EQ(seen(made(sum, {number("-6000")}, {DType::f32, {}})).value, -12000);
  EXPECT_EQ(seen(made(Multiply{}, {masked(3, "-10000"), number("-2")})).c, 20000);
  EXPECT_EQ(seen(made(Multiply{}, {masked(3, "-10000"), data(2)})).error, kInfinity) << "of which sign?";
  EXPECT_EQ(seen(made(Divide{}, {data(2), masked(3, "-10000")})).error, kInfinity);
  EXPECT_EQ(seen(made(Tanh{}, {masked(3, "-10000")})).error, kInfinity);
}

TEST(Masks, DifferencesOfMultiplesAreSeen) {
  EXPECT_EQ(first_difference(masked(3, "-10000"), masked(3, "-10000"), kDomain), -1);
  EXPECT_EQ(first_difference(masked(3, "-10000"), masked(3, "-20000"), kDomain), 0);
  EXPECT_EQ(first_difference(masked(3, "-10000"), data(3), kDomain), 0);
}

/// Where there is no mask it is BoundedDomain.
TEST(Masks, DataIsAsWithoutMasks) {
  const std::vector<OpData> unary = {Exponential{}, Log{}, Tanh{}, Sqrt{}, Negate{}, Abs{}, Sign{}, Floor{}};
  const std::vector<OpData> binary = {Add{}, Subtract{}, Multiply{}, Divide{}, Maximum{}, Minimum{}, Power{}};
  const auto same = [](const OpData& op, const std::vector<double>& x) {
    std::vector<Value> with, without;
    for (const double v : x) {
      with.push_back(made(Add{}, {data(v), number("1/3")}));
      const Value plain = from_doubles(kType, std::vector<double>(2, v), bounded_domain());
      const Value third = splat(kType, Rational(1, 3), bounded_domain());
      without.push_back(evaluate(Add{}, std::vector{plain, third}, kType, bounded_domain()));
    }
    const Value a = made(op, with);
    const Value b = evaluate(op, without, kType, bounded_domain());
    for (const size_t plane : {size_t{0}, size_t{1}}) {
      EXPECT_EQ(a.plane<double>(plane)[0], b.plane<double>(plane)[0]) << op_name(op);
    }
    EXPECT_EQ(MaskedBoundedDomain::multiple(a, 0), 0) << op_name(op);
  };
  for (const OpData& op : unary) same(op, {2.25});
  for (const OpData& op : binary) same(op, {2.25, -40000});
}

}  // namespace
}  // namespace isoshard::sim::domains_masks_test
