// Functions, conversions and the small dtypes in every domain.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>

#include "sim/domains/residues/ring_numbers.h"
#include "sim/evaluate/accumulator.h"
#include "sim/evaluate/evaluate.h"
#include "sim/run/draw.h"
#include "sim/value/movement.h"
#include "tests/domains_testing.h"

namespace isoshard::sim::domains_functions_test {
namespace {

using testing_support::random_ring;
using testing_support::value_of;

template <class T>
std::vector<T> list(const Value& x) {
  return {x.plane<T>(0).begin(), x.plane<T>(0).end()};
}

template <class T>
Value native(DType dtype, const std::vector<T>& values, const Domain& domain) {
  return from_tensor(Tensor::from<T>(dtype, {std::ssize(values)}, values), domain);
}

Value apply(const OpData& op, const std::vector<Value>& operands, DType dtype, const Domain& domain) {
  return evaluate(op, operands, {dtype, operands[0].type.shape}, domain);
}

constexpr int64_t kLow = std::numeric_limits<int64_t>::min(), kHigh = std::numeric_limits<int64_t>::max();

TEST(IntegerWidths, WrapAroundInEveryDomain) {
  const RingDomain ring(2, 1);
  for (const Domain* domain : {&float_domain(), static_cast<const Domain*>(&ring), &bounded_domain()}) {
    const Value x = native<int64_t>(DType::i64, {kHigh, kLow, int64_t{1} << 40}, *domain);
    const Value y = native<int64_t>(DType::i64, {1, -1, int64_t{1} << 40}, *domain);
    EXPECT_EQ(list<int64_t>(apply(Add{}, {x, y}, DType::i64, *domain)), (std::vector{kLow, kHigh, int64_t{1} << 41}));
    EXPECT_EQ(list<int64_t>(apply(Multiply{}, {x, y}, DType::i64, *domain)), (std::vector{kHigh, kLow, int64_t{0}}));
    EXPECT_EQ(list<int64_t>(apply(Negate{}, {x}, DType::i64, *domain)),
              (std::vector{-kHigh, kLow, -(int64_t{1} << 40)}));
    EXPECT_EQ(list<int64_t>(apply(Remainder{}, {x, y}, DType::i64, *domain)), (std::vector<int64_t>{0, 0, 0}));
    const Value u = native<uint32_t>(DType::u32, {0, 7, UINT32_MAX}, *domain);
    const Value v = native<uint32_t>(DType::u32, {1, 0, 10}, *domain);
    EXPECT_EQ(list<uint32_t>(apply(Subtract{}, {u, v}, DType::u32, *domain)),
              (std::vector<uint32_t>{UINT32_MAX, 7, UINT32_MAX - 10}));
    EXPECT_EQ(list<uint32_t>(apply(Remainder{}, {u, v}, DType::u32, *domain)), (std::vector<uint32_t>{0, 7, 5}));
    EXPECT_EQ(list<uint32_t>(apply(Cumsum{0}, {u}, DType::u32, *domain)), (std::vector<uint32_t>{0, 7, 6}));
  }
  const Value x = native<int32_t>(DType::i32, {-7, 7, -7, INT32_MIN}, float_domain());
  const Value y = native<int32_t>(DType::i32, {3, -3, 0, -1}, float_domain());
  EXPECT_EQ(list<int32_t>(apply(Remainder{}, {x, y}, DType::i32, float_domain())), (std::vector{-1, 1, -7, 0}));
}

TEST(Conversions, BetweenIntegersKeepTheLowBits) {
  const Domain& d = float_domain();
  const Value x = native<int64_t>(DType::i64, {-1, int64_t{1} << 32, (int64_t{1} << 31) + 5}, d);
  EXPECT_EQ(list<uint32_t>(apply(Convert{DType::u32}, {x}, DType::u32, d)),
            (std::vector<uint32_t>{UINT32_MAX, 0, (1U << 31) + 5}));
  EXPECT_EQ(list<int32_t>(apply(Convert{DType::i32}, {x}, DType::i32, d)), (std::vector{-1, 0, INT32_MIN + 5}));
  const Value u = native<uint32_t>(DType::u32, {UINT32_MAX}, d);
  EXPECT_EQ(list<int64_t>(apply(Convert{DType::i64}, {u}, DType::i64, d)), (std::vector<int64_t>{UINT32_MAX}));
}

TEST(Conversions, FloatsTruncateTowardZeroAndStayInRange) {
  const Domain& d = float_domain();
  const double inf = std::numeric_limits<double>::infinity();
  const Value x = value_of(DType::f64, {8}, {1.9, -1.9, -0.5, 3e9, -3e9, 1e30, -inf, std::nan("")}, d);
  EXPECT_EQ(list<int32_t>(apply(Convert{DType::i32}, {x}, DType::i32, d)),
            (std::vector{1, -1, 0, INT32_MAX, INT32_MIN, INT32_MAX, INT32_MIN, 0}));
  EXPECT_EQ(list<uint32_t>(apply(Convert{DType::u32}, {x}, DType::u32, d)),
            (std::vector<uint32_t>{1, 0, 0, 3000000000, 0, UINT32_MAX, 0, 0}));
  EXPECT_EQ(list<int64_t>(apply(Convert{DType::i64}, {x}, DType::i64, d)),
            (std::vector<int64_t>{1, -1, 0, 3000000000, -3000000000, kHigh, kLow, 0}));
  EXPECT_EQ(list<uint8_t>(apply(Convert{DType::pred}, {x}, DType::pred, d)),
            (std::vector<uint8_t>{1, 1, 1, 1, 1, 1, 1, 1}));
}

TEST(Conversions, IntegersRoundOnce) {
  const Domain& d = float_domain();
  // Just above the middle of two bf16 numbers, by less than a double sees.
  const int64_t middle = (int64_t{257} << 52) + 1;
  const Value x = native<int64_t>(DType::i64, {middle, middle - 1, -middle}, d);
  const float unit = static_cast<float>(int64_t{1} << 53);
  EXPECT_EQ(list<float>(apply(Convert{DType::bf16}, {x}, DType::bf16, d)),
            (std::vector{129 * unit, 128 * unit, -129 * unit}));
  EXPECT_EQ(list<double>(apply(Convert{DType::f64}, {x}, DType::f64, d))[1], static_cast<double>(middle - 1));
}

TEST(NarrowFloats, AreRoundedAfterEveryOp) {
  const Domain& d = float_domain();
  const Value x = value_of(DType::bf16, {2}, {1 + 0x1p-9, 256}, d);
  EXPECT_EQ(list<float>(x), (std::vector{1.0F, 256.0F}));  // inputs as well
  const Value one = splat(x.type, Rational(1), d);
  EXPECT_EQ(list<float>(apply(Add{}, {x, one}, DType::bf16, d)), (std::vector{2.0F, 256.0F}));
  const Value third = splat({DType::f16, {}}, Rational(1, 3), d);
  EXPECT_EQ(third.plane<float>(0)[0], 0.333251953125F);
  EXPECT_EQ(splat({DType::f16, {}}, Rational(65520), d).plane<float>(0)[0], std::numeric_limits<float>::infinity());
  const Value wide = value_of(DType::bf16, {1}, {1 + 0x1p-9}, float_domain(Precision::f32));
  EXPECT_EQ(wide.plane<float>(0)[0], 1.001953125F);  // --domain f32 computes it wider
}

TEST(NarrowFloats, SumsAccumulateInF32) {
  const Domain& d = float_domain();
  const std::vector<double> ones(600, 1.0);  // sums in bf16 itself stop at 256
  const Value x = value_of(DType::bf16, {600}, ones, d);
  EXPECT_EQ(evaluate(Reduce{Reducer::add, {0}, {}}, std::span(&x, 1), {DType::bf16, {}}, d).plane<float>(0)[0], 600);
  const std::vector<Value> pair{x, x};
  EXPECT_EQ(evaluate(DotGeneral{DimPairs{{0}, {0}}, {}, {}}, pair, {DType::bf16, {}}, d).plane<float>(0)[0], 600);
  const std::vector<float> running = list<float>(apply(Cumsum{0}, {x}, DType::bf16, d));
  EXPECT_EQ(running[255], 256.0F);
  EXPECT_EQ(running[256], 256.0F);  // 257 rounded to even
  EXPECT_EQ(running[258], 260.0F);  // 259 as well
  EXPECT_EQ(running[599], 600.0F);
  Accumulator sum(value_of(DType::bf16, {1}, {256}, d));
  for (int i = 0; i < 3; ++i) sum.add(value_of(DType::bf16, {1}, {1}, d), d);
  EXPECT_EQ(sum.current().plane<float>(0)[0], 260.0F);
  sum.add(value_of(DType::bf16, {1}, {1}, d), d);
  EXPECT_EQ(sum.take().plane<float>(0)[0], 260.0F);  // 260, not 260 + 1
}

/// What is stored of the sum of numbers of `dtype`, the first one alone if that is all.
uint16_t stored_sum(DType dtype, const std::vector<double>& terms, bool native, const Domain& d = float_domain()) {
  Accumulator sum(value_of(dtype, {1}, {terms[0]}, d), std::nullopt, native);
  for (size_t i = 1; i < terms.size(); ++i) sum.add(value_of(dtype, {1}, {terms[i]}, d), d);
  const uint16_t so_far = to_tensor(sum.current(), d).as<uint16_t>()[0];
  EXPECT_EQ(to_tensor(sum.take(), d).as<uint16_t>()[0], so_far);
  return so_far;
}

/// By hand: from 256 on every second whole number is in bf16, from 2048 on in f16. 257 and 2049 are ties and go to the
/// even significands, 128 of 256 and 1024 of 2048; 259 goes to 260, which has 130, and not to 258, which has 129.
TEST(NarrowFloats, NativeSumsRoundAfterEveryAdd) {
  EXPECT_EQ(stored_sum(DType::bf16, {256, 1, 1, 1}, false), 0x4382);  // 260
  EXPECT_EQ(stored_sum(DType::bf16, {256, 1, 1, 1}, true), 0x4380);   // 256 three times
  EXPECT_EQ(stored_sum(DType::bf16, {1, 1, 1, 256}, true), 0x4382);   // 2, 3, 259
  EXPECT_EQ(stored_sum(DType::bf16, {1, 256, 1, 1}, true), 0x4380);
  EXPECT_EQ(stored_sum(DType::bf16, {-256, -1, -1}, true), 0xc380);
  EXPECT_EQ(stored_sum(DType::bf16, {256}, true), 0x4380);
  EXPECT_EQ(stored_sum(DType::f16, {2048, 1, 1}, false), 0x6801);  // 2050
  EXPECT_EQ(stored_sum(DType::f16, {2048, 1, 1}, true), 0x6800);
  // 65504 is the largest number of f16: twice that is inf when it is rounded, and 65504 when it is not.
  EXPECT_EQ(stored_sum(DType::f16, {65504, 65504, -65504}, false), 0x7bff);
  EXPECT_EQ(stored_sum(DType::f16, {65504, 65504, -65504}, true), 0x7c00);
}

TEST(NarrowFloats, NativeSumsAreExactWhereNothingIsRounded) {
  for (const Domain* d : {&float_domain(Precision::f32), &float_domain(Precision::f64), &bounded_domain()}) {
    Accumulator sum(value_of(DType::bf16, {1}, {256}, *d), std::nullopt, true);
    for (int i = 0; i < 3; ++i) sum.add(value_of(DType::bf16, {1}, {1}, *d), *d);
    const Tensor total = to_tensor(sum.take(), *d);
    EXPECT_EQ(total.dtype() == DType::f32 ? total.as<float>()[0] : total.as<double>()[0], 259) << d->name();
  }
}

TEST(NarrowFloats, TensorsHaveTwoBytes) {
  const std::vector<uint16_t> bits = {0x3f80, 0x8000, 0x7c00, 1};
  for (const DType dtype : {DType::bf16, DType::f16}) {
    const Tensor tensor = Tensor::from<uint16_t>(dtype, {4}, bits);
    const Tensor same = to_tensor(from_tensor(tensor, float_domain()), float_domain());
    EXPECT_EQ(same.dtype(), dtype);
    EXPECT_EQ(std::vector<uint16_t>(same.as<uint16_t>().begin(), same.as<uint16_t>().end()), bits);
  }
}

TEST(NarrowFloats, OfEightBitsRoundAfterEveryOp) {
  const Domain& d = float_domain();
  const std::vector<uint8_t> bits = {0x38, 0x80, 0x7e, 1};
  for (const DType dtype : {DType::f8e4m3, DType::f8e5m2}) {
    const Tensor tensor = Tensor::from<uint8_t>(dtype, {4}, bits);
    const Tensor same = to_tensor(from_tensor(tensor, d), d);
    EXPECT_EQ(same.dtype(), dtype);
    EXPECT_EQ(std::vector<uint8_t>(same.as<uint8_t>().begin(), same.as<uint8_t>().end()), bits);
  }
  const Value x = value_of(DType::f8e4m3, {3}, {17, 19, 465}, d);
  EXPECT_EQ(list<float>(x)[0], 16);  // 17 lies between 16 and 18, and ties go to the even one
  EXPECT_EQ(list<float>(x)[1], 20);
  EXPECT_TRUE(std::isnan(list<float>(x)[2]));  // there is no inf
  const Value ones = value_of(DType::f8e4m3, {40}, std::vector<double>(40, 1.0), d);
  EXPECT_EQ(evaluate(Reduce{Reducer::add, {0}, {}}, std::span(&ones, 1), {DType::f8e4m3, {}}, d).plane<float>(0)[0],
            40);
  const std::vector<Value> pair{ones, ones};
  EXPECT_EQ(evaluate(DotGeneral{DimPairs{{0}, {0}}, {}, {}}, pair, {DType::f8e4m3, {}}, d).plane<float>(0)[0], 40);
}

TEST(Draws, FillEveryDtype) {
  for (const DTypeInfo& row : kDTypes) {
    const Global global{"g", {row.dtype, {64}}, Role::input, Init{}, Location()};
    const Tensor tensor = draw_global(global, 1);
    EXPECT_EQ(tensor.dtype(), row.dtype);
    size_t zeros = 0;
    for (const std::byte byte : tensor.bytes()) zeros += byte == std::byte{0} ? 1U : 0U;
    EXPECT_LT(zeros, tensor.bytes().size()) << row.name;
  }
  const Global fixed{
      "g", {DType::i64, {2}}, Role::input, Init{InitKind::value, *Rational::parse("-9007199254740993")}, Location()};
  EXPECT_EQ(draw_global(fixed, 1).as<int64_t>()[1], -9007199254740993);
}

class RingFunctions : public ::testing::Test {
 protected:
  Value number(const Rational& x) const { return splat({DType::f32, {1}}, x, ring_); }
  Value random(uint64_t seed) const { return random_ring({DType::f32, {5}}, 3, seed, "x"); }
  Value f(const OpData& op, const std::vector<Value>& x) const { return apply(op, x, DType::f32, ring_); }

