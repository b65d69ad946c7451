// Integers of every dtype against plain C++: all numbers of 8 bits and all pairs of them, and of the others the edges
// and random ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "core/value/integers.h"
#include "sim/domains/residues/ring_numbers.h"
#include "sim/evaluate/evaluate.h"
#include "sim/integers/integer_apply.h"
#include "sim/integers/integer_ops.h"
#include "sim/integers/integer_order.h"
#include "tests/domains_testing.h"

namespace isoshard::sim::integers_test {
namespace {

constexpr DType kDtypes[] = {DType::i8, DType::u8, DType::i32, DType::u32, DType::i64, DType::u64};

template <class T>
std::vector<T> numbers() {
  using Limits = std::numeric_limits<T>;
  std::vector<T> result;
  if (sizeof(T) == 1) {
    for (int x = Limits::min(); x <= static_cast<int>(Limits::max()); ++x) result.push_back(static_cast<T>(x));
    return result;
  }
  std::mt19937_64 random(1);
  const T half = static_cast<T>(T{1} << (4 * sizeof(T)));
  const T top = static_cast<T>(std::make_unsigned_t<T>{1} << (8 * sizeof(T) - 1));
  for (const T x : {Limits::min(), Limits::max(), T{0}, half, top}) {
    for (const int beside : {-1, 0, 1})
      result.push_back(static_cast<T>(static_cast<uint64_t>(x) + static_cast<uint64_t>(beside)));
  }
  for (const int small : {2, 7, 8, 31, 32, 33, 63, 64, 65}) result.push_back(static_cast<T>(small));
  for (int i = 0; i < 40; ++i) result.push_back(static_cast<T>(random()));
  return result;
}

/// Every pair of numbers.
template <class T>
struct Pairs {
  std::vector<T> x, y;
  Pairs() {
    for (const T a : numbers<T>()) {
      for (const T b : numbers<T>()) x.push_back(a), y.push_back(b);
    }
  }
  int64_t size() const { return std::ssize(x); }
};

template <class T>
const std::byte* bytes(const std::vector<T>& x) {
  return reinterpret_cast<const std::byte*>(x.data());
}

template <class T>
std::vector<T> applied(IntegerOp op, DType dtype, const std::vector<T>& x, const std::vector<T>& y) {
  std::vector<T> out(x.size());
  integer::apply(op, dtype, std::ssize(x), bytes(x), bytes(y), reinterpret_cast<std::byte*>(out.data()));
  return out;
}

/// What plain C++ says, in numbers that hold every result: of sums and products the low bits are all that counts.
template <class T>
T expected(IntegerOp op, T a, T b) {
  using Unsigned = std::make_unsigned_t<T>;
  const auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  switch (op) {
    case IntegerOp::negate:
      return static_cast<T>(0 - x);
    case IntegerOp::absolute:
      return a < T{0} ? static_cast<T>(0 - x) : a;
    case IntegerOp::sign:
      return static_cast<T>(a < T{0} ? -1 : a > T{0} ? 1 : 0);
    case IntegerOp::complement:
      return static_cast<T>(~x);
    case IntegerOp::count_ones:
      return static_cast<T>(std::popcount(static_cast<Unsigned>(a)));
    case IntegerOp::leading_zeros:
      return static_cast<T>(std::countl_zero(static_cast<Unsigned>(a)));
    case IntegerOp::add:
      return static_cast<T>(x + y);
    case IntegerOp::subtract:
      return static_cast<T>(x - y);
    case IntegerOp::multiply:
      return static_cast<T>(x * y);
    case IntegerOp::quotient:
      if (b == 0) return static_cast<T>(-1);
      return std::is_signed_v<T> && y == ~uint64_t{0} ? static_cast<T>(0 - x) : static_cast<T>(a / b);
    case IntegerOp::remainder:
      if (b == 0) return a;
      return std::is_signed_v<T> && y == ~uint64_t{0} ? T{0} : static_cast<T>(a % b);
    case IntegerOp::minimum:
      return a < b ? a : b;
    case IntegerOp::maximum:
      return a < b ? b : a;
    case IntegerOp::conjunction:
      return static_cast<T>(x & y);
    case IntegerOp::disjunction:
      return static_cast<T>(x | y);
    case IntegerOp::exclusive_or:
      return static_cast<T>(x ^ y);
    case IntegerOp::shift_left:
      return static_cast<Unsigned>(b) < 8 * sizeof(T) ? static_cast<T>(x << static_cast<Unsigned>(b)) : T{0};
    case IntegerOp::shift_right_arithmetic: {
      const auto number = static_cast<int64_t>(static_cast<std::make_signed_t<T>>(a));
      return static_cast<T>(number >> std::min<uint64_t>(static_cast<Unsigned>(b), 63));
    }
    case IntegerOp::shift_right_logical:
      return static_cast<Unsigned>(b) < 8 * sizeof(T)
                 ? static_cast<T>(static_cast<uint64_t>(static_cast<Unsigned>(a)) >> static_cast<Unsigned>(b))
                 : T{0};
  }
  return 0;
}

TEST(Integers, OpsWrapAroundAtTheirOwnWidth) {
  for (const DType dtype : kDtypes) {
    with_integer(dtype, [dtype](auto zero) {
      const Pairs<decltype(zero)> pairs;
      for (int op = 0; op <= static_cast<int>(IntegerOp::shift_right_arithmetic); ++op) {
        const auto f = static_cast<IntegerOp>(op);
        const auto out = applied(f, dtype, pairs.x, pairs.y);
        for (size_t i = 0; i < out.size(); ++i) {
          ASSERT_EQ(out[i], expected(f, pairs.x[i], pairs.y[i]))
              << name(dtype) << " op " << op << " of " << +pairs.x[i] << " and " << +pairs.y[i];
        }
      }
    });
  }
}

template <class T>
bool holds(Direction direction, T a, T b) {
  const bool all[] = {false, a == b, a != b, a<b, a <= b, a> b, a >= b};
  return all[static_cast<size_t>(direction)];
}

TEST(Integers, AreOrderedAsTheirDtypeHasThem) {
  static_assert(static_cast<int>(Direction::eq) == 1 && static_cast<int>(Direction::ne) == 2 &&
                static_cast<int>(Direction::lt) == 3 && static_cast<int>(Direction::le) == 4 &&
                static_cast<int>(Direction::gt) == 5 && static_cast<int>(Direction::ge) == 6);
  for (const DType dtype : kDtypes) {
    with_integer(dtype, [dtype](auto zero) {
      const Pairs<decltype(zero)> pairs;
      std::vector<uint8_t> out(pairs.x.size());
      for (int d = 1; d <= 6; ++d) {
        const auto direction = static_cast<Direction>(d);
        integer::compare(direction, dtype, pairs.size(), bytes(pairs.x), bytes(pairs.y), out.data());
        for (size_t i = 0; i < out.size(); ++i) {
          ASSERT_EQ(out[i] != 0, holds(direction, pairs.x[i], pairs.y[i])) << name(dtype) << " " << +pairs.x[i];
        }
      }
    });
  }
}

TEST(Integers, SumsAndProductsOfArraysWrapAround) {
  const std::vector<uint8_t> x{200, 100, 3, 255}, y{2, 3, 100, 255};
  uint8_t sum = 0, product = 0;
  integer::sum(DType::u8, ReducePlan(Shape{4}, Shape{0}), bytes(x), reinterpret_cast<std::byte*>(&sum));
  EXPECT_EQ(sum, (200 + 100 + 3 + 255) % 256);
  integer::dot(DType::u8, 1, 1, 4, bytes(x), bytes(y), reinterpret_cast<std::byte*>(&product));
  EXPECT_EQ(product, (400 + 300 + 300 + 65025) % 256);
  const std::vector<int8_t> z{127, 1, -128, -128};
  int8_t signed_sum = 0;
  integer::sum(DType::i8, ReducePlan(Shape{4}, Shape{0}), bytes(z), reinterpret_cast<std::byte*>(&signed_sum));
  EXPECT_EQ(signed_sum, -128);
}

TEST(Integers, TheLargestComeFirst) {
  const std::vector<uint64_t> x{1, uint64_t{1} << 63, 5, ~uint64_t{0}};
  int32_t places[4];
  integer::top_k(DType::u64, 1, 4, 4, bytes(x), places);
  EXPECT_EQ((std::vector<int32_t>(places, places + 4)), (std::vector<int32_t>{3, 1, 2, 0}));
  const std::vector<int8_t> y{-1, 127, -128, 0};
  integer::top_k(DType::i8, 1, 4, 4, bytes(y), places);
  EXPECT_EQ((std::vector<int32_t>(places, places + 4)), (std::vector<int32_t>{1, 3, 0, 2}));
}

TEST(Integers, TheWeakestLoseAgainstAllOthers) {
  EXPECT_EQ(integer::weakest(Extreme::maximum, DType::i8), Rational(-128));
  EXPECT_EQ(integer::weakest(Extreme::minimum, DType::u8), Rational(255));
  EXPECT_EQ(integer::weakest(Extreme::maximum, DType::u64), Rational(0));
  EXPECT_EQ(integer::weakest(Extreme::minimum, DType::u64).to_string(), "18446744073709551615");
}

template <class T>
Value native(DType dtype, const std::vector<T>& values, const Domain& domain) {
  return from_tensor(Tensor::from<T>(dtype, {std::ssize(values)}, values), domain);
}

Value converted(const Value& x, DType to, const Domain& domain) {
  return evaluate(Convert{to}, std::vector{x}, {to, x.type.shape}, domain);
}

template <class T>
std::vector<T> list(const Value& x) {
  return {x.plane<T>(0).begin(), x.plane<T>(0).end()};
}

TEST(Integers, ConversionsBetweenThemKeepTheLowBits) {
  for (const DType from : kDtypes) {
    for (const DType to : kDtypes) {
      with_integer(from, [from, to](auto zero) {
        const auto x = numbers<decltype(zero)>();
        const Value y = converted(native(from, x, float_domain()), to, float_domain());
        with_integer(to, [&](auto other) {
          const auto out = list<decltype(other)>(y);
          for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(out[i], static_cast<decltype(other)>(x[i])) << name(to);
        });
      });
    }
  }
}

TEST(Integers, BecomePredicatesAndPredicatesBecomeThem) {
  for (const DType dtype : kDtypes) {
    with_integer(dtype, [dtype](auto zero) {
      const auto x = numbers<decltype(zero)>();
      const auto holds = list<uint8_t>(converted(native(dtype, x, float_domain()), DType::pred, float_domain()));
      for (size_t i = 0; i < x.size(); ++i) ASSERT_EQ(holds[i] != 0, x[i] != 0);
      const Value bits = native<uint8_t>(DType::pred, {0, 1}, float_domain());
      EXPECT_EQ(list<decltype(zero)>(converted(bits, dtype, float_domain())), (std::vector<decltype(zero)>{0, 1}));
    });
  }
}

TEST(Integers, BecomeTheNearestFloats) {
  for (const DType dtype : kDtypes) {
    with_integer(dtype, [dtype](auto zero) {
      const auto x = numbers<decltype(zero)>();
      const Value y = native(dtype, x, float_domain());
      const auto singles = list<float>(converted(y, DType::f32, float_domain()));
      const auto doubles = list<double>(converted(y, DType::f64, float_domain()));
      for (size_t i = 0; i < x.size(); ++i) {
        ASSERT_EQ(singles[i], static_cast<float>(x[i])) << name(dtype) << " " << +x[i];
        ASSERT_EQ(doubles[i], static_cast<double>(x[i])) << name(dtype) << " " << +x[i];
      }
    });
  }
}

TEST(Integers, RoundOnceAlsoFromU64) {
  // Just above the middle of two bf16 numbers, by less than a double sees.
  const uint64_t middle = (uint64_t{257} << 55) + 1;
  const Value x = native<uint64_t>(DType::u64, {middle, middle - 1}, float_domain());
  const float unit = std::ldexp(1.0F, 56);
  EXPECT_EQ(list<float>(converted(x, DType::bf16, float_domain())), (std::vector{129 * unit, 128 * unit}));
}

TEST(Integers, OfU64HaveABoundAndAreExactInRings) {
  const uint64_t large = ~uint64_t{0} - 6;
  const Value bounded =
      converted(native<uint64_t>(DType::u64, {large, 5}, bounded_domain()), DType::f32, bounded_domain());
  EXPECT_EQ(bounded.plane<double>(0)[0], 0x1p64);
  EXPECT_GE(bounded.plane<double>(1)[0], 7);
  EXPECT_LT(bounded.plane<double>(1)[0], 0x1p13);
  EXPECT_EQ(bounded.plane<double>(1)[1], 0);
  const RingDomain ring(2, 1);
  const Value element = converted(native<uint64_t>(DType::u64, {large, 5}, ring), DType::f32, ring);
  for (size_t lane = 0; lane < 2; ++lane) {
    EXPECT_EQ(element.plane<uint32_t>(lane)[0], large % ring.modulus(lane));
    EXPECT_EQ(element.plane<uint32_t>(lane)[1], 5u);
  }
}

/// The nearest number of the dtype toward zero.
template <class T>
T truncated(double x) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(x)) return 0;
  const double whole = std::trunc(x), end = std::ldexp(1.0, std::numeric_limits<T>::digits);
  if (whole >= end) return Limits::max();
  return whole < static_cast<double>(Limits::min()) ? Limits::min() : static_cast<T>(whole);
}

