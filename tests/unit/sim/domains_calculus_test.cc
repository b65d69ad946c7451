// The functions of the f64 domains, and the slopes that the rounding bound counts with, against 256-bit arithmetic that
// shares nothing with them, and its derivatives by extrapolated central differences.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cctype>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "sim/evaluate/evaluate.h"
#include "tests/domains_testing.h"

namespace isoshard::sim::domains_calculus_test {
namespace {

constexpr unsigned kBits = 256;
constexpr double kUnit = 0x1p-53;
constexpr int kPoints = 1000;

using Real = mpf_class;

Real real(double x) { return Real(x, kBits); }
Real power_of_two(int n) {
  Real one(1, kBits), result(0, kBits);
  if (n >= 0) {
    mpf_mul_2exp(result.get_mpf_t(), one.get_mpf_t(), static_cast<mp_bitcnt_t>(n));
  } else {
    mpf_div_2exp(result.get_mpf_t(), one.get_mpf_t(), static_cast<mp_bitcnt_t>(-n));
  }
  return result;
}

/// The Taylor series on x / 2^12, squared 12 times.
Real exp_of(const Real& x) {
  constexpr int kHalvings = 12;
  const Real small = x * power_of_two(-kHalvings);
  Real sum(1, kBits), term(1, kBits);
  for (int n = 1; n < 24; ++n) {
    term = term * small / n;
    sum += term;
  }
  for (int i = 0; i < kHalvings; ++i) sum = sum * sum;
  return sum;
}

/// Halley's iteration for exp(y) = x.
Real log_of(const Real& x) {
  Real y(std::log(x.get_d()), kBits);
  for (int i = 0; i < 2; ++i) {  // 159 bits
    const Real e = exp_of(y);
    y += 2 * (x - e) / (x + e);
  }
  return y;
}

/// The alternating series from x^first / first! on; |x| < 30.
Real circular(const Real& x, int first) {
  Real term(1, kBits), sum(0, kBits);
  if (first == 1) term = x;
  for (int n = first; n < 160; n += 2) {
    sum += term;
    term = -term * x * x / ((n + 1) * (n + 2));
  }
  return sum;
}
Real sine_exactly(const Real& x) { return circular(x, 1); }
Real cosine_exactly(const Real& x) { return circular(x, 0); }
Real root_of(const Real& x) {
  Real result(0, kBits);
  mpf_sqrt(result.get_mpf_t(), x.get_mpf_t());
  return result;
}
Real logistic_of(const Real& x) { return 1 / (1 + exp_of(-x)); }
Real tanh_of(const Real& x) { return 1 - 2 / (exp_of(2 * x) + 1); }

/// f'(x) by central differences of 2^-12, 2^-13, ... extrapolated to 0: the error is below 2^-100 for these functions.
Real slope(const std::function<Real(const Real&)>& f, const Real& x) {
  constexpr int kLevels = 6;
  std::vector<Real> row;
  for (int level = 0; level < kLevels; ++level) {
    const Real h = power_of_two(-12 - level);
    std::vector<Real> next{(f(x + h) - f(x - h)) / (2 * h)};
    for (int k = 0; k < level; ++k) {
      const Real factor = power_of_two(2 * (k + 1));
      next.push_back((factor * next[static_cast<size_t>(k)] - row[static_cast<size_t>(k)]) / (factor - 1));
    }
    row = std::move(next);
  }
  return row.back();
}

/// One op with one argument, exactly.
struct Function {
  const char* name;
  OpData op;
  std::function<Real(const Real&)> exactly, derivative;
  double low, high;         ///< of the arguments
  bool unit_slope = false;  ///< the bound takes 1 for |f'|
  double exponent = 0;      ///< of Power
};

std::vector<Function> functions() {
  const auto power = [](double y) { return [y](const Real& x) { return exp_of(real(y) * log_of(x)); }; };
  return {
      {"exponential", Exponential{}, exp_of, exp_of, -20, 20},
      {"log", Log{}, log_of, [](const Real& x) -> Real { return 1 / x; }, 0.05, 50},
      {"tanh", Tanh{}, tanh_of, [](const Real& x) -> Real { return 1 - tanh_of(x) * tanh_of(x); }, -5, 5},
      {"logistic", Logistic{}, logistic_of, [](const Real& x) -> Real { return logistic_of(x) * (1 - logistic_of(x)); },
       -20, 20},
      {"sqrt", Sqrt{}, root_of, [](const Real& x) -> Real { return 1 / (2 * root_of(x)); }, 0.05, 50},
      {"rsqrt", Rsqrt{}, [](const Real& x) -> Real { return 1 / root_of(x); },
       [](const Real& x) -> Real { return -1 / (2 * x * root_of(x)); }, 0.05, 50},
      {"sine", Sine{}, sine_exactly, cosine_exactly, -20, 20, true},
      {"cosine", Cosine{}, cosine_exactly, [](const Real& x) -> Real { return -sine_exactly(x); }, -20, 20, true},
      {"power 2.5", Power{}, power(2.5), [=](const Real& x) -> Real { return 2.5 * power(1.5)(x); }, 0.05, 20, false,
       2.5},
      {"power -1.5", Power{}, power(-1.5), [=](const Real& x) -> Real { return -1.5 * power(-2.5)(x); }, 0.05, 20,
       false, -1.5},
  };
}

std::vector<double> points(const Function& f) {
  std::mt19937_64 random(17);
  std::uniform_real_distribution<double> uniform(f.low, f.high);
  std::vector<double> result;
  for (int i = 0; i < kPoints; ++i) result.push_back(uniform(random));
  return result;
}

Value apply(const Function& f, const Value& x, const Domain& domain) {
  std::vector<Value> operands{x};
  if (std::holds_alternative<Power>(f.op)) operands.push_back(splat(x.type, Rational::from_double(f.exponent), domain));
  return evaluate(f.op, operands, x.type, domain);
}

class Calculus : public ::testing::TestWithParam<size_t> {
 protected:
  const std::vector<Function> all_ = functions();
  const Function& f_ = all_[GetParam()];
};

TEST_P(Calculus, HighPrecisionIsRight) {
  for (const double x : points(f_)) {
    const Real by_formula = f_.derivative(real(x)), by_differences = slope(f_.exactly, real(x));
    const Real scale = abs(by_formula) + abs(f_.exactly(real(x)));
    ASSERT_LE(Real(abs(by_formula - by_differences)).get_d(), 1e-18 * scale.get_d()) << f_.name << " at " << x;
  }
}

TEST_P(Calculus, ValuesAreWithinTwoUlp) {
  const std::vector<double> at = points(f_);
  const TensorType type{DType::f64, {kPoints}};
  const Domain& f64 = float_domain(Precision::f64);
  const Value y = apply(f_, from_doubles(type, at, f64), f64);
  for (size_t i = 0; i < at.size(); ++i) {
    const Real exact = f_.exactly(real(at[i]));
    const Real error = abs(real(y.plane<double>(0)[i]) - exact);
    ASSERT_LE(error.get_d(), 4 * kUnit * std::fabs(exact.get_d())) << f_.name << " at " << at[i];
  }
}

/// Values with one bound for all.
Value with_errors(const std::vector<double>& at, double error) {
  std::shared_ptr<std::byte> data = allocate_aligned(at.size() * 16);
  auto* out = reinterpret_cast<double*>(data.get());
  for (size_t i = 0; i < at.size(); ++i) {
    out[i] = at[i];
    out[at.size() + i] = error;
  }
  return {TensorType{DType::f64, {kPoints}}, bounded_domain().storage(DType::f64), data};
}

// The bound holds at both ends of the interval, and is no more than the slope says.
TEST_P(Calculus, BoundsCountWithTheSlope) {
  const std::vector<double> at = points(f_);
  for (const double error : {1e-3, 1e-6, 1e-9}) {
    const Value y = apply(f_, with_errors(at, error), bounded_domain());
    for (size_t i = 0; i < at.size(); ++i) {
      const Real x = real(at[i]), value = real(y.plane<double>(0)[i]);
      const double bound = y.plane<double>(1)[i];
      for (const Real& end : {Real(x - error), Real(x + error)}) {
        ASSERT_GE(bound, Real(abs(f_.exactly(end) - value)).get_d()) << f_.name << " at " << at[i] << " +- " << error;
      }
      const double steep = f_.unit_slope ? 1 : std::fabs(slope(f_.exactly, x).get_d());
      const double curved = std::fabs(f_.low) < 1 ? 6 * error / at[i] : 3 * error;  // x^-2.5: 2.5 of its slope
      const double own = 16 * kUnit * (std::fabs(value.get_d()) + steep * std::fabs(at[i]));  // and of the ends
      ASSERT_LE(bound, steep * error * (1 + curved) + own) << f_.name << " at " << at[i] << " +- " << error;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Functions, Calculus, ::testing::Range<size_t>(0, 10), [](const auto& parameter) {
  std::string name = functions()[parameter.param].name;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  return name;
});

}  // namespace
}  // namespace isoshard::sim::domains_calculus_test
