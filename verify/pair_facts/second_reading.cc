// A decimal text is often rounded: 0.0013020833 for 1/768, 0.07216878 for 1/sqrt(192). What it was rounded from lies in
// the interval of its f32 value, or prints as the text; there the number that the other program holds is the first
// choice and the simplest one the second, a rational by the Stern-Brocot walk, or the root of one, with numerator times
// denominator of at most 2^16. Numbers that are not simple would fit any text, and so mean nothing. Programs that
// differ only by how they write a constant are then equal, which the report lists (docs/spec/verdict.md, "Constants").
// All in exact rationals. Costs a few dozen steps per constant.
#include "verify/pair_facts/second_reading.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/support/rational_gmp.h"
#include "verify/compare/inputs.h"
#include "verify/facts/is_one_of.h"

namespace isoshard::verify {
namespace {

constexpr int64_t kSimple = 1 << 16;  ///< the largest numerator times denominator
constexpr size_t kLeastNarrowDigits = 6, kLeastDigits = 7, kLeastWideDigits = 15, kMostDigits = 17;

struct WrittenConstant {
  Rational value;
  DType dtype;
  bool operator==(const WrittenConstant&) const = default;
};

void add_constant(const Rational& value, DType dtype, std::vector<WrittenConstant>& constants) {
  const WrittenConstant constant{value, dtype};
  const bool known = std::find(constants.begin(), constants.end(), constant) != constants.end();
  if (is_float(dtype) && value.finite() && !known) constants.push_back(constant);
}

std::vector<WrittenConstant> constants_of(const Pair& pair, const Plan& plan) {
  std::vector<WrittenConstant> result;
  for (const Instruction& i : plan.instructions) {
    if (const LoadBlock* load = std::get_if<LoadBlock>(&i.data())) {
      const Global& global = pair.module->global(load->global);
      if (const std::optional<Rational> value = exact_value(global)) add_constant(*value, global.type.dtype, result);
    }
    const Constant* constant = op_of<Constant>(i);
    if (constant != nullptr) add_constant(constant->value, constant->dtype, result);
  }
  return result;
}

/// x = digits / 10^places, with the fewest of both.
struct Decimal {
  mpz_class digits;
  unsigned long places = 0;

