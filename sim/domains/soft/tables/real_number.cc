// Real numbers that are made of constants: rationals as long as functions keep them rational, so that floor(48 / 16) is
// 3 and nothing straddles; then intervals of doubles, whose ends move outward by more than a library's function errs (4
// doubles for exp, log and roots). So what is decided of a number (a floor, a comparison, a sign) is decided of the
// true value, and what is not is left open. Rationals of more than 512 bits become intervals, since sums of many
// denominators grow without end. (R. Moore, "Interval Analysis", 1966.) Cost: a rational operation, or two evaluations.
#include "sim/domains/soft/tables/real_number.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/support/rational_gmp.h"
#include "sim/integers/integer_ops.h"

namespace isoshard::sim {
namespace {

constexpr size_t kMostBits = 512;
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr int kFunctionSteps = 4;  ///< doubles that exp, log and sqrt may be away from the true value
constexpr int64_t kLargestExponent = 64;

double outward(double x, double end, int steps) {
  for (int i = 0; i < steps; ++i) x = std::nextafter(x, end);
  return x;
}

/// Of the ends of a result, each at most so many doubles away from it.
std::optional<RealNumber> outwards(double low, double high, int steps) {
  return RealNumber::between(outward(low, -kInfinite, steps), outward(high, kInfinite, steps));
}

bool is_long(const mpz_class& x) { return mpz_sizeinbase(x.get_mpz_t(), 2) > kMostBits; }

template <class Function>
std::optional<RealNumber> increasing(const RealNumber& x, const Function& f) {
  return outwards(f(x.low()), f(x.high()), kFunctionSteps);
}

std::optional<RealNumber> root_of_number(const RealNumber& x) {
  if (x.low() < 0) return std::nullopt;
  if (const std::optional<mpq_class>& exact = x.exact()) {
    const mpz_class &n = exact->get_num(), &d = exact->get_den();
    if (mpz_perfect_square_p(n.get_mpz_t()) != 0 && mpz_perfect_square_p(d.get_mpz_t()) != 0) {
      return RealNumber::exactly(mpq_class(sqrt(n), sqrt(d)));
    }
  }
  return increasing(x, [](double a) { return std::sqrt(a); });
}

std::optional<RealNumber> logarithm_of(const RealNumber& x) {
  if (x.exact() && *x.exact() == 1) return RealNumber::exactly(0);
  if (!(x.low() > 0)) return std::nullopt;
  return increasing(x, [](double a) { return std::log(a); });
}

std::optional<RealNumber> exponential_of(const RealNumber& x) {
  if (x.exact() && *x.exact() == 0) return RealNumber::exactly(1);
  return increasing(x, [](double a) { return std::exp(a); });
}

std::optional<RealNumber> floor_of_number(const RealNumber& x) {
  const std::optional<WholeRange> whole = floors(x);
  if (!whole || whole->low != whole->high) return std::nullopt;
  return RealNumber::exactly(mpq_class(static_cast<long>(whole->low)));
}

std::optional<RealNumber> quotient_of_numbers(const RealNumber& x, const RealNumber& y) {
  if (y.low() <= 0 && y.high() >= 0) return std::nullopt;
  const double ends[] = {x.low() / y.low(), x.low() / y.high(), x.high() / y.low(), x.high() / y.high()};
  return outwards(*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4), 1);
}

std::optional<RealNumber> product_of_numbers(const RealNumber& x, const RealNumber& y) {
  const double ends[] = {x.low() * y.low(), x.low() * y.high(), x.high() * y.low(), x.high() * y.high()};
  return outwards(*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4), 1);
}

/// Of a rational and a small whole exponent exactly, otherwise of a positive number.
std::optional<RealNumber> power_of_number(const RealNumber& x, const RealNumber& y) {
  if (x.exact() && y.exact() && y.exact()->get_den() == 1 && abs(*y.exact()) <= kLargestExponent) {
    const long n = y.exact()->get_num().get_si();
    if (n < 0 && *x.exact() == 0) return std::nullopt;
    mpq_class result = 1;
    for (long i = 0; i < std::abs(n); ++i) result *= *x.exact();
    return RealNumber::exactly(n < 0 ? mpq_class(1 / result) : result);
  }
  const std::optional<RealNumber> log = x.low() > 0 ? logarithm_of(x) : std::nullopt;
  const std::optional<RealNumber> exponent = log ? applied_to(BinaryOp::multiply, *log, y) : std::nullopt;
  return exponent ? exponential_of(*exponent) : std::nullopt;
}

/// x - y trunc(x / y), exact ones only.
std::optional<RealNumber> remainder_of_number(const RealNumber& x, const RealNumber& y) {
  if (!x.exact() || !y.exact() || *y.exact() == 0) return std::nullopt;
  const mpq_class quotient = *x.exact() / *y.exact();
  const mpz_class whole = quotient.get_num() / quotient.get_den();
  return RealNumber::exactly(*x.exact() - *y.exact() * whole);
}

std::optional<RealNumber> exact_result(BinaryOp op, const mpq_class& x, const mpq_class& y) {
  if (op == BinaryOp::add) return RealNumber::exactly(x + y);
  if (op == BinaryOp::subtract) return RealNumber::exactly(x - y);
  if (op == BinaryOp::multiply) return RealNumber::exactly(x * y);
  return y == 0 ? std::nullopt : std::optional(RealNumber::exactly(x / y));
}

