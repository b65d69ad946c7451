// What functions of floats do with the conditions of their operands (docs/spec/verdict.md, "Where a formula has no
// value", the table): sums, products and movement keep all of them, for 0 times nan is nan; a partial function adds
// those of the factors of its operand, where these are marked; a function under which an infinity may be a number
// again, such as exp or 1/x, makes a condition named by itself, the operand and its conditions. What an infinity is
// multiplied by stays with it, as a product of formal factors, so that n (1/n) is 1 and 0 times infinity is nan.
// Nothing cancels. Cost: one union of interned sets per element that has any.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "sim/domains/undefined/condition_names.h"
#include "sim/domains/undefined/undefined_domain.h"
#include "sim/value/new_value.h"
#include "sim/value/reduce_offsets.h"

namespace isoshard::sim {
namespace {

/// What `op` asks of its operand.
uint32_t needs_of(UnaryOp op) {
  if (op == UnaryOp::sqrt) return UndefinedSets::kNonnegative;
  if (op == UnaryOp::log || op == UnaryOp::rsqrt) return UndefinedSets::kNonnegative | UndefinedSets::kNonzero;
  return op == UnaryOp::erf_inv ? uint32_t{UndefinedSets::kInside1} : 0;
}

/// Finite for some infinity.
bool drops_infinity(UnaryOp op) {
  return op == UnaryOp::exponential || op == UnaryOp::tanh || op == UnaryOp::logistic || op == UnaryOp::rsqrt;
}

}  // namespace

/// Signs are those of the operand itself: a product may be positive where its factors are not. For what may fail in the
/// sharded program factors do as well.
UndefinedDomain::Set UndefinedDomain::failing(Set factors, uint32_t needs, Element operand) const {
  const uint32_t signs = UndefinedSets::kNonnegative | UndefinedSets::kInside1;
  const Set own = reference_ ? sets_.of_element(factors, operand) : factors;
  Set result = sets_.failing(own, needs & UndefinedSets::kNonnegative, false);
  result = sets_.unite(result, sets_.failing(own, needs & signs & ~UndefinedSets::kNonnegative, true));
  return sets_.unite(result, sets_.failing(factors, needs & ~signs, true, 0, operand));
}

UndefinedDomain::Set UndefinedDomain::of_unary(UnaryOp op, int64_t n, const std::byte* x, int64_t i, Set set) const {
  const Set factors = sets_.factors(set), conditions = sets_.conditions(set);
  if (op == UnaryOp::negate) return sets_.unite(sets_.scaled(conditions, sets_.negative(0)), factors);
  Set result = conditions;
  if (conditions != 0 && drops_infinity(op)) result = sets_.through(named(kUnary, op), element(n, x, i), conditions);
  if (conditions != 0 && !drops_infinity(op)) result = sets_.scaled(conditions, sets_.token({named(kUnary, op)}));
  if (factors == 0) return result;
  result = sets_.unite(result, failing(factors, needs_of(op), element(n, x, i)));
  return op == UnaryOp::sqrt ? sets_.unite(result, factors) : result;
}

/// Where both may be infinite or 0 their product may be nan, though its formula is a number: it has a name of its own.
UndefinedDomain::Set UndefinedDomain::product_of(const Conditional& x, const Conditional& y) const {
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

void UndefinedDomain::unary(UnaryOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  Sets sets = read(dtype, n, x);
  for (size_t i = 0; i < sets.size(); ++i) sets[i] = of_unary(op, n, x, static_cast<int64_t>(i), sets[i]);
  ring_->unary(op, dtype, n, x, out);
  write(dtype, n, sets, out);
}

/// `x` and `y` with all their sets.
UndefinedDomain::Set UndefinedDomain::of_binary(BinaryOp op, const Conditional& x, const Conditional& y) const {
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
      return sets_.unite({product_of(a, b), factors, denominators});
    case BinaryOp::divide: {
      const Set inverse = sets_.through(named(kBinary, op), b.first, b.second);
      const Set quotient = product_of(a, {sets_.inverse(b.first), inverse});
      return sets_.unite({quotient, of_divisor(a.first, b.first), factors});
    }
    case BinaryOp::remainder:
      return sets_.unite({a.second, sets_.through(named(kBinary, op), b.first, b.second), of_divisor(0, 0)});
    case BinaryOp::power:
      break;
  }
  const Set failed = failing(factors, UndefinedSets::kNonnegative | UndefinedSets::kNonzero, a.first);
  const std::array<Conditional, 2> operands{{{a.first, sets_.unite(a.second, failed)}, b}};
  return sets_.decided(named(kBinary, op), operands);
}

void UndefinedDomain::binary(BinaryOp op, DType dtype, int64_t n, const std::byte* x, const std::byte* y,
                             std::byte* out) const {
  const Sets left = read(dtype, n, x), right = read(dtype, n, y);
  Sets result(left.empty() && right.empty() ? 0 : static_cast<size_t>(n), 0);
  for (size_t i = 0; i < result.size(); ++i) {
    const Set a = at(left, i), b = at(right, i);
    const auto place = static_cast<int64_t>(i);
    if (a != 0 || b != 0) result[i] = of_binary(op, {element(n, x, place), a}, {element(n, y, place), b});
  }
  ring_->binary(op, dtype, n, x, y, out);
  write(dtype, n, result, out);
}

void UndefinedDomain::dot(DType dtype, int64_t m, int64_t n, int64_t k, const std::byte* a, const std::byte* b,
                          std::byte* out) const {
  ring_->dot(dtype, m, n, k, a, b, out);
  const Sets left = read(dtype, m * k, a), right = read(dtype, k * n, b);
  Sets result(left.empty() && right.empty() ? 0 : static_cast<size_t>(m * n), 0);
  for (size_t o = 0; o < result.size(); ++o) {
    const int64_t row = static_cast<int64_t>(o) / n, column = static_cast<int64_t>(o) % n;
    Sets parts;
    for (int64_t t = 0; t < k; ++t) {
      const int64_t at_a = row * k + t, at_b = t * n + column;
      const Set x = at(left, static_cast<size_t>(at_a));
      const Set y = sets_.conditions(at(right, static_cast<size_t>(at_b)));
      if (x == 0 && y == 0) continue;
      if (sets_.exceeded()) {
        parts = {UndefinedSets::kTooMany};
        break;
      }
      const Element weight = element(m * k, a, at_a);
      const bool is_weight = x == UndefinedSets::kWeight;
      parts.push_back(is_weight ? sets_.guarded(y, weight)
                                : product_of({weight, sets_.conditions(x)}, {element(k * n, b, at_b), y}));
    }
    result[o] = sets_.unite(parts);
  }
  write(dtype, m * n, result, out);
}

void UndefinedDomain::sum(DType dtype, const ReducePlan& plan, const std::byte* x, std::byte* out) const {
  const Sets sets = read(dtype, plan.input_size(), x);
  ring_->sum(dtype, plan, x, out);
  Sets result(sets.empty() ? 0 : static_cast<size_t>(plan.output_size()), 0);
  const std::vector<int64_t> kept = offsets(plan.kept()), reduced = offsets(plan.reduced());
  for (size_t o = 0; o < result.size(); ++o) {
    Sets parts;
    for (const int64_t r : reduced) parts.push_back(sets_.conditions(sets[static_cast<size_t>(kept[o] + r)]));
    result[o] = sets_.unite(parts);
  }
  write(dtype, plan.output_size(), result, out);
}

void UndefinedDomain::accumulate(DType dtype, int64_t n, std::byte* acc, const std::byte* x) const {
  Sets sets = read(dtype, n, acc);
  const Sets more = read(dtype, n, x);
  ring_->accumulate(dtype, n, acc, x);
  if (more.empty() && sets.empty()) return;
  sets.resize(static_cast<size_t>(n), 0);
  for (size_t i = 0; i < sets.size(); ++i) {
    sets[i] = sets_.unite(sets_.conditions(sets[i]), sets_.conditions(at(more, i)));
  }
  write(dtype, n, sets, acc);
}

void UndefinedDomain::sign(SignOp op, DType dtype, int64_t n, const std::byte* x, std::byte* out) const {
  Sets sets = read(dtype, n, x);
  for (size_t i = 0; i < sets.size() && op == SignOp::sign; ++i) {
    const Set conditions = sets_.conditions(sets[i]);
    sets[i] = sets_.through(named(kSign, op), element(n, x, static_cast<int64_t>(i)), conditions);
  }
  ring_->sign(op, dtype, n, x, out);
  write(dtype, n, sets, out);
}

}  // namespace isoshard::sim