TEST(Integers, FloatsAreTruncatedAndStayInRange) {
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<double> x{0,      -0.5,        0.99,   1.9,     -1.9,
                              126.99, 127.5,       128,    129,     -127.9,
                              -128.9, -129,        254.99, 255,     255.99,
                              256,    300,         -300,   0x1p31,  -0x1p31,
                              0x1p32, 0x1p62,      0x1p63, -0x1p63, 0x1.fffffffffffffp63,
                              0x1p64, 0x1p65,      1e30,   -1e30,   inf,
                              -inf,   std::nan("")};
  const Value doubles = testing_support::value_of(DType::f64, {std::ssize(x)}, x, float_domain());
  for (const DType dtype : kDtypes) {
    with_integer(dtype, [&](auto zero) {
      const auto out = list<decltype(zero)>(converted(doubles, dtype, float_domain()));
      for (size_t i = 0; i < x.size(); ++i)
        ASSERT_EQ(out[i], truncated<decltype(zero)>(x[i])) << name(dtype) << " " << x[i];
      const float single[] = {0x1.fffffep63F, 0x1p64F, -1.0F};
      for (const float f : single)
        EXPECT_EQ(integer::truncated(f, dtype),
                  static_cast<int64_t>(truncated<decltype(zero)>(static_cast<double>(f))));
    });
  }
}

