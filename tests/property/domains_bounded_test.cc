// The bounded domain really bounds: random expressions against the same formulas in 113-bit arithmetic.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "sim/evaluate/accumulator.h"
#include "sim/evaluate/evaluate.h"
#include "tests/domains_testing.h"

namespace isoshard::sim::domains_bounded_test {
namespace {

__extension__ typedef __float128 Quad;

constexpr int64_t kSide = 3;
const TensorType kType{DType::f32, {kSide, kSide}};
constexpr size_t kSize = kSide * kSide;

int64_t draw(int64_t low, int64_t high) { return *rc::gen::inRange<int64_t>(low, high + 1); }

Quad magnitude(Quad x) { return x < 0 ? -x : x; }

/// e^x - 1 for small x, then squared up; relative error below 1e-27 for |x| < 1000.
Quad exponential(Quad x) {
  if (x < 0) return 1 / exponential(-x);
  if (x > 60) {
    const Quad root = exponential(x / 2);
    return root * root;
  }
  constexpr int kHalvings = 18;
  const Quad r = x / (1 << kHalvings);
  Quad y = 0;
  for (int n = 14; n > 0; --n) y = (y + 1) * r / n;
  for (int i = 0; i < kHalvings; ++i) y = y * (y + 2);  // (1 + y)^2 - 1
  return y + 1;
}

Quad hyperbolic_tangent(Quad x) {
  if (magnitude(x) < static_cast<Quad>(1e-5)) {
    const Quad s = x * x;
    return x * (1 - s / 3 + 2 * s * s / 15 - 17 * s * s * s / 315);
  }
  if (magnitude(x) > 100) return x < 0 ? -1 : 1;
  const Quad e = exponential(2 * x);
  return (e - 1) / (e + 1);
}

Quad logistic(Quad x) {
  if (magnitude(x) > 700) return x < 0 ? 0 : 1;  // 1e-304 is below the slack
  return 1 / (1 + exponential(-x));
}

/// A value of the bounded domain beside the true one.
struct Twin {
  Value bounded;
  std::vector<Quad> exact;
};

double value(const Twin& x, size_t i) { return x.bounded.plane<double>(0)[i]; }
double error(const Twin& x, size_t i) { return x.bounded.plane<double>(1)[i]; }

bool all_finite(const Twin& x) {
  for (size_t i = 0; i < kSize; ++i) {
    if (!(error(x, i) < std::numeric_limits<double>::infinity()) || !std::isfinite(value(x, i))) return false;
  }
  return true;
}

/// |value - true value| <= bound wherever there is a bound; the slack is that of 113 bits and of underflow.
void expect_bounded(const Twin& x) {
  for (size_t i = 0; i < kSize; ++i) {
    if (!(error(x, i) < std::numeric_limits<double>::infinity()) || !std::isfinite(value(x, i))) continue;
    RC_LOG() << "element " << i << ": " << value(x, i) << " for " << static_cast<double>(x.exact[i]) << ", off by "
             << static_cast<double>(static_cast<Quad>(value(x, i)) - x.exact[i]) << ", bound " << error(x, i) << '\n';
    const Quad slack = magnitude(x.exact[i]) * static_cast<Quad>(1e-25) + static_cast<Quad>(1e-290);
    RC_ASSERT(magnitude(static_cast<Quad>(value(x, i)) - x.exact[i]) <= static_cast<Quad>(error(x, i)) + slack);
  }
}

Twin input() {
  const double scales[] = {0x1p-8, 1, 0x1p+8};
  const double scale = scales[draw(0, 2)];
  std::vector<double> values(kSize);
  for (double& v : values) v = draw(0, 9) == 0 ? 0 : scale * static_cast<double>(draw(-1000000, 1000000)) / 999983.0;
  return {from_doubles(kType, values, bounded_domain()), {values.begin(), values.end()}};
}

Twin third() {
  return {splat(kType, Rational(1, 3), bounded_domain()), std::vector<Quad>(kSize, static_cast<Quad>(1) / 3)};
}

Value apply(const OpData& op, const std::vector<Value>& operands) {
  return evaluate(op, operands, kType, bounded_domain());
}

Twin unary(const OpData& op, const Twin& x, const std::function<Quad(Quad)>& exact) {
  Twin result{apply(op, {x.bounded}), {}};
  for (const Quad e : x.exact) result.exact.push_back(exact(e));
  return result;
}

Twin binary(const OpData& op, const Twin& x, const Twin& y, const std::function<Quad(Quad, Quad)>& exact) {
  Twin result{apply(op, {x.bounded, y.bounded}), {}};
  for (size_t i = 0; i < kSize; ++i) result.exact.push_back(exact(x.exact[i], y.exact[i]));
  return result;
}

Twin dot(const Twin& x, const Twin& y) {
  Twin result{apply(DotGeneral{DimPairs{{1}, {0}}, {}}, {x.bounded, y.bounded}), std::vector<Quad>(kSize, 0)};
  for (size_t i = 0; i < kSize; ++i) {
    for (size_t k = 0; k < kSide; ++k) {
      result.exact[i] += x.exact[i / kSide * kSide + k] * y.exact[k * kSide + i % kSide];
    }
  }
  return result;
}

/// Column sums, repeated.
Twin sum(const Twin& x) {
  const Reduce reduce{Reducer::add, {0}, {}};
  const Value row = evaluate(reduce, std::vector{x.bounded}, {DType::f32, {kSide}}, bounded_domain());
  Twin result{apply(BroadcastInDim{{1}, kType.shape}, {row}), std::vector<Quad>(kSize, 0)};
  for (size_t i = 0; i < kSize; ++i) {
    for (size_t k = 0; k < kSide; ++k) result.exact[i] += x.exact[k * kSide + i % kSide];
  }
  return result;
}

Twin accumulated(const Twin& x, const Twin& y) {
  Accumulator total(x.bounded);
  total.add(y.bounded, bounded_domain());
  Twin result{total.take(), {}};
  for (size_t i = 0; i < kSize; ++i) result.exact.push_back(x.exact[i] + y.exact[i]);
  return result;
}

bool small(const Twin& x) {
  for (size_t i = 0; i < kSize; ++i) {
    if (!(std::fabs(value(x, i)) + error(x, i) < 60)) return false;
  }
  return true;
}

Twin step(const Twin& x, const Twin& y) {
  switch (draw(0, 10)) {
    case 0:
      return binary(Add{}, x, y, [](Quad a, Quad b) { return a + b; });
    case 1:
      return binary(Subtract{}, x, y, [](Quad a, Quad b) { return a - b; });
    case 2:
      return binary(Multiply{}, x, y, [](Quad a, Quad b) { return a * b; });
    case 3:
      return binary(Divide{}, x, y, [](Quad a, Quad b) { return a / b; });
    case 4:
      return unary(Negate{}, x, [](Quad a) { return -a; });
    case 5:
      return small(x) ? unary(Exponential{}, x, exponential) : sum(x);
    case 6:
      return unary(Tanh{}, x, hyperbolic_tangent);
    case 7:
      return unary(Logistic{}, x, logistic);
    case 8:
      return dot(x, y);
    case 9:
      return sum(x);
    default:
      return accumulated(x, y);
  }
}

RC_GTEST_PROP(BoundedDomain, BoundsRandomExpressions, ()) {
  std::vector<Twin> pool = {input(), input(), third()};
  for (int i = 0; i < 12; ++i) {
    const auto last = static_cast<int64_t>(pool.size()) - 1;
    const Twin& x = pool[static_cast<size_t>(draw(0, last))];
    const Twin& y = pool[static_cast<size_t>(draw(0, last))];
    Twin result = step(x, y);
    expect_bounded(result);
    if (all_finite(result)) pool.push_back(std::move(result));
  }
  RC_CLASSIFY(pool.size() >= 10);
  RC_ASSERT(pool.size() >= 4u);  // a domain that bounds nothing would pass otherwise
}

/// Not only safe but near: for well-conditioned steps the bound stays within a few hundred roundings.
RC_GTEST_PROP(BoundedDomain, IsNotMuchTooLarge, ()) {
  const Twin x = input();
  const Twin y = input();
  const Twin hidden = unary(Tanh{}, dot(x, y), hyperbolic_tangent);
  const Twin result = binary(Add{}, hidden, third(), [](Quad a, Quad b) { return a + b; });
  expect_bounded(result);
  for (size_t i = 0; i < kSize; ++i) {
    double size = 2;
    for (size_t k = 0; k < kSide; ++k)
      size += std::fabs(value(x, i / kSide * kSide + k) * value(y, k * kSide + i % kSide));
    RC_ASSERT(error(result, i) < 40 * 0x1p-53 * size);
  }
}

}  // namespace
}  // namespace isoshard::sim::domains_bounded_test
