// Numbers of a file: integers, conditions and the rational numbers of constants.
// Integers are evaluated in checked 64-bit arithmetic (integer_math.cc), from left to right, and an error quotes the
// part of the chain that failed with the numbers in it. Numbers of constants are rationals without rounding
// (docs/adr/0006-constants-are-gmp-rationals.md), so that `1/3` is a third there while it is an error as an integer; a
// remainder, a size or a function makes the number an integer again. Rationals are limited to 65536 bits, because
// products of them could otherwise grow without end; sizes of types to 2^40 elements, so that nothing later can
// overflow.
#include "core/text/elaborate/numbers.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "core/ir/types/size_limit.h"
#include "core/support/rational_gmp.h"
#include "core/text/syntax/integer_math.h"
#include "core/text/syntax/suggest.h"

namespace isoshard::text {
namespace {

/// `0.0` or `0e1`, of which a float has two.
bool is_decimal(const Expr& expr) {
  return expr.kind == Expr::Kind::number && expr.text.find_first_of(".eE") != std::string_view::npos;
}

bool holds(const std::string& comparison, int64_t left, int64_t right) {
  if (comparison == "==") return left == right;
  if (comparison == "!=") return left != right;
  if (comparison == "<") return left < right;
  if (comparison == "<=") return left <= right;
  return comparison == ">" ? left > right : left >= right;
}

std::optional<int64_t> literal(const Expr& expr, const Scope& at) {
  int64_t value = 0;
  const char* end = expr.text.data() + expr.text.size();
  const auto [stop, status] = std::from_chars(expr.text.data(), end, value);
  if (status == std::errc() && stop == end) return value;
  if (status == std::errc::result_out_of_range) {
    at.error("E-overflow", expr.span, expr.text + " does not fit 64 bits; expected at most 9223372036854775807");
  } else {
    at.error("E-integer", expr.span, expr.text + " is not an integer; expected one here");
  }
  return std::nullopt;
}

/// The result, or the error about `span` with its `operands` as numbers.
std::optional<int64_t> checked(const IntegerResult& result, const Span& span, const std::string& operands,
                               const Scope& at) {
  if (result) return *result;
  at.error(result.error().rule, span, at.quote(span) + " = " + operands + " " + result.error().problem);
  return std::nullopt;
}

std::optional<int64_t> integer_chain(const Expr& expr, const Scope& at) {
  std::optional<int64_t> result;
  for (size_t i = 0; i < expr.arguments.size(); ++i) {
    const Expr& argument = expr.arguments[i];
    const std::optional<int64_t> right = read_integer(argument, at);
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
    return checked(joined, span, std::to_string(*result) + " " + argument.op + " " + std::to_string(*right), at);
  }
  return result;
}

std::optional<int64_t> function(const Expr& expr, const Scope& at) {
  std::vector<int64_t> arguments;
  std::string shown;
  for (const Expr& argument : expr.arguments) {
    const std::optional<int64_t> value = read_integer(argument, at);
    if (!value) return std::nullopt;
    arguments.push_back(*value);
    if (arguments.size() <= 8) shown += (shown.empty() ? "" : ", ") + std::to_string(*value);
  }
  return checked(find_integer_function(expr.text)->apply(arguments), expr.span, expr.text + "(" + shown + ")", at);
}

std::optional<int64_t> negation(const Expr& expr, const Scope& at) {
  const Expr& argument = expr.arguments[0];
  // The least integer is the negation of a literal that alone does not fit.
  if (argument.kind == Expr::Kind::number && argument.text == "9223372036854775808") {
    return std::numeric_limits<int64_t>::min();
  }
  const std::optional<int64_t> inner = read_integer(argument, at);
  if (!inner) return std::nullopt;
  const IntegerResult result = apply_operator('-', 0, *inner);
  if (result) return *result;
  at.error("E-overflow", expr.span, std::to_string(*inner) + " negated does not fit 64 bits");
  return std::nullopt;
}

std::optional<int64_t> value_size(const Expr& expr, const Scope& at) {
  const std::optional<int64_t> dim = read_integer(expr.arguments[0], at);
  const std::optional<Shape> shape = at.shape_of(expr);
  if (!dim || !shape) return std::nullopt;
  if (*dim >= 0 && *dim < static_cast<int64_t>(shape->size())) return (*shape)[static_cast<size_t>(*dim)];
  at.error("E-size", expr.span,
           at.quote(expr.span) + " asks for dimension " + std::to_string(*dim) + " of a value of rank " +
               std::to_string(shape->size()) + "; expected at least 0 and less than the rank");
  return std::nullopt;
}

std::optional<int64_t> value_rank(const Expr& expr, const Scope& at) {
  const std::optional<Shape> shape = at.shape_of(expr);
  return shape ? std::optional(static_cast<int64_t>(shape->size())) : std::nullopt;
}

std::optional<Rational> number_chain(const Expr& expr, const Scope& at) {
  constexpr size_t kMaxBits = size_t{1} << 16;
  mpq_class result;
  for (size_t i = 0; i < expr.arguments.size(); ++i) {
    const Expr& argument = expr.arguments[i];
    const std::optional<Rational> right = read_number(argument, at);
    if (!right) return std::nullopt;
    if (!right->finite()) {
      at.error("E-number", argument.span, right->to_string() + " cannot be part of a sum or product; write it alone");
      return std::nullopt;
    }
    if (argument.op == '/' && right->is_zero()) {
      at.error("E-divide", expr.span, at.quote(expr.span) + " divides by zero");
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
      at.error("E-overflow", expr.span, "the number needs more than 65536 bits; expected a smaller one");
      return std::nullopt;
    }
  }
  return from_mpq(result);
}

}  // namespace

std::optional<int64_t> read_integer(const Expr& expr, const Scope& at) {
  switch (expr.kind) {
    case Expr::Kind::number:
      return literal(expr, at);
    case Expr::Kind::name:
      return at.look_up(expr);
    case Expr::Kind::size:
      return at.axis_size(expr);
    case Expr::Kind::value_size:
      return value_size(expr, at);
    case Expr::Kind::value_rank:
      return value_rank(expr, at);
    case Expr::Kind::function:
      return function(expr, at);
    case Expr::Kind::negate:
      return negation(expr, at);
    case Expr::Kind::sum:
    case Expr::Kind::product:
      return integer_chain(expr, at);
  }
  return std::nullopt;
}

namespace {

/// `act == silu` of a let that is a word.
std::optional<Decision> decide_word(const Condition& condition, const WordLet& let, const Scope& at) {
  const std::string& other = condition.right.text;
  const bool is_equality = condition.comparison == "==" || condition.comparison == "!=";
  const bool known = condition.right.kind == Expr::Kind::name &&
                     std::find(let.words.begin(), let.words.end(), other) != let.words.end();
  if (is_equality && known) {
    return Decision{(let.value == other) == (condition.comparison == "=="),
                    let.value + " " + condition.comparison + " " + other};
  }
  at.error(
      "E-word", condition.left.span.to(condition.right.span),
      "`" + condition.left.text + "` is one of " + list_names(let.words, "") + "; expected == or != and one of these");
  return std::nullopt;
}

}  // namespace

std::optional<Decision> decide(const Condition& condition, const Scope& at) {
  const bool is_name = condition.left.kind == Expr::Kind::name;
  const WordLet* word = is_name ? at.find_word(condition.left.text) : nullptr;
  if (word != nullptr) return decide_word(condition, *word, at);
  const std::optional<int64_t> left = read_integer(condition.left, at), right = read_integer(condition.right, at);
  if (!left || !right) return std::nullopt;
  return Decision{holds(condition.comparison, *left, *right),
                  std::to_string(*left) + " " + condition.comparison + " " + std::to_string(*right)};
}

std::optional<Rational> read_number(const Expr& expr, const Scope& at) {
  const bool names_value = expr.kind == Expr::Kind::name && !at.declares(expr.text);
  if (names_value && (expr.text == "inf" || expr.text == "nan")) return Rational::parse(expr.text);
  if (expr.kind == Expr::Kind::number) {
    const std::optional<Rational> value = at.number(expr.text);
    if (!value) at.error("E-number", expr.span, expr.text + " is out of range; expected an exponent of at most 4000");
    return value;
  }
  if (expr.kind == Expr::Kind::negate) {
    const std::optional<Rational> inner = read_number(expr.arguments[0], at);
    if (!inner) return std::nullopt;
    if (inner->is_zero() && is_decimal(expr.arguments[0])) {
      at.error("E-number", expr.span,
               "found -" + expr.arguments[0].text +
                   "; expected an exact number, of which there is one 0 (for the other take the negate of a "
                   "constant 0)");
      return std::nullopt;
    }
    if (inner->finite()) return from_mpq(-to_mpq(*inner));
    return inner->is_nan() ? *inner : Rational::infinity(!inner->negative());
  }
  const bool is_remainder = std::any_of(expr.arguments.begin(), expr.arguments.end(),
                                        [](const Expr& argument) { return argument.op == '%'; });
  const bool is_chain = expr.kind == Expr::Kind::sum || expr.kind == Expr::Kind::product;
  if (is_chain && !is_remainder) return number_chain(expr, at);
  const std::optional<int64_t> value = read_integer(expr, at);
  if (!value) return std::nullopt;
  return Rational(*value);
}

std::optional<TensorType> read_type(const TypeSyntax& syntax, const Scope& at) {
  const std::optional<DType> dtype = parse_dtype(syntax.dtype.text);
  if (syntax.any_shape) {
    at.error("E-any-shape", syntax.span,
             at.quote(syntax.span) + " is a type of any shape; it stands only for parameters and results of funcs");
    return std::nullopt;
  }
  if (!dtype) {
    std::vector<std::string> names;
    for (const DTypeInfo& row : kDTypes) names.emplace_back(row.name);
    at.error("E-dtype", syntax.dtype.span,
             "there is no dtype `" + syntax.dtype.text + "`" + suggestion(syntax.dtype.text, names, "", "dtypes"));
  }
  TensorType result{dtype.value_or(DType::f32), {}};
  bool good = dtype.has_value();
  int64_t elements = 1;
  for (const Expr& size : syntax.shape) {
    const std::optional<int64_t> value = read_integer(size, at);
    if (value && (*value < 0 || (*value > 0 && elements > kMostElements / *value))) {
      at.error("E-size", size.span,
               "the size is " + std::to_string(*value) + "; expected at least 0 and at most 2^40 elements in all");
      good = false;
    } else if (value && *value > 0) {
      elements *= *value;
    }
    good &= value.has_value();
    result.shape.push_back(value.value_or(0));
  }
  if (!good) return std::nullopt;
  return result;
}

}  // namespace isoshard::text