std::optional<WholeRange> whole_range(double low, double high) {
  constexpr double kMost = 0x1p62;
  if (low < -kMost || high > kMost) return std::nullopt;
  return WholeRange{static_cast<int64_t>(low), static_cast<int64_t>(high)};
}

std::optional<WholeRange> whole_number(const mpz_class& x) {
  if (mpz_sizeinbase(x.get_mpz_t(), 2) > 62) return std::nullopt;
  return WholeRange{x.get_si(), x.get_si()};
}

}  // namespace

std::optional<RealNumber> RealNumber::between(double low, double high) {
  if (!(low > -kInfinite) || !(high < kInfinite) || !(low <= high)) return std::nullopt;
  RealNumber result;
  result.low_ = low;
  result.high_ = high;
  return result;
}

RealNumber RealNumber::exactly(const mpq_class& x) {
  RealNumber result;
  const double near = x.get_d();  // toward zero
  const bool is_double = std::abs(near) < kInfinite && mpq_class(near) == x;
  result.low_ = is_double ? near : std::nextafter(near, -kInfinite);
  result.high_ = is_double ? near : std::nextafter(near, kInfinite);
  if (!is_long(x.get_num()) && !is_long(x.get_den())) result.exact_ = x;
  return result;
}

bool RealNumber::operator<(const RealNumber& o) const {
  if (exact_.has_value() != o.exact_.has_value()) return exact_.has_value();
  if (exact_) return *exact_ < *o.exact_;
  return low_ != o.low_ ? low_ < o.low_ : high_ < o.high_;
}

std::optional<RealNumber> applied_to(UnaryOp op, const RealNumber& x) {
  switch (op) {
    case UnaryOp::negate:
      return x.exact() ? RealNumber::exactly(-*x.exact()) : RealNumber::between(-x.high(), -x.low());
    case UnaryOp::exponential:
      return exponential_of(x);
    case UnaryOp::log:
      return logarithm_of(x);
    case UnaryOp::tanh:
      return increasing(x, [](double a) { return std::tanh(a); });
    case UnaryOp::logistic:
      return increasing(x, [](double a) { return 1 / (1 + std::exp(-a)); });
    case UnaryOp::sqrt:
      return root_of_number(x);
    case UnaryOp::rsqrt: {
      const std::optional<RealNumber> root = x.low() > 0 ? root_of_number(x) : std::nullopt;
      return root ? applied_to(BinaryOp::divide, RealNumber::exactly(1), *root) : std::nullopt;
    }
    case UnaryOp::floor:
      return floor_of_number(x);
    case UnaryOp::sine:
    case UnaryOp::cosine:
    case UnaryOp::erf_inv:
    case UnaryOp::exponential_minus_one:
    case UnaryOp::log_plus_one:
    case UnaryOp::cbrt:
    case UnaryOp::erf:
    case UnaryOp::erfc:
    case UnaryOp::round_nearest_even:
    case UnaryOp::round_nearest_afz:
      break;
  }
  return std::nullopt;
}

std::optional<RealNumber> applied_to(BinaryOp op, const RealNumber& x, const RealNumber& y) {
  if (op == BinaryOp::power) return power_of_number(x, y);
  if (op == BinaryOp::remainder) return remainder_of_number(x, y);
  if (op == BinaryOp::atan2) return std::nullopt;
  if (x.exact() && y.exact()) return exact_result(op, *x.exact(), *y.exact());
  if (op == BinaryOp::add) return outwards(x.low() + y.low(), x.high() + y.high(), 1);
  if (op == BinaryOp::subtract) return outwards(x.low() - y.high(), x.high() - y.low(), 1);
  return op == BinaryOp::multiply ? product_of_numbers(x, y) : quotient_of_numbers(x, y);
}

std::optional<int> order(const RealNumber& x, const RealNumber& y) {
  if (x.exact() && y.exact()) {
    const int sign = cmp(*x.exact(), *y.exact());
    return sign < 0 ? -1 : sign > 0 ? 1 : 0;
  }
  if (x.high() < y.low()) return -1;
  if (x.low() > y.high()) return 1;
  return std::nullopt;
}

std::optional<WholeRange> floors(const RealNumber& x) {
  if (!x.exact()) return whole_range(std::floor(x.low()), std::floor(x.high()));
  mpz_class whole;
  mpz_fdiv_q(whole.get_mpz_t(), x.exact()->get_num_mpz_t(), x.exact()->get_den_mpz_t());
  return whole_number(whole);
}

std::optional<WholeRange> truncations(const RealNumber& x, DType from) {
  if (!x.exact()) {
    const double low = std::min(x.low(), integer::held_in(from, x.low())),
                 high = std::max(x.high(), integer::held_in(from, x.high()));
    return whole_range(std::trunc(low), std::trunc(high));
  }
  if (from == DType::f32 || from == DType::f64) {
    const double number = std::trunc(integer::held_in(from, from_mpq(*x.exact())));
    return whole_range(number, number);
  }
  return whole_number(x.exact()->get_num() / x.exact()->get_den());
}

}  // namespace isoshard::sim