TEST(Integers, OnceUsedAsIndicesAreInsideOrOutside) {
  const Value table = native<int32_t>(DType::i32, {10, 11, 12}, float_domain());
  const auto found = [&](const Value& ids) {
    return list<int32_t>(evaluate(Gather{0, 0}, std::vector{table, ids}, {DType::i32, ids.type.shape}, float_domain()));
  };
  EXPECT_EQ(found(native<int8_t>(DType::i8, {-128, 1, 127}, float_domain())), (std::vector<int32_t>{10, 11, 12}));
  EXPECT_EQ(found(native<uint8_t>(DType::u8, {0, 1, 255}, float_domain())), (std::vector<int32_t>{10, 11, 12}));
  EXPECT_EQ(found(native<uint64_t>(DType::u64, {0, uint64_t{1} << 63, ~uint64_t{0}}, float_domain())),
            (std::vector<int32_t>{10, 12, 12}));
}

TEST(IntegerNumbers, AreTextsAndEndsOfTheirDtype) {
  EXPECT_EQ(integer_text(DType::u64, -1), "18446744073709551615");
  EXPECT_EQ(integer_text(DType::i8, -1), "-1");
  EXPECT_EQ(wrapped_integer(DType::i8, 200), -56);
  EXPECT_EQ(wrapped_integer(DType::u8, -1), 255);
  EXPECT_EQ(wrapped_integer(DType::u64, -1), -1);
  EXPECT_EQ(greatest_integer(DType::u64).to_string(), "18446744073709551615");
  EXPECT_EQ(least_integer(DType::i64).to_string(), "-9223372036854775808");
  EXPECT_EQ(integer_ends(DType::u64).greatest, std::numeric_limits<int64_t>::max());
  EXPECT_TRUE(integer_ends(DType::u8).contain(255));
  EXPECT_FALSE(integer_ends(DType::u8).contain(256));
}

}  // namespace
}  // namespace isoshard::sim::integers_test
