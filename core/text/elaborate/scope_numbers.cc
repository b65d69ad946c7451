// Numbers of a file: integers, conditions and the rational numbers of constants.
// Integers are evaluated in checked 64-bit arithmetic (integer_math.cc), from left to right, and an error quotes the
// part of the chain that failed with the numbers in it. Numbers of constants are rationals without rounding
// (docs/adr/0006-constants-are-gmp-rationals.md), so that `1/3` is a third there while it is an error as an integer; a
// remainder, a size or a function makes the number an integer again. Rationals are limited to 65536 bits, because
// products of them could otherwise grow without end.

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/support/rational_gmp.h"
#include "core/text/elaborate/scope.h"
#include "core/text/syntax/integer_math.h"

namespace isoshard::text {
namespace {

bool holds(const std::string& comparison, int64_t left, int64_t right) {
  if (comparison == "==") return left == right;
  if (comparison == "!=") return left != right;
  if (comparison == "<") return left < right;
  if (comparison == "<=") return left <= right;
  return comparison == ">" ? left > right : left >= right;
}

}  // namespace

std::optional<int64_t> Scope::literal(const Expr& expr) const {
  int64_t value = 0;
  const char* end = expr.text.data() + expr.text.size();
  const auto [stop, status] = std::from_chars(expr.text.data(), end, value);
  if (status == std::errc() && stop == end) return value;
  if (status == std::errc::result_out_of_range) {
    error("E-overflow", expr.span, expr.text + " does not fit 64 bits; expected at most 9223372036854775807");
  } else {
    error("E-integer", expr.span, expr.text + " is not an integer; expected one here");
  }
  return std::nullopt;
}

std::optional<int64_t> Scope::checked(const IntegerResult& result, const Span& span,
                                      const std::string& operands) const {
  if (result) return *result;
  error(result.error().rule, span, quote(span) + " = " + operands + " " + result.error().problem);
  return std::nullopt;
}

std::optional<int64_t> Scope::integer_chain(const Expr& expr) const {
  std::optional<int64_t> result;
  for (size_t i = 0; i < expr.arguments.size(); ++i) {
    const Expr& argument = expr.arguments[i];
    const std::optional<int64_t> right = integer(argument);
    if (!right) return std::nullopt;
    if (i == 0) {
      result = right;
      continue;
    }
    const IntegerResult joined = apply_operator(argument.op, *result, *right);
    if (joined) {
      result = *joined;
      continue;
    }
    const Span span = expr.arguments.front().span.to(argument.span);
    return checked(joined, span, std::to_string(*result) + " " + argument.op + " " + std::to_string(*right));
  }
  return result;
}

std::optional<int64_t> Scope::function(const Expr& expr) const {
  std::vector<int64_t> arguments;
  std::string shown;
  for (const Expr& argument : expr.arguments) {
    const std::optional<int64_t> value = integer(argument);
    if (!value) return std::nullopt;
    arguments.push_back(*value);
    if (arguments.size() <= 8) shown += (shown.empty() ? "" : ", ") + std::to_string(*value);
  }
  return checked(find_integer_function(expr.text)->apply(arguments), expr.span, expr.text + "(" + shown + ")");
}

std::optional<int64_t> Scope::negation(const Expr& expr) const {
  const Expr& argument = expr.arguments[0];
  // The least integer is the negation of a literal that alone does not fit.
  if (argument.kind == Expr::Kind::number && argument.text == "9223372036854775808") {
    return std::numeric_limits<int64_t>::min();
  }
  const std::optional<int64_t> inner = integer(argument);
  if (!inner) return std::nullopt;
  const IntegerResult result = apply_operator('-', 0, *inner);
  if (result) return *result;
  error("E-overflow", expr.span, std::to_string(*inner) + " negated does not fit 64 bits");
  return std::nullopt;
}

std::optional<int64_t> Scope::value_size(const Expr& expr) const {
  const std::optional<int64_t> dim = integer(expr.arguments[0]);
  if (values_ == nullptr) {
    error("E-undefined", expr.span,
          quote(expr.span) + " stands only in the body of a func or program, which has values");
    return std::nullopt;
  }
  const std::optional<Shape> shape = values_->shape_of(expr.value.front());
  if (!dim || !shape) return std::nullopt;
  if (*dim >= 0 && *dim < static_cast<int64_t>(shape->size())) return (*shape)[static_cast<size_t>(*dim)];
  error("E-size", expr.span,
        quote(expr.span) + " asks for dimension " + std::to_string(*dim) + " of a value of rank " +
            std::to_string(shape->size()) + "; expected at least 0 and less than the rank");
  return std::nullopt;
}

std::optional<int64_t> Scope::integer(const Expr& expr) const {
  switch (expr.kind) {
    case Expr::Kind::number:
      return literal(expr);
    case Expr::Kind::name:
      return name(expr);
    case Expr::Kind::size:
      return axis_size(expr);
    case Expr::Kind::value_size:
      return value_size(expr);
    case Expr::Kind::function:
      return function(expr);
    case Expr::Kind::negate:
      return negation(expr);
    case Expr::Kind::sum:
    case Expr::Kind::product:
      return integer_chain(expr);
  }
  return std::nullopt;
}

std::optional<Decision> Scope::decide(const Condition& condition) const {
  const std::optional<int64_t> left = integer(condition.left), right = integer(condition.right);
  if (!left || !right) return std::nullopt;
  return Decision{holds(condition.comparison, *left, *right),
                  std::to_string(*left) + " " + condition.comparison + " " + std::to_string(*right)};
}

std::optional<Rational> Scope::number_chain(const Expr& expr) const {
  constexpr size_t kMaxBits = size_t{1} << 16;
  mpq_class result;
  for (size_t i = 0; i < expr.arguments.size(); ++i) {
    const Expr& argument = expr.arguments[i];
    const std::optional<Rational> right = number(argument);
    if (!right) return std::nullopt;
    if (!right->finite()) {
      error("E-number", argument.span, right->to_string() + " cannot be part of a sum or product; write it alone");
      return std::nullopt;
    }
    if (argument.op == '/' && right->is_zero()) {
      error("E-divide", expr.span, quote(expr.span) + " divides by zero");
      return std::nullopt;
    }
    if (i == 0) {
      result = to_mpq(*right);
    } else if (argument.op == '+') {
      result += to_mpq(*right);
    } else if (argument.op == '-') {
      result -= to_mpq(*right);
    } else if (argument.op == '*') {
      result *= to_mpq(*right);
    } else {
      result /= to_mpq(*right);
    }
    if (mpz_sizeinbase(result.get_num_mpz_t(), 2) + mpz_sizeinbase(result.get_den_mpz_t(), 2) > kMaxBits) {
      error("E-overflow", expr.span, "the number needs more than 65536 bits; expected a smaller one");
      return std::nullopt;
    }
  }
  return from_mpq(result);
}

std::optional<Rational> Scope::number(const Expr& expr) const {
  const bool names_value = expr.kind == Expr::Kind::name && !has_variable(expr.text) && !file_->lets.count(expr.text);
  if (names_value && (expr.text == "inf" || expr.text == "nan")) return Rational::parse(expr.text);
  if (expr.kind == Expr::Kind::number) {
    const std::optional<Rational> value = Rational::parse(expr.text);
    if (!value) error("E-number", expr.span, expr.text + " is out of range; expected an exponent of at most 4000");
    return value;
  }
  if (expr.kind == Expr::Kind::negate) {
    const std::optional<Rational> inner = number(expr.arguments[0]);
    if (!inner) return std::nullopt;
    if (inner->finite()) return from_mpq(-to_mpq(*inner));
    return inner->is_nan() ? *inner : Rational::infinity(!inner->negative());
  }
  const bool is_remainder = std::any_of(expr.arguments.begin(), expr.arguments.end(),
                                        [](const Expr& argument) { return argument.op == '%'; });
  const bool is_chain = expr.kind == Expr::Kind::sum || expr.kind == Expr::Kind::product;
  if (is_chain && !is_remainder) return number_chain(expr);
  const std::optional<int64_t> value = integer(expr);
  if (!value) return std::nullopt;
  return Rational(*value);
}

}  // namespace isoshard::text
