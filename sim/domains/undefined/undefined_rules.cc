// What functions of floats do with the conditions of their operands (docs/spec/verdict.md, "Where a formula has no
// value", the table): sums, products and movement keep all of them, for 0 times nan is nan; a partial function adds
// those of the factors of its operand, where these are marked; a function under which an infinity may be a number
// again, such as exp or 1/x, makes a condition named by itself, the operand and its conditions. What an infinity is
// multiplied by stays with it, as a product of formal factors, so that n (1/n) is 1 and 0 times infinity is nan.
// Nothing cancels. Cost: one union of interned sets per element that has any.
#include "sim/domains/undefined/undefined_rules.h"

#include <algorithm>
#include <array>

#include "core/ir/reversed.h"
#include "core/support/check.h"

namespace isoshard::sim {

/// What `op` asks of its operand.
uint32_t UndefinedRules::needs_of(UnaryOp op) {
  ISOSHARD_CHECK(op != UnaryOp::log_plus_one, "verify writes it as log(1 + x), of which it can name the condition");
  if (op == UnaryOp::sqrt) return UndefinedSets::kNonnegative;
  if (op == UnaryOp::log || op == UnaryOp::rsqrt) return UndefinedSets::kNonnegative | UndefinedSets::kNonzero;
  return op == UnaryOp::erf_inv ? uint32_t{UndefinedSets::kInside1} : 0;
}

/// Finite for some infinity.
bool UndefinedRules::drops_infinity(UnaryOp op) {
  return op == UnaryOp::exponential || op == UnaryOp::tanh || op == UnaryOp::logistic || op == UnaryOp::rsqrt ||
         op == UnaryOp::exponential_minus_one || op == UnaryOp::erf || op == UnaryOp::erfc;
}

/// Signs are those of the operand itself: a product may be positive where its factors are not. For what may fail in the
/// sharded program factors do as well. The root of -x needs another sign than that of x. What is outside of -1 to 1 has
/// no erf_inv, at the ends it is infinite.
UndefinedRules::Set UndefinedRules::failing(Set factors, uint32_t needs, Element operand) const {
  const uint32_t signs = UndefinedSets::kNonnegative | UndefinedSets::kInside1;
  const auto own = [&](bool either_sign) {
    return reference_ ? sets_.of_element(factors, operand, either_sign) : factors;
  };
  Set result = sets_.failing(own(false), needs & UndefinedSets::kNonnegative, false);
  for (const bool infinite : {false, true}) {
    result = sets_.unite(result, sets_.failing(own(true), needs & signs & ~UndefinedSets::kNonnegative, infinite));
  }
  return sets_.unite(result, sets_.failing(factors, needs & ~signs, true, 0, operand));
}

/// Where both may be infinite or 0 their product may be nan, though its formula is a number: it has a name of its own.
UndefinedRules::Set UndefinedRules::product(const Conditional& x, const Conditional& y) const {
  if (x.second == 0 && y.second == 0) return 0;
  Set a = sets_.scaled(x.second, y.first), b = sets_.scaled(y.second, x.first);
  if (x.second != 0 && y.second != 0) {
    const auto [first, second] = std::minmax(x, y);
    const Element both = sets_.token({kBoth, first.first, first.second, second.first, second.second});
    a = sets_.scaled(a, both);
    b = sets_.scaled(b, both);
  }
  return sets_.unite(a, b);
}

UndefinedRules::Set UndefinedRules::binary(BinaryOp op, const Conditional& x, const Conditional& y) const {
  const Conditional a{x.first, sets_.conditions(x.second)}, b{y.first, sets_.conditions(y.second)};
  const Set factors = sets_.factors(x.second), denominators = sets_.factors(y.second);
  const auto of_divisor = [&](Element numerator, Element denominator) {
    return sets_.failing(denominators, UndefinedSets::kNonzero, true, numerator, denominator);
  };
  switch (op) {
    case BinaryOp::add:
      return sets_.unite(a.second, b.second);
    case BinaryOp::subtract:
      return sets_.unite(a.second, sets_.scaled(b.second, sets_.negative(0)));
    case BinaryOp::multiply:
      if (x.second == UndefinedSets::kWeight) return sets_.guarded(b.second, x.first);
      return sets_.unite({product(a, b), factors, denominators});
    case BinaryOp::divide: {
      const Set inverse = sets_.through(named(kBinary, op), b.first, b.second);
      const Set quotient = product(a, {sets_.inverse(b.first), inverse});
      return sets_.unite({quotient, of_divisor(a.first, b.first), factors});
    }
    case BinaryOp::remainder:
      return sets_.unite({a.second, sets_.through(named(kBinary, op), b.first, b.second),
                          sets_.failing(denominators, UndefinedSets::kNonzero, false)});
    case BinaryOp::atan2: {  // a number of infinities and zeros, too, and what it is hangs on their signs
      const auto at_zero = [&](const Conditional& z, Set of) {
        return Conditional{z.first,
                           sets_.unite(z.second, sets_.failing(of, UndefinedSets::kNonzero, true, 0, z.first))};
      };
      const std::array<Conditional, 2> operands{at_zero(a, factors), at_zero(b, denominators)};
      return sets_.decided(named(kBinary, op), operands);
    }
    case BinaryOp::power:
      break;
  }
  const Set failed = failing(factors, UndefinedSets::kNonnegative | UndefinedSets::kNonzero, a.first);
  const std::array<Conditional, 2> operands{{{a.first, sets_.unite(a.second, failed)}, b}};
  return sets_.decided(named(kBinary, op), operands);
}

/// x > y and y < x are one comparison.
std::array<UndefinedRules::Conditional, 2> UndefinedRules::operands_of(Direction& direction, Element difference, Set x,
                                                                       Set y) const {
  const Element other = sets_.negative(difference);
  const bool turned = other < difference;
  if (turned) direction = reversed(direction);
  return {{{turned ? other : difference, turned ? y : x}, {0, turned ? x : y}}};
}

UndefinedRules::Set UndefinedRules::compared(Direction direction, Element difference, Set x, Set y) const {
  const std::array<Conditional, 2> operands = operands_of(direction, difference, x, y);
  return sets_.decided(named(kCompare, direction), operands);
}

UndefinedRules::Element UndefinedRules::name_of_comparison(Direction direction, Element difference, Set x,
                                                           Set y) const {
  if (direction == Direction::ne) direction = Direction::eq;
  const std::array<Conditional, 2> operands = operands_of(direction, difference, x, y);
  return sets_.token({named(kCompare, direction), operands[0].first, operands[0].second, operands[1].second});
}

/// What is and-ed with false does not count, so that the answer has a name of its own.
UndefinedRules::Set UndefinedRules::logic(Logic op, const Conditional& x, const Conditional& y) const {
  std::array<Conditional, 2> both{x, y};
  std::sort(both.begin(), both.end());
  return sets_.decided(named(kLogic, op), both);
}

}  // namespace isoshard::sim