  RingDomain ring_{3, 9};
};

TEST_F(RingFunctions, NumbersStayNumbers) {
  EXPECT_TRUE(same_bits(f(Sqrt{}, {number(Rational(64))}), number(Rational(8))));
  EXPECT_TRUE(same_bits(f(Rsqrt{}, {number(Rational(9, 4))}), number(Rational(2, 3))));
  const Value root8 = f(Sqrt{}, {number(Rational(8))});
  EXPECT_TRUE(same_bits(root8, f(Multiply{}, {number(Rational(2)), f(Sqrt{}, {number(Rational(2))})})));
  EXPECT_TRUE(same_bits(f(Floor{}, {number(Rational(-7, 2))}), number(Rational(-4))));
  EXPECT_TRUE(same_bits(f(Remainder{}, {number(Rational(-7, 2)), number(Rational(2))}), number(Rational(-3, 2))));
  EXPECT_TRUE(same_bits(f(Cosine{}, {number(Rational(0))}), number(Rational(1))));
  EXPECT_TRUE(same_bits(f(Cbrt{}, {number(Rational(-27, 8))}), number(Rational(-3, 2))));
  for (const auto& [x, even, away] : {std::array<Rational, 3>{Rational(5, 2), Rational(2), Rational(3)},
                                      {Rational(-5, 2), Rational(-2), Rational(-3)},
                                      {Rational(7, 2), Rational(4), Rational(4)},
                                      {Rational(-1, 3), Rational(0), Rational(0)}}) {
    EXPECT_TRUE(same_bits(f(RoundNearestEven{}, {number(x)}), number(even)));
    EXPECT_TRUE(same_bits(f(RoundNearestAfz{}, {number(x)}), number(away)));
  }
}

TEST_F(RingFunctions, LawsAndNothingElse) {
  const Value x = random(1), y = random(2);
  const Value opposite = f(Negate{}, {x});
  EXPECT_TRUE(same_bits(f(Sine{}, {opposite}), f(Negate{}, {f(Sine{}, {x})})));
  EXPECT_TRUE(same_bits(f(Cosine{}, {opposite}), f(Cosine{}, {x})));
  EXPECT_FALSE(same_bits(f(Floor{}, {opposite}), f(Negate{}, {f(Floor{}, {x})})));
  const Value three = splat(x.type, Rational(3), ring_), half = splat(x.type, Rational(1, 2), ring_);
  const Value minus = splat(x.type, Rational(-1), ring_);
  EXPECT_TRUE(same_bits(f(Power{}, {x, three}), f(Multiply{}, {x, f(Multiply{}, {x, x})})));
  EXPECT_TRUE(same_bits(f(Power{}, {x, minus}), f(Divide{}, {splat(x.type, Rational(1), ring_), x})));
  EXPECT_TRUE(same_bits(f(Power{}, {x, half}), f(Sqrt{}, {x})));
  EXPECT_TRUE(same_bits(f(Rsqrt{}, {x}), f(Divide{}, {splat(x.type, Rational(1), ring_), f(Sqrt{}, {x})})));
  for (const OpData& op : {OpData(Erf{}), OpData(Cbrt{}), OpData(RoundNearestEven{}), OpData(RoundNearestAfz{})}) {
    EXPECT_TRUE(same_bits(f(op, {opposite}), f(Negate{}, {f(op, {x})})));
  }
  const Value one = splat(x.type, Rational(1), ring_);
  EXPECT_TRUE(same_bits(f(Erfc{}, {x}), f(Subtract{}, {one, f(Erf{}, {x})})));
  EXPECT_TRUE(same_bits(f(ExponentialMinusOne{}, {x}), f(Subtract{}, {f(Exponential{}, {x}), one})));
  EXPECT_TRUE(same_bits(f(LogPlusOne{}, {x}), f(Log{}, {f(Add{}, {x, one})})));
  EXPECT_FALSE(same_bits(f(RoundNearestEven{}, {x}), f(RoundNearestAfz{}, {x})));
  EXPECT_FALSE(same_bits(f(Atan2{}, {x, y}), f(Atan2{}, {y, x})));
  EXPECT_FALSE(same_bits(f(Atan2{}, {opposite, y}), f(Negate{}, {f(Atan2{}, {x, y})})));  // pi at -0 and 0, too
  EXPECT_FALSE(same_bits(f(Power{}, {x, y}), f(Power{}, {y, x})));
  EXPECT_FALSE(same_bits(f(Remainder{}, {x, y}), f(Remainder{}, {y, x})));
  const Value root = f(Sqrt{}, {x});
  EXPECT_FALSE(same_bits(f(Multiply{}, {root, root}), x));  // sqrt is opaque without y^2 = x
}

TEST_F(RingFunctions, IntegersComeFromNumbersOnly) {
  const Value small = splat({DType::f32, {2}}, Rational(-16777215), ring_);
  EXPECT_EQ(list<int32_t>(apply(Convert{DType::i32}, {small}, DType::i32, ring_)), (std::vector{-16777215, -16777215}));
  EXPECT_EQ(list<int32_t>(apply(Convert{DType::i32}, {number(Rational(-7, 2))}, DType::i32, ring_)), (std::vector{-3}));
  EXPECT_EQ(ring_.undecided(), "");
  apply(Convert{DType::i32}, {random(3)}, DType::i32, ring_);
  EXPECT_NE(ring_.undecided(), "");
  const Value back = apply(Convert{DType::f32}, {native<int64_t>(DType::i64, {kLow}, ring_)}, DType::f32, ring_);
  EXPECT_TRUE(same_bits(back, number(Rational(kLow))));
}

/// Value and bound of f at x with bound `error`.
std::pair<double, double> bounded(const OpData& op, std::initializer_list<std::pair<double, double>> arguments) {
  std::vector<Value> operands;
  for (const auto& [value, error] : arguments) {
    std::shared_ptr<std::byte> data = allocate_aligned(2 * sizeof(double));
    std::memcpy(data.get(), &value, sizeof value);
    std::memcpy(data.get() + sizeof value, &error, sizeof error);
    operands.push_back(Value{{DType::f64, {1}}, Storage{sizeof(double), 2}, std::move(data)});
  }
  const BoundedDomain domain;
  const Value y = apply(op, operands, DType::f64, domain);
  return {y.plane<double>(0)[0], y.plane<double>(1)[0]};
}

constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(BoundedFunctions, HoldWhatTheArgumentsMayBe) {
  for (const double x : {0.3, 1.7, 5.0, 40.0}) {
    for (const double error : {0.0, 1e-9, 1e-3}) {
      const auto [sine, sine_error] = bounded(Sine{}, {{x, error}});
      const auto [power, power_error] = bounded(Power{}, {{x, error}, {1.3, error}});
      const auto [cube, cube_error] = bounded(Power{}, {{-x, error}, {3, 0}});
      const auto [root, root_error] = bounded(Rsqrt{}, {{x, error}});
      for (const double side : {-1.0, 1.0}) {
        const long double at = x + static_cast<long double>(side) * error;
        EXPECT_LE(std::fabs(std::sin(at) - sine), sine_error) << x;
        EXPECT_LE(std::fabs(std::pow(at, 1.3L - side * error) - power), power_error) << x;
        EXPECT_LE(std::fabs(std::pow(-at, 3.0L) - cube), cube_error) << x;
        EXPECT_LE(std::fabs(1 / std::sqrt(at) - root), root_error) << x;
      }
      EXPECT_LT(cube_error, 8 * x * x * error + 1e-8);
    }
  }
}

TEST(BoundedFunctions, NoBoundAcrossAJump) {
  EXPECT_EQ(bounded(Floor{}, {{2.5, 0.25}}), (std::pair{2.0, 0.0}));
  EXPECT_EQ(bounded(Floor{}, {{2.5, 0.75}}), (std::pair{2.0, kInf}));
  EXPECT_EQ(bounded(Remainder{}, {{7, 0}, {4, 0}}), (std::pair{3.0, 0.0}));
  EXPECT_EQ(bounded(Remainder{}, {{7, 1.5}, {4, 0}}).second, kInf);
  EXPECT_LT(bounded(Remainder{}, {{7, 0.5}, {4, 0.01}}).second, 0.52);
  EXPECT_EQ(bounded(Sqrt{}, {{1, 1.5}}).second, kInf);
  EXPECT_EQ(bounded(Log{}, {{1, 1.5}}).second, kInf);
  EXPECT_EQ(bounded(Power{}, {{1, 1.5}, {0.5, 0}}).second, kInf);
  EXPECT_EQ(bounded(Power{}, {{0.5, 1}, {-2, 0}}).second, kInf);
  EXPECT_EQ(bounded(Sqrt{}, {{0, 0}}), (std::pair{0.0, 0.0}));
}

TEST(BoundedFunctions, AnIntegerOfAnOpenFloatIsATie) {
  const BoundedDomain domain;
  const Value exact = value_of(DType::f64, {1}, {2.5}, domain);
  apply(Convert{DType::i32}, {exact}, DType::i32, domain);
  EXPECT_EQ(domain.ties(), 0U);
  const Value third = splat({DType::f64, {1}}, Rational(1, 3), domain);
  const Value one = apply(Add{}, {third, splat({DType::f64, {1}}, Rational(2, 3), domain)}, DType::f64, domain);
  apply(Convert{DType::i32}, {one}, DType::i32, domain);
  EXPECT_EQ(domain.ties(), 1U);
}

}  // namespace
}  // namespace isoshard::sim::domains_functions_test
