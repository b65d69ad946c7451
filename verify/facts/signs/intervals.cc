// JAX makes a uniform random number of 23 random bits, n 2^-23 (1 - t) + t, and of that a gumbel as -log(-log(u)):
// defined since u lies between t and less than 1; a mean over the tokens that count divides by max(count, 1). That is
// found here bottom up: integers are those of their dtype, the larger of two is no less than either, and what
// arithmetic, logarithms and movement make of bounded numbers is bounded. Ends are doubles, rounded
// outwards at each step by more than the operation errs, so that strict bounds are strict. A value that a loop hands
// on, and one that an input or an infinity is part of, has none. One pass in the order of definitions.
#include "verify/facts/signs/intervals.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "verify/facts/is_one_of.h"

namespace isoshard::verify {
namespace {

using MaybeInterval = std::optional<Interval>;

double below(double x) { return std::nextafter(x, -std::numeric_limits<double>::infinity()); }
double above(double x) { return std::nextafter(x, std::numeric_limits<double>::infinity()); }

MaybeInterval finite(double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high)) return std::nullopt;
  return Interval{low, high};
}
/// Ends that were rounded: a library's functions err by less than three steps.
MaybeInterval rounded_outwards(double low, double high) {
  return finite(below(below(below(low))), above(above(above(high))));
}

MaybeInterval hull(std::initializer_list<double> ends) { return rounded_outwards(std::min(ends), std::max(ends)); }
MaybeInterval interval_product(const Interval& a, const Interval& b) {
  return hull({a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high});
}

MaybeInterval of_number(const Rational& x) {
  if (!x.finite()) return std::nullopt;
  const double nearest = x.to_double();
  const bool exact = std::isfinite(nearest) && Rational::from_double(nearest) == x;
  return exact ? finite(nearest, nearest) : rounded_outwards(nearest, nearest);
}

/// What all integers of a dtype are; of 64 bits one end is no double, and the next one holds it.
MaybeInterval of_dtype(DType dtype) {
  if (dtype == DType::pred) return Interval{0, 1};
  if (!is_integer(dtype)) return std::nullopt;
  const int bits = 8 * static_cast<int>(info(dtype).bytes);
  if (is_unsigned(dtype)) return Interval{0, std::ldexp(1.0, bits) - 1};
  return Interval{-std::ldexp(1.0, bits - 1), std::ldexp(1.0, bits - 1) - 1};
}

class IntervalWalk {
 public:
  explicit IntervalWalk(const Plan& plan) : plan_(plan), known_(plan.values.size()) {}

  std::vector<MaybeInterval> run() {
    for (const Instruction& i : plan_.instructions) {
      if (i.results.size() == 1) known_[i.results[0].index()] = of(i);
    }
    return std::move(known_);
  }

 private:
  const MaybeInterval& operand(const Instruction& i, size_t n) const { return known_[i.operands[n].index()]; }
  DType dtype(PlanValueId id) const { return plan_.value(id).type().dtype; }

  MaybeInterval of(const Instruction& i) const {
    const LocalOp* local = local_op(i);
    if (local != nullptr) return is_float(dtype(i.results[0])) ? of_float(local->op, i) : of_integer(local->op, i);
    const Collective* collective = std::get_if<Collective>(&i.data());
    const bool keeps = collective != nullptr && (collective->kind == CollectiveKind::all_gather ||
                                                 collective->kind == CollectiveKind::all_reduce_max ||
                                                 collective->kind == CollectiveKind::all_reduce_min);
    return keeps ? all_of(i) : std::nullopt;
  }

  /// Of integers only what cannot wrap around: their dtype, the larger or smaller of two, and bits that are shifted or
  /// masked away.
  MaybeInterval of_integer(const OpData& op, const Instruction& i) const {
    if (const Constant* constant = std::get_if<Constant>(&op)) return of_number(constant->value);
    if (moves(op)) return all_of(i);
    const DType type = dtype(i.results[0]);
    const MaybeInterval whole = of_dtype(type);
    if (!whole) return std::nullopt;
    if (is_one_of<ShiftRightLogical>(op) && is_unsigned(type) && operand(i, 1)) {
      const double bits = operand(i, 1)->low;
      if (bits >= 0 && bits < 8.0 * static_cast<double>(info(type).bytes)) {
        return Interval{0, std::floor(std::ldexp(whole->high, -static_cast<int>(bits)))};
      }
    }
    if (is_one_of<Maximum, Minimum>(op)) {
      return of_two(op, operand(i, 0).value_or(*whole), operand(i, 1).value_or(*whole));
    }
    return whole;
  }

  MaybeInterval of_float(const OpData& op, const Instruction& i) const {
    if (const Constant* constant = std::get_if<Constant>(&op)) return of_number(constant->value);
    if (moves(op) || is_one_of<Convert>(op)) return all_of(i);
    if (is_one_of<Select>(op)) return all_of(i, 1);
    if (is_one_of<Tanh, Erf>(op)) return Interval{-1, 1};
    if (is_one_of<Logistic>(op)) return Interval{0, 1};
    if (i.operands.empty() || !operand(i, 0) || (i.operands.size() > 1 && !operand(i, 1))) return std::nullopt;
    const Interval a = *operand(i, 0);
    if (i.operands.size() == 1) return of_one(op, a);
    return i.operands.size() == 2 ? of_two(op, a, *operand(i, 1)) : std::nullopt;
  }

  static MaybeInterval of_one(const OpData& op, const Interval& a) {
    if (is_one_of<Negate>(op)) return finite(-a.high, -a.low);
    if (is_one_of<Exponential>(op)) return rounded_outwards(std::exp(a.low), std::exp(a.high));
    if (is_one_of<Log>(op) && a.low > 0) return rounded_outwards(std::log(a.low), std::log(a.high));
    if (is_one_of<Sqrt>(op) && a.low >= 0)
      return finite(std::max(0.0, below(std::sqrt(a.low))), above(std::sqrt(a.high)));
    return std::nullopt;
  }

  static MaybeInterval of_two(const OpData& op, const Interval& a, const Interval& b) {
    if (is_one_of<Add>(op)) return rounded_outwards(a.low + b.low, a.high + b.high);
    if (is_one_of<Subtract>(op)) return rounded_outwards(a.low - b.high, a.high - b.low);
    if (is_one_of<Multiply>(op)) return interval_product(a, b);
    if (is_one_of<Divide>(op) && (b.low > 0 || b.high < 0)) {
      return hull({a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high});
    }
    if (is_one_of<Maximum>(op)) return finite(std::max(a.low, b.low), std::max(a.high, b.high));
    if (is_one_of<Minimum>(op)) return finite(std::min(a.low, b.low), std::min(a.high, b.high));
    return std::nullopt;
  }

  static bool moves(const OpData& op) {
    return is_one_of<BroadcastInDim, Reshape, Transpose, Reverse, Slice, Concatenate, StopGradient>(op);
  }
  /// What holds each element of all operands from `first` on.
  MaybeInterval all_of(const Instruction& i, size_t first = 0) const {
    MaybeInterval all = i.operands.size() > first ? operand(i, first) : std::nullopt;
    for (size_t n = first + 1; n < i.operands.size() && all; ++n) {
      if (!operand(i, n)) return std::nullopt;
      all = Interval{std::min(all->low, operand(i, n)->low), std::max(all->high, operand(i, n)->high)};
    }
    return all;
  }

  const Plan& plan_;
  std::vector<MaybeInterval> known_;
};

}  // namespace

Intervals::Intervals(const Plan& plan) : known_(IntervalWalk(plan).run()) {}

}  // namespace isoshard::verify