  size_t size() const { return digits.get_str().size(); }
};

/// Nothing where no finite decimal is that number.
std::optional<Decimal> decimal_of(const mpq_class& x) {
  mpz_class rest = x.get_den();
  const unsigned long twos = mpz_remove(rest.get_mpz_t(), rest.get_mpz_t(), mpz_class(2).get_mpz_t());
  const unsigned long fives = mpz_remove(rest.get_mpz_t(), rest.get_mpz_t(), mpz_class(5).get_mpz_t());
  if (rest != 1) return std::nullopt;
  Decimal result{0, std::max(twos, fives)};
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, result.places);
  result.digits = x.get_num() * (power / x.get_den());
  return result;
}

struct NumberInterval {
  mpq_class low, high;
  bool holds(const mpq_class& x) const { return low <= x && x <= high; }
};

/// The numbers that round to the Float nearest to x > 0, its ends included.
template <class Float>
std::optional<NumberInterval> around_nearest(Float nearest) {
  const Float below = std::nextafter(nearest, Float{0});
  const Float above = std::nextafter(nearest, std::numeric_limits<Float>::infinity());
  if (nearest == 0 || std::isinf(above)) return std::nullopt;
  const auto exact = [](Float number) { return mpq_class(static_cast<double>(number)); };
  return NumberInterval{(exact(below) + exact(nearest)) / 2, (exact(nearest) + exact(above)) / 2};
}

/// What x > 0 may have been rounded from.
std::optional<NumberInterval> interval_of_text(const mpq_class& x, const Decimal& decimal, DType dtype) {
  const bool narrow = info(dtype).bytes < sizeof(float), wide = dtype == DType::f64;
  if (narrow && decimal.size() < kLeastNarrowDigits) return std::nullopt;
  std::optional<NumberInterval> result =
      wide ? around_nearest(from_mpq(x).to_double()) : around_nearest(from_mpq(x).to_float());
  const size_t least = wide ? kLeastWideDigits : narrow ? kLeastNarrowDigits : kLeastDigits;
  if (!result || decimal.size() > kMostDigits || decimal.size() < least) return result;
  mpz_class power;
  mpz_ui_pow_ui(power.get_mpz_t(), 10, decimal.places);
  const mpq_class half(mpz_class(1), 2 * power);
  result->low = std::min(result->low, mpq_class(x - half));
  result->high = std::max(result->high, mpq_class(x + half));
  return result;
}

bool is_simple(const mpq_class& x) { return x.get_num() * x.get_den() <= kSimple; }

std::optional<sim::ConstantReading> simplest_reading(const NumberInterval& interval) {
  const mpq_class simplest = simplest_in(interval.low, interval.high);
  if (is_simple(simplest)) return sim::ConstantReading{from_mpq(simplest)};
  const mpq_class square = simplest_in(interval.low * interval.low, interval.high * interval.high);
  if (is_simple(square)) return sim::square_root(from_mpq(square));
  return std::nullopt;
}

/// The reading of |x|, for x.
sim::ConstantReading signed_as(const mpq_class& x, sim::ConstantReading reading) {
  if (x < 0) reading.factor = from_mpq(-to_mpq(reading.factor));
  return reading;
}

/// What the text was rounded from; nothing where that is the text, or anybody's guess.
std::optional<sim::ConstantReading> meant(const WrittenConstant& constant, const std::vector<WrittenConstant>& others) {
  const mpq_class& x = to_mpq(constant.value);
  const std::optional<Decimal> decimal = decimal_of(x);
  if (!decimal || constant.value.is_integer()) return std::nullopt;
  const std::optional<NumberInterval> interval = interval_of_text(abs(x), *decimal, constant.dtype);
  if (!interval) return std::nullopt;
  const auto is_same = [&](const WrittenConstant& other) { return other.value == constant.value; };
  if (std::none_of(others.begin(), others.end(), is_same)) {
    for (const WrittenConstant& other : others) {
      const mpq_class& y = to_mpq(other.value);
      if (sgn(x) == sgn(y) && interval->holds(abs(y))) return sim::ConstantReading{other.value};
    }
  }
  const std::optional<sim::ConstantReading> simplest = simplest_reading(*interval);
  return simplest ? std::optional(signed_as(x, *simplest)) : std::nullopt;
}

/// What the dtype makes of it.
std::optional<sim::ConstantReading> rounded(const WrittenConstant& constant) {
  const double value = sim::rounded_to(constant.dtype, constant.value);
  const std::optional<Decimal> decimal = decimal_of(to_mpq(constant.value));
  if (!decimal || constant.value.is_integer() || !std::isfinite(value)) return std::nullopt;
  return sim::ConstantReading{Rational::from_double(value)};
}

void add_reading(const WrittenConstant& constant, const std::optional<sim::ConstantReading>& reading,
                 std::vector<SecondReading>& readings) {
  const bool known = std::any_of(readings.begin(), readings.end(), [&](const SecondReading& r) {
    return r.written == constant.value && r.dtype == constant.dtype;
  });
  const bool other = reading && !(*reading == sim::ConstantReading{constant.value});
  if (other && !known) readings.push_back({constant.value, constant.dtype, *reading});
}

/// That a constant of the other program is read as it: then it stays what is written.
bool is_meant(const WrittenConstant& constant, const std::vector<SecondReading>& readings) {
  return std::any_of(readings.begin(), readings.end(),
                     [&](const SecondReading& r) { return r.reading == sim::ConstantReading{constant.value}; });
}

size_t digits_of(const WrittenConstant& constant) {
  const std::optional<Decimal> decimal = decimal_of(to_mpq(constant.value));
  return decimal ? decimal->size() : 0;
}

}  // namespace

std::string SecondReading::to_string() const {
  return written.to_string() + " (" + std::string(name(dtype)) + ") is " + reading.to_string();
}

std::vector<std::vector<SecondReading>> second_readings(const Pair& pair) {
  const std::vector<WrittenConstant> sides[] = {constants_of(pair, pair.sharded.plan),
                                                constants_of(pair, pair.reference.plan)};
  struct OfSide {
    WrittenConstant constant;
    size_t side;
  };
  std::vector<OfSide> all;
  for (const size_t side : {0U, 1U}) {
    for (const WrittenConstant& constant : sides[side]) all.push_back({constant, side});
  }
  // The fewer digits, the more was rounded.
  std::stable_sort(all.begin(), all.end(),
                   [](const OfSide& a, const OfSide& b) { return digits_of(a.constant) < digits_of(b.constant); });
  std::vector<SecondReading> as_meant, as_rounded;
  for (const OfSide& one : all) {
    if (!is_meant(one.constant, as_meant))
      add_reading(one.constant, meant(one.constant, sides[1 - one.side]), as_meant);
    add_reading(one.constant, rounded(one.constant), as_rounded);
  }
  std::vector<std::vector<SecondReading>> ways;
  for (std::vector<SecondReading>* way : {&as_meant, &as_rounded}) {
    if (!way->empty()) ways.push_back(std::move(*way));
  }
  return ways;
}

double rounding_of(const std::vector<SecondReading>& readings) {
  constexpr double kGrowth = 4096, kMost = 1.0 / 16;
  double result = 0;
  for (const SecondReading& r : readings) {
    const double digit = r.dtype == DType::f64 ? 0x1p-53 : r.dtype == DType::f32 ? 0x1p-24 : 0x1p-9;
    result = std::max(result, std::min(kMost, kGrowth * digit));
  }
  return result;
}

}  // namespace isoshard::verify
