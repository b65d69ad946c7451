// Names in rung F: a number that was copied is itself, another one of the same value and error is not, and errors are
// those without names but for their last bits.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "sim/domains/floats/bounded_names.h"
#include "sim/evaluate/evaluate.h"
#include "tests/domains_testing.h"
#include "tests/property/generator/dice.h"

namespace isoshard::sim::domains_names_test {
namespace {

constexpr uint8_t kUnsure = 2;
const NamedBoundedDomain kDomain;
const TensorType kType{DType::f64, {4}};

Value data(const std::vector<double>& x) { return from_doubles(kType, x, kDomain); }
Value number(const std::string& x) { return splat(kType, *Rational::parse(x), kDomain); }
Value made(const OpData& op, const std::vector<Value>& operands, const TensorType& type = kType) {
  return evaluate(op, operands, type, kDomain);
}

/// A third of each, which has an error.
Value thirds(const std::vector<double>& x) { return made(Divide{}, {data(x), number("3")}); }

/// The predicate's bytes.
std::vector<uint8_t> compared(Direction direction, const Value& x, const Value& y) {
  const Value result = made(Compare{direction}, {x, y}, TensorType{DType::pred, {4}});
  return {result.plane<uint8_t>(0).begin(), result.plane<uint8_t>(0).end()};
}

std::vector<uint8_t> all(uint8_t p) { return std::vector<uint8_t>(4, p); }

TEST(NamedErrors, ACopyIsItself) {
  const Value x = thirds({1, 2, -4, 5}), copy = made(Convert{DType::f64}, {x});
  EXPECT_EQ(compared(Direction::eq, x, copy), all(1));
  EXPECT_EQ(compared(Direction::ge, x, copy), all(1));
  EXPECT_EQ(compared(Direction::lt, x, copy), all(0));
  EXPECT_EQ(compared(Direction::ne, x, copy), all(0));
  const Value holds = made(Compare{Direction::eq}, {data({0, 0, 0, 0}), data({0, 0, 0, 0})}, {DType::pred, {4}});
  const Value all_of_it = made(Select{}, {holds, x, data({0, 0, 0, 0})});
  EXPECT_EQ(compared(Direction::eq, x, all_of_it), all(1));
}

TEST(NamedErrors, TheSameFormulaIsTheSameNumber) {
  EXPECT_EQ(compared(Direction::eq, thirds({1, 2, 4, 5}), thirds({1, 2, 4, 5})), all(1));
  const Value x = thirds({1, 2, 4, 5}), y = thirds({7, 8, 10, 11});
  EXPECT_EQ(compared(Direction::eq, made(Add{}, {x, y}), made(Add{}, {y, x})), all(1)) << "in another order";
  EXPECT_EQ(compared(Direction::eq, made(Divide{}, {x, y}), made(Divide{}, {x, y})), all(1));
}

TEST(NamedErrors, AnotherFormulaOfTheSameValueIsNot) {
  const Value x = data({1, 2, 4, 8}), third = thirds({1, 2, 4, 8});
  const Value around = made(Multiply{}, {third, number("3")});
  EXPECT_EQ(around.plane<double>(0)[0], 1);
  for (const uint8_t p : compared(Direction::eq, x, around)) EXPECT_NE(p & kUnsure, 0);
  const Value absolute = made(Abs{}, {third});
  for (const uint8_t p : compared(Direction::eq, third, absolute)) EXPECT_NE(p & kUnsure, 0);
  const Value a = number("0.1"), b = number("0.1000000000000000000001");
  EXPECT_EQ(a.plane<double>(0)[0], b.plane<double>(0)[0]);
  for (const uint8_t p : compared(Direction::eq, a, b)) EXPECT_NE(p & kUnsure, 0) << "two numbers, one double";
  EXPECT_EQ(compared(Direction::eq, a, number("0.1")), all(1));
}

TEST(NamedErrors, AMaximumIsTheLargestOne) {
  const Value x = thirds({1, 2, 4, 5}), y = thirds({2, 1, 4, 7});
  const Value most = made(Maximum{}, {x, y}), least = made(Minimum{}, {x, y});
  EXPECT_EQ(compared(Direction::eq, x, most), (std::vector<uint8_t>{0, 1, 1, 0}));
  EXPECT_EQ(compared(Direction::eq, y, most), (std::vector<uint8_t>{1, 0, 1, 1}));
  EXPECT_EQ(compared(Direction::eq, x, least), (std::vector<uint8_t>{1, 0, 1, 1}));
}

/// x and x (1 + 2^-53) are too close to tell which is larger: their maximum is known to be neither.
TEST(NamedErrors, AMaximumThatIsUnsureIsNeither) {
  const Value x = thirds({1, 2, 4, 5}),
              near = made(Multiply{}, {thirds({3, 6, 12, 15}), number("0.33333333333333333")});
  const Value most = made(Maximum{}, {x, near});
  for (const Value& one : {x, near}) {
    for (const uint8_t p : compared(Direction::eq, one, most)) EXPECT_NE(p & kUnsure, 0);
  }
}

TEST(NamedErrors, SumsAndProductsHaveThem) {
  const Value x = thirds({1, 2, 4, 5}), y = thirds({5, 4, 2, 1});
  const TensorType scalar{DType::f64, {}};
  const auto sum = [&](const Value& of) { return made(Reduce{Reducer::add, {0}, {}}, {of}, scalar); };
  const auto dot = [&](const Value& a, const Value& b) { return made(DotGeneral{{{0}, {0}}, {}}, {a, b}, scalar); };
  const auto same = [&](const Value& a, const Value& b) {
    return made(Compare{Direction::eq}, {a, b}, TensorType{DType::pred, {}}).plane<uint8_t>(0)[0];
  };
  EXPECT_EQ(same(sum(x), sum(y)), 1) << "the same terms";
  EXPECT_EQ(same(dot(x, x), dot(x, x)), 1);
  EXPECT_NE(same(dot(x, x), dot(y, y)), 1) << "terms in another order have another name: unsure";
}

/// Values are those of BoundedDomain, and errors at least its own and larger by 2^-14 at most, but for an ulp or two of
/// functions, whose values at the ends of an interval are rounded.
TEST(NamedErrors, ChangeErrorsInTheirLastBitsOnly) {
  const Domain& plain = bounded_domain();
  for (uint64_t seed = 0; seed < 300; ++seed) {
    isoshard::testing::Dice dice(seed);
    std::vector<std::vector<Value>> pools(2);  // with names, without
    const auto add = [&](const OpData& op, const std::vector<size_t>& of) {
      for (size_t d = 0; d < 2; ++d) {
        std::vector<Value> operands;
        for (const size_t o : of) operands.push_back(pools[d][o]);
        pools[d].push_back(evaluate(op, operands, kType, d == 0 ? kDomain : plain));
      }
    };
    for (int n = 0; n < 3; ++n) {
      std::vector<double> x;
      for (int i = 0; i < 4; ++i) x.push_back(static_cast<double>(dice.in(-9, 9)) + 0.3);
      pools[0].push_back(from_doubles(kType, x, kDomain)), pools[1].push_back(from_doubles(kType, x, plain));
    }
    const std::vector<OpData> binary{Add{}, Subtract{}, Multiply{}};  // not what compares with bounds
    const std::vector<OpData> unary{Negate{}, Abs{}, Tanh{}, Logistic{}};
    for (int n = 0; n < 12; ++n) {
      const auto one = [&] { return static_cast<size_t>(dice.below(pools[0].size())); };
      if (dice.chance(70)) {
        const size_t a = one(), b = one();
        add(dice.pick(binary), {a, b});
      } else {
        add(dice.pick(unary), {one()});
      }
    }
    for (size_t v = 0; v < pools[0].size(); ++v) {
      for (size_t i = 0; i < 4; ++i) {
        const double with = pools[0][v].plane<double>(1)[i], without = pools[1][v].plane<double>(1)[i];
        const double x = pools[0][v].plane<double>(0)[i], y = pools[1][v].plane<double>(0)[i];
        EXPECT_TRUE(x == y || (x != x && y != y)) << seed;
        EXPECT_GE(with, without) << seed;
        EXPECT_LE(with, without * (1 + 0x1p-14) + 0x1p-50 * std::abs(x) + 0x1p-1000) << seed;
      }
    }
  }
}

}  // namespace
}  // namespace isoshard::sim::domains_names_test
