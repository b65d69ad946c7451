// jnp.logaddexp is printed as the larger of two numbers and a correction that does not overflow. Over real numbers it
// is log(exp a + exp b), and proofs know the laws of that: it is associative, and exp of it is a sum. Both have the
// same value for infinities below, too, where the first takes a + b; without that choice they do not, so a and b must
// be numbers then. Cost: the dozen ops that are looked at.
#include "core/import/stablehlo/idioms/log_of_sum.h"

#include <map>
#include <string>

namespace isoshard::stablehlo {
namespace {

/// The operands of a value that an Op makes, or null.
template <class Made>
const std::vector<ValueId>* operands_of(const Lowering& lowering, ValueId value) {
  const Op* op = lowering.made_by(value);
  return op != nullptr && std::holds_alternative<Made>(op->data) ? &op->operands : nullptr;
}

/// x of `f(x)`.
template <class Made>
ValueId inside(const Lowering& lowering, ValueId value) {
  const std::vector<ValueId>* operands = value.valid() ? operands_of<Made>(lowering, value) : nullptr;
  return operands == nullptr ? ValueId() : operands->at(0);
}

struct Terms {
  ValueId a, b, difference;
  ValueId only{};  ///< a or b where the other one is -inf, of which exp is 0
};

/// Whether two values are one, or one constant.
bool is_same(const Lowering& lowering, ValueId a, ValueId b) {
  const Op *x = lowering.made_by(a), *y = lowering.made_by(b);
  if (a == b || x == nullptr || y == nullptr) return a == b;
  const auto *left = std::get_if<Constant>(&x->data), *right = std::get_if<Constant>(&y->data);
  return left != nullptr && right != nullptr && *left == *right;
}
bool are_same(const Lowering& lowering, const std::vector<ValueId>& a, const std::vector<ValueId>& b) {
  return is_same(lowering, a[0], b[0]) && is_same(lowering, a[1], b[1]);
}

bool is_minus_infinity(const Lowering& lowering, ValueId value) {
  const Op* made = lowering.made_by(value);
  const auto* constant = made == nullptr ? nullptr : std::get_if<Constant>(&made->data);
  return constant != nullptr && constant->value == Rational::infinity(true);
}

/// Of `max(a, b) + log(1 + exp(-|a - b|))`; the larger of -inf and b is written b.
std::optional<Terms> terms_of(const Lowering& lowering, ValueId value) {
  const auto* sum = operands_of<Add>(lowering, value);
  if (sum == nullptr) return std::nullopt;
  const ValueId exponent = inside<Exponential>(lowering, inside<LogPlusOne>(lowering, sum->at(1)));
  const ValueId difference = inside<Abs>(lowering, inside<Negate>(lowering, exponent));
  const auto* of = difference.valid() ? operands_of<Subtract>(lowering, difference) : nullptr;
  if (of == nullptr) return std::nullopt;
  const auto* larger = operands_of<Maximum>(lowering, sum->at(0));
  if (larger != nullptr && are_same(lowering, *of, *larger)) return Terms{of->at(0), of->at(1), difference};
  for (const size_t i : {0U, 1U}) {
    if (sum->at(0) == of->at(i) && is_minus_infinity(lowering, of->at(1 - i)))
      return Terms{of->at(0), of->at(1), difference, of->at(i)};
  }
  return std::nullopt;
}

Wire written(Lowering& lowering, const Operation& op, const Terms& terms) {
  if (terms.only.valid()) return Wire{lowering.builder().type(terms.only).tensor, terms.only};
  const ValueId a = lowering.append(Exponential{}, {terms.a}, op), b = lowering.append(Exponential{}, {terms.b}, op);
  return lowering.emit(Log{}, {lowering.append(Add{}, {a, b}, op)}, op);
}

}  // namespace

std::optional<Wire> log_of_sum(Lowering& lowering, const Operation& op, ValueId value) {
  const std::optional<Terms> terms = terms_of(lowering, value);
  if (!terms || !lowering.beyond(terms->a).none() || !lowering.beyond(terms->b).none()) return std::nullopt;
  return written(lowering, op, *terms);
}

std::optional<Wire> log_of_sum_or_infinite(Lowering& lowering, const Operation& select, const Scope& scope) {
  const Op* asked = lowering.made_by(lowering.value(select, 0, scope));
  const auto* compare = asked == nullptr ? nullptr : std::get_if<Compare>(&asked->data);
  if (compare == nullptr || compare->direction != Direction::ne) return std::nullopt;
  const ValueId x = asked->operands[0], y = asked->operands[1];
  const std::optional<Terms> terms = terms_of(lowering, lowering.value(select, 2, scope));
  if (!terms || x != terms->difference || y != terms->difference) return std::nullopt;
  const auto* both = operands_of<Add>(lowering, lowering.value(select, 1, scope));
  if (both == nullptr || !are_same(lowering, *both, {terms->a, terms->b})) return std::nullopt;
  return written(lowering, select, *terms);
}

bool is_log_of_sum(const Region& region) {
  if (region.arguments.size() != 2) return false;
  std::map<std::string_view, std::string> names{{region.arguments[0].name, "a"}, {region.arguments[1].name, "b"}};
  for (const Operation& op : region.operations) {
    std::string name(op.name.substr(op.name.find('.') + 1));
    if (name == "compare") name = op.enumerator("comparison_direction", 0);
    for (const ValueUse& use : op.operands) name += "(" + names[use.name] + ")";
    names[op.result] = std::move(name);
  }
  const std::string d = "subtract(a)(b)", none = "NE(" + d + ")(" + d + ")";
  const std::string correction = "log_plus_one(exponential(negate(abs(" + d + "))))";
  return names[""] == "return(select(" + none + ")(add(a)(b))(add(maximum(a)(b))(" + correction + ")))";
}

}  // namespace isoshard::stablehlo
