// Expressions over values: `tanh(%h * 2 + %b)`, and what may stand as an operand (docs/adr/0087-inline-expressions.md).
// An expression becomes the ops that one would write out, each with the place of its part of the expression; numbers
// between values stay number expressions and are read as in any operand. One function per level of precedence, as in
// parse_expression.cc, from comparisons down to signs; operators of one level group from the left. How deeply ops
// stand in each other is limited, because what walks over them uses the stack. Whether a statement begins an expression
// or an op with operands is decided by looking ahead, at most to the end of one parenthesis. Cost: linear in the
// tokens.

#include <algorithm>
#include <utility>

#include "core/text/syntax/habits.h"
#include "core/text/syntax/integer_math.h"
#include "core/text/syntax/parser.h"

namespace isoshard::text {
namespace {

constexpr uint32_t kDeepest = 256;

struct Infix {
  std::string_view sign, op, direction;
};

constexpr Infix kComparisons[] = {{"==", "compare", "eq"}, {"!=", "compare", "ne"}, {"<", "compare", "lt"},
                                  {"<=", "compare", "le"}, {">", "compare", "gt"},  {">=", "compare", "ge"}};
constexpr Infix kSums[] = {{"+", "add", ""}, {"-", "subtract", ""}};
constexpr Infix kProducts[] = {{"*", "multiply", ""}, {"/", "divide", ""}, {"%", "remainder", ""}};

const Infix* find_infix(const TokenReader& reader, std::span<const Infix> level) {
  if (reader.peek().kind != TokenKind::punctuation) return nullptr;
  const auto found =
      std::find_if(level.begin(), level.end(), [&](const Infix& infix) { return reader.is(infix.sign); });
  return found == level.end() ? nullptr : &*found;
}

bool is_number_operand(const Operand& operand) { return std::holds_alternative<Expr>(operand); }

/// An op over `operands` that stands inside of an expression.
Inline inline_op(TokenReader& reader, OpSyntax op, const Span& span) {
  Inline result;
  result.span = span;
  for (const Operand& operand : op.operands) {
    const Inline* inner = std::get_if<Inline>(&operand);
    if (inner != nullptr) result.depth = std::max(result.depth, inner->depth + 1);
  }
  if (result.depth > kDeepest) {
    reader.fail("P-nesting", span,
                "the expression has more than " + std::to_string(kDeepest) +
                    " ops in each other; expected several statements, or `sum`");
  }
  op.is_expression = true;
  result.op.push_back(std::move(op));
  return result;
}

Inline infix_op(TokenReader& reader, const Infix& infix, Operand left, Operand right, const Span& span) {
  OpSyntax op;
  op.op = Word{std::string(infix.op), span};
  op.operands.push_back(std::move(left));
  op.operands.push_back(std::move(right));
  if (!infix.direction.empty()) {
    FieldSyntax direction;
    direction.name = Word{"direction", span};
    direction.value.expression.own().kind = Expr::Kind::name;
    direction.value.expression.own().text = infix.direction;
    direction.value.span = span;
    op.fields.push_back(std::move(direction));
  }
  return inline_op(reader, std::move(op), span);
}

/// `left sign right` of numbers: added to the chain `left` where that is one of this level, as parse_chain does.
Expr joined_numbers(Expr left, bool is_chain, std::string_view sign, Expr right, Expr::Kind kind) {
  right.op = sign[0];
  if (!is_chain) {
    Expr chain;
    chain.kind = kind;
    chain.span = left.span;
    left.op = kind == Expr::Kind::sum ? '+' : '*';
    chain.arguments.push_back(std::move(left));
    left = std::move(chain);
  }
  left.span = left.span.to(right.span);
  left.arguments.push_back(std::move(right));
  return left;
}

[[noreturn]] void fail_remainder(TokenReader& reader, const Span& sign) {
  reader.fail("P-expected", sign, "`%` is a remainder of numbers; expected `remainder(%a, %b)` for values");
}

/// Operands of one level of precedence, grouped from the left.
template <class Next>
Operand parse_level(TokenReader& reader, std::span<const Infix> level, Expr::Kind kind, Next next) {
  const Span begin = reader.peek().span;
  Operand left = next(reader);
  bool is_chain = false;
  while (const Infix* infix = find_infix(reader, level)) {
    const Span sign = reader.take().span;
    Operand right = next(reader);
    const bool numbers = is_number_operand(left) && is_number_operand(right);
    if (numbers) {
      left = joined_numbers(std::get<Expr>(std::move(left)), is_chain, infix->sign, std::get<Expr>(std::move(right)),
                            kind);
    } else {
      if (infix->sign == "%") fail_remainder(reader, sign);
      left = infix_op(reader, *infix, std::move(left), std::move(right), begin.to(reader.last().span));
    }
    is_chain = numbers;
  }
  return left;
}

/// `tanh(%x)`, `@f(%x, 2) {vjp=@b}`: from the name on.
Operand parse_call(TokenReader& reader) {
  const Token& name = reader.take();
  OpSyntax op;
  op.op = Word{name.kind == TokenKind::global ? "call" : std::string(name.text), name.span};
  if (name.kind == TokenKind::global) op.form.own().target = Word{std::string(name.text), name.span};
  if (name.kind == TokenKind::global && (!reader.is("(") || reader.peek().first_on_line)) {
    fail_global_alone(reader, op.form->target);
  }
  reader.note_call();
  reader.expect("(", "and the arguments, as in @f(%x)");
  if (op.op.text == "einsum") {
    op.form.own().equation = parse_equation(reader);
    reader.expect(",", "and the operands, as in einsum(\"bd,df->bf\", %x, %w)");
  }
  if (!reader.is(")")) op.operands = parse_operands(reader);
  if (!reader.accept(")")) reader.fail_expected("`)` or `,` after the argument" + habit_advice(reader));
  op.fields = parse_fields(reader);
  return inline_op(reader, std::move(op), name.span.to(reader.last().span));
}

/// `view @W [-, model]`, with what may stand behind the layout.
Operand parse_view_part(TokenReader& reader) {
  const Token& name = reader.take();
  OpSyntax op;
  op.op = Word{std::string(name.text), name.span};
  read_view_form(reader, op);
  return inline_op(reader, std::move(op), name.span.to(reader.last().span));
}

/// Whether the name that comes next is a function of integers, which the reader of numbers knows.
bool is_integer_function(const TokenReader& reader) {
  const std::string_view name = reader.peek().text;
  return name == "size" || name == "rank" || find_integer_function(name) != nullptr;
}

Operand parse_primary(TokenReader& reader) {
  const TokenReader::Nest nest(reader);
  const Token& token = reader.peek();
  if (token.kind == TokenKind::value) return parse_value_name(reader);
  if (token.kind == TokenKind::global) return parse_call(reader);
  if (token.kind == TokenKind::name && reader.is("(", 1) && !is_integer_function(reader)) return parse_call(reader);
  if (token.text == "view" && reader.peek(1).kind == TokenKind::global) return parse_view_part(reader);
  if (token.kind == TokenKind::name || token.kind == TokenKind::number) return parse_number_part(reader);
  if (reader.accept("(")) {
    Operand inner = parse_operand(reader);
    if (!reader.accept(")")) reader.fail_expected("`)` after the expression" + habit_advice(reader));
    if (Expr* number = std::get_if<Expr>(&inner)) number->span = token.span.to(reader.last().span);
    return inner;
  }
  if (!reader.accept("-")) {
    reader.fail_expected("an operand: a value such as %x, a number, or an expression in parentheses" +
                         habit_advice(reader));
  }
  Operand inner = parse_primary(reader);
  const Span span = token.span.to(reader.last().span);
  if (is_number_operand(inner)) return negated_number(std::get<Expr>(std::move(inner)), span);
  OpSyntax op;
  op.op = Word{"negate", span};
  op.operands.push_back(std::move(inner));
  return inline_op(reader, std::move(op), span);
}

Operand parse_product_of_values(TokenReader& reader) {
  Operand result = parse_level(reader, kProducts, Expr::Kind::product, parse_primary);
  if (is_number_operand(result)) check_end_of_number(reader);
  return result;
}

Operand parse_sum_of_values(TokenReader& reader) {
  const TokenReader::Nest nest(reader);
  return parse_level(reader, kSums, Expr::Kind::sum, parse_product_of_values);
}

[[noreturn]] void fail_chained(TokenReader& reader) {
  reader.fail("P-comparison", reader.peek().span,
              "comparisons do not chain; expected parentheses, or `and(%a < %b, %b < %c)`");
}

/// What a parenthesis holds, from its opening token on.
struct Parenthesis {
  bool has_comma = false;
  bool has_value = false;  ///< other than in `size(%w, 0)`
  size_t end = 0;          ///< the token behind it, counted from the next
};

bool is_size_function(std::string_view name) { return name == "size" || name == "rank" || name == "shape"; }

Parenthesis look_into(const TokenReader& reader, size_t ahead) {
  Parenthesis result;
  size_t depth = 0;
  for (size_t i = ahead; reader.peek(i).kind != TokenKind::end; ++i) {
    if (reader.is("(", i) || reader.is("[", i) || reader.is("{", i) || reader.is(".{", i)) ++depth;
    if (reader.is(")", i) || reader.is("]", i) || reader.is("}", i)) --depth;
    result.end = i + 1;
    if (depth == 0) return result;
    result.has_comma |= depth == 1 && reader.is(",", i);
    const bool sized = i >= 2 && reader.is("(", i - 1) && is_size_function(reader.peek(i - 2).text);
    result.has_value |= reader.peek(i).kind == TokenKind::value && !sized;
  }
  return result;
}

/// Whether an op has more than one operand on this line, from the token `ahead` on: `add -1, %x`, not `d - %x`.
bool has_comma_on_line(const TokenReader& reader, size_t ahead) {
  size_t depth = 0;
  for (size_t i = ahead; reader.peek(i).kind != TokenKind::end && !reader.peek(i).first_on_line; ++i) {
    if (reader.is("(", i) || reader.is("[", i)) ++depth;
    if (depth > 0 && (reader.is(")", i) || reader.is("]", i))) --depth;
    if (reader.is("{", i)) return false;
    if (depth == 0 && reader.is(",", i)) return true;
  }
  return false;
}

/// Whether the next name, before a parenthesis, is called with it: else the parenthesis is the first operand of an op,
/// as in `add (2), %x`.
bool is_call(const TokenReader& reader) {
  if (is_integer_function(reader)) return true;
  const Parenthesis inside = look_into(reader, 1);
  return inside.end == 3 || inside.has_comma || (inside.has_value && !reader.is(",", inside.end));
}

/// Most operands are a value alone.
bool is_value_alone(const TokenReader& reader) {
  if (reader.peek().kind != TokenKind::value) return false;
  return reader.is(",", 1) || reader.is("{", 1) || reader.is(")", 1) || reader.peek(1).kind != TokenKind::punctuation;
}

}  // namespace

Operand parse_operand(TokenReader& reader) {
  if (is_value_alone(reader)) return parse_value_name(reader);
  const Span begin = reader.peek().span;
  Operand left = parse_sum_of_values(reader);
  const Infix* infix = find_infix(reader, kComparisons);
  if (infix == nullptr) return left;
  const Span sign = reader.take().span;
  Operand right = parse_sum_of_values(reader);
  if (is_number_operand(left) && is_number_operand(right)) fail_comparison(reader, sign);
  if (find_infix(reader, kComparisons) != nullptr) fail_chained(reader);
  return infix_op(reader, *infix, std::move(left), std::move(right), begin.to(reader.last().span));
}

std::vector<Operand> parse_operands(TokenReader& reader) {
  std::vector<Operand> result;
  do {
    result.push_back(parse_operand(reader));
  } while (reader.accept(","));
  return result;
}

Word parse_equation(TokenReader& reader) {
  return reader.expect_kind(TokenKind::string, "an equation, as in einsum \"bsd,df->bsf\" %x, %w");
}

bool starts_expression(const TokenReader& reader) {
  const Token& first = reader.peek();
  if (first.kind != TokenKind::name) {
    return first.kind == TokenKind::value || first.kind == TokenKind::number || first.kind == TokenKind::global ||
           reader.is("(") || reader.is("-");
  }
  if (reader.peek(1).first_on_line) return false;
  if (reader.is("(", 1)) return is_call(reader);
  if (reader.is("-", 1)) return !has_comma_on_line(reader, 1);
  return reader.is("*", 1) || reader.is("/", 1) || reader.is("+", 1) || reader.is("%", 1);
}

OpSyntax parse_expression_statement(TokenReader& reader) {
  const Span begin = reader.peek().span;
  reader.note_other();
  Operand made = parse_operand(reader);
  const Span span = begin.to(reader.last().span);
  if (Inline* inlined = std::get_if<Inline>(&made)) return std::move(inlined->op.front());
  const std::string advice = habit_advice(reader);
  if (!advice.empty()) reader.fail_expected("the end of the line" + advice);
  const ValueName* value = std::get_if<ValueName>(&made);
  const bool transposed = value != nullptr && value->base.ends_with(".T");
  reader.fail(
      "P-expression", span,
      is_number_operand(made)
          ? std::string() + "a number alone has no shape; expected an op, or `constant {value=2, dtype=f32, shape=[4]}`"
          : std::string("a value alone computes nothing; expected ") +
                (transposed ? "`transpose %x {permutation=[1, 0]}` for a transpose"
                            : "an op, or the value itself where it is used"));
}

}  // namespace isoshard::text
