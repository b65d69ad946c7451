// Reads expressions over coordinates from the text of a Plan, by recursive descent, and builds them with the operators
// that lowering uses, which fold constants: so what was printed comes back the same. Beside each expression its least
// and largest value are kept, from the sizes of the mesh and the counts of loops; what they allow to overflow, to be
// divided by nothing or to leave a table is an error at its place, so that no evaluation on any device can fail. An
// expression has at most 256 parts. `)%4` comes from the lexer as a value `%4`: directly behind an operand it is a
// remainder. Cost: the length of the text.
#include "core/text/plan/read/coordinate_reader.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "core/text/syntax/integer_math.h"

namespace isoshard::text {
namespace {

constexpr int64_t kMost = int64_t{1} << 60;
constexpr size_t kMostNodes = 256;

int64_t floored(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b < 0 ? quotient - 1 : quotient;
}

/// The least and the largest of `op` over the ends of both; nothing when one does not fit 64 bits.
std::optional<std::pair<int64_t, int64_t>> ends(char op, const BoundedExpr& left, const BoundedExpr& right) {
  std::vector<int64_t> all;
  for (const int64_t a : {left.low, left.high}) {
    for (const int64_t b : {right.low, right.high}) {
      const IntegerResult result = op == '/' ? IntegerResult(floored(a, b)) : apply_operator(op, a, b);
      if (!result) return std::nullopt;
      all.push_back(*result);
    }
  }
  const auto [low, high] = std::minmax_element(all.begin(), all.end());
  return std::pair(*low, *high);
}

}  // namespace

BoundedExpr CoordinateReader::read() {
  nodes_ = 0;
  return sum();
}

void CoordinateReader::count() {
  if (++nodes_ <= kMostNodes) return;
  reader_.fail("E-limit", reader_.last().span,
               "an expression has more than " + std::to_string(kMostNodes) + " parts; expected a shorter one");
}

BoundedExpr CoordinateReader::sum() {
  const TokenReader::Nest nest(reader_);
  const Span begin = reader_.peek().span;
  BoundedExpr result = product();
  while (reader_.is("+") || reader_.is("-")) {
    const char op = reader_.take().text[0];
    result = combine(op, std::move(result), product(), begin);
  }
  return result;
}

BoundedExpr CoordinateReader::product() {
  const Span begin = reader_.peek().span;
  BoundedExpr result = unary();
  for (;;) {
    const Token& next = reader_.peek();
    const bool glued = next.kind == TokenKind::value && next.span.offset == reader_.last().span.end;
    if (glued) {
      result = remainder(std::move(result), begin);
    } else if (reader_.is("*") || reader_.is("/") || reader_.is("%")) {
      const char op = reader_.take().text[0];
      result = combine(op, std::move(result), unary(), begin);
    } else {
      return result;
    }
  }
}

/// `%4` behind an operand.
BoundedExpr CoordinateReader::remainder(BoundedExpr left, const Span& begin) {
  const Token& token = reader_.take();
  const BoundedExpr right = word(std::string(token.text), token.span);
  return combine('%', std::move(left), right, begin);
}

BoundedExpr CoordinateReader::unary() {
  const TokenReader::Nest nest(reader_);
  const Token& token = reader_.peek();
  if (reader_.accept("-")) return combine('-', BoundedExpr{}, unary(), token.span);
  if (reader_.accept("(")) {
    BoundedExpr inner = sum();
    reader_.expect(")", "after the expression");
    return inner;
  }
  if (reader_.is("[")) return table();
  if (token.kind != TokenKind::number && token.kind != TokenKind::name) {
    reader_.fail_expected("a number, an axis, loop(0), min(a, b), max(a, b), a table or a parenthesis");
  }
  reader_.take();
  return word(std::string(token.text), token.span);
}

BoundedExpr CoordinateReader::word(const std::string& text, const Span& span) {
  count();
  if (text[0] >= '0' && text[0] <= '9') return constant(text, span);
  if (reader_.is("(") && text == "loop") return loop_index(span);
  if (reader_.is("(") && (text == "min" || text == "max")) return extreme(text == "min");
  const std::optional<AxisId> axis = scope_.axis(Word{text, span});
  if (!axis) throw SyntaxError{};
  return {isoshard::Expr::coordinate(*axis), 0, scope_.mesh().axis(*axis).size - 1};
}

BoundedExpr CoordinateReader::constant(const std::string& digits, const Span& span) {
  int64_t value = 0;
  const char* end = digits.data() + digits.size();
  const auto [stop, status] = std::from_chars(digits.data(), end, value);
  if (status == std::errc() && stop != end) {
    reader_.fail("E-integer", span, digits + " is not an integer; expected one here");
  }
  if (status != std::errc() || value >= kMost) {
    reader_.fail("E-overflow", span, digits + " needs more than 60 bits; expected a smaller number");
  }
  return {isoshard::Expr(value), value, value};
}

BoundedExpr CoordinateReader::loop_index(const Span& span) {
  reader_.expect("(", "after `loop`");
  const int64_t depth = number();
  reader_.expect(")", "after the loop, as in loop(0)");
  if (depth < 0 || depth >= std::ssize(loops_)) {
    reader_.fail("E-index", since(span),
                 "loop(" + std::to_string(depth) + ") stands in " + std::to_string(loops_.size()) +
                     " loops; expected the number of a loop around it, 0 for the innermost");
  }
  const auto place = static_cast<size_t>(depth);
  const int64_t count = loops_[loops_.size() - 1 - place];
  return {isoshard::Expr::loop_index(place), 0, std::max<int64_t>(count - 1, 0)};
}

BoundedExpr CoordinateReader::extreme(bool least) {
  reader_.expect("(", "after the function");
  BoundedExpr a = sum();
  reader_.expect(",", "between the arguments");
  BoundedExpr b = sum();
  reader_.expect(")", "after the arguments");
  if (least) return {min(std::move(a.value), std::move(b.value)), std::min(a.low, b.low), std::min(a.high, b.high)};
  return {max(std::move(a.value), std::move(b.value)), std::max(a.low, b.low), std::max(a.high, b.high)};
}

/// `[1,-1,0][model]`.
BoundedExpr CoordinateReader::table() {
  const Span begin = reader_.take().span;
  std::vector<int64_t> entries;
  do {
    entries.push_back(number());
  } while (reader_.accept(","));
  reader_.expect("]", "after the entries of the table");
  reader_.expect("[", "and the index, as in [1,-1][model]");
  BoundedExpr index = sum();
  reader_.expect("]", "after the index");
  count();
  if (index.low < 0 || index.high >= std::ssize(entries)) {
    reader_.fail("E-block", since(begin),
                 "the index of the table is from " + std::to_string(index.low) + " to " + std::to_string(index.high) +
                     "; expected 0 to " + std::to_string(std::ssize(entries) - 1) + ", one for each entry");
  }
  const auto [low, high] = std::minmax_element(entries.begin(), entries.end());
  const int64_t least = *low, most = *high;
  return {isoshard::Expr::lookup(std::move(index.value), std::move(entries)), least, most};
}

int64_t CoordinateReader::number() {
  const bool negative = reader_.accept("-");
  const Word digits = reader_.expect_kind(TokenKind::number, "an integer");
  const int64_t value = constant(digits.text, digits.span).low;
  return negative ? -value : value;
}

BoundedExpr CoordinateReader::combine(char op, BoundedExpr left, const BoundedExpr& right, const Span& begin) {
  count();
  const bool divides = op == '/' || op == '%';
  if (divides && right.low < 1) {
    reader_.fail("E-block", since(begin),
                 scope_.quote(since(begin)) + " divides by what may be " + std::to_string(right.low) +
                     "; expected a positive divisor on every device");
  }
  std::optional<std::pair<int64_t, int64_t>> range;
  const bool small = left.low >= 0 && left.high < right.low;
  if (op == '%') {
    range = small ? std::pair(left.low, left.high) : std::pair(int64_t{0}, right.high - 1);
  } else {
    range = ends(op, left, right);
  }
  if (!range || range->first <= -kMost || range->second >= kMost) {
    reader_.fail("E-overflow", since(begin),
                 scope_.quote(since(begin)) + " may need more than 60 bits; expected smaller numbers");
  }
  const auto joined = [&] {
    if (op == '+') return std::move(left.value) + right.value;
    if (op == '-') return std::move(left.value) - right.value;
    if (op == '*') return std::move(left.value) * right.value;
    return op == '/' ? floor_div(std::move(left.value), right.value) : mod(std::move(left.value), right.value);
  };
  return {joined(), range->first, range->second};
}

}  // namespace isoshard::text
