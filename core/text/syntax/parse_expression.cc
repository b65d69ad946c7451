// Number expressions, value names, fields and types.
// One function per level of precedence: unary signs bind tighter than * / %, these tighter than + and -. A chain of one
// level is one node with all of its operands, so that long sums need no deep recursion; only parentheses nest. Which
// function a name is, and with how many arguments, is checked here, since that needs no scope; what names mean is not.
// Whether a parenthesis is a tuple or an expression is decided by looking ahead for a comma at its own level.

#include <algorithm>
#include <utility>

#include "core/text/syntax/integer_math.h"
#include "core/text/syntax/parser.h"
#include "core/text/syntax/suggest.h"

namespace isoshard::text {
namespace {

Expr leaf(Expr::Kind kind, const Token& token) {
  Expr result;
  result.kind = kind;
  result.text = token.text;
  result.span = token.span;
  return result;
}

/// `rank(%w)`, or `shape(%w)` of a field.
Expr parse_of_value(TokenReader& reader) {
  Expr result = leaf(Expr::Kind::value_rank, reader.take());
  reader.note_call();
  reader.take();
  result.value = parse_value_name(reader);
  reader.expect(")", "after the value, as in " + result.text + "(%w)");
  result.span = result.span.to(reader.last().span);
  return result;
}

/// `size(model)` or `size(%w, 0)`.
Expr parse_size(TokenReader& reader) {
  Expr result = leaf(Expr::Kind::size, reader.take());
  reader.expect("(", "after `size`");
  if (reader.peek().kind == TokenKind::value) {
    result.kind = Expr::Kind::value_size;
    result.value = parse_value_name(reader);
    reader.expect(",", "and the dimension, as in size(%w, 0)");
    result.arguments.push_back(parse_expression(reader));
    reader.expect(")", "after the dimension of `size`");
  } else {
    result.text = reader.expect_kind(TokenKind::name, "an axis or a value, as in size(model) or size(%w, 0)").text;
    reader.expect(")", "after the axis of `size`");
  }
  result.span = result.span.to(reader.last().span);
  return result;
}

[[noreturn]] void fail_function_of_values(TokenReader& reader, const std::string& name) {
  const std::string op = name == "max" ? "maximum" : name == "min" ? "minimum" : "";
  reader.fail("P-function", reader.peek().span,
              "`" + name + "` is a function of integers" +
                  (op.empty() ? "; expected one" : "; the op for values is `" + op + "`, as in " + op + "(%a, %b)"));
}

/// `min(a, b)`.
Expr parse_function(TokenReader& reader) {
  Expr result = leaf(Expr::Kind::function, reader.take());
  const IntegerFunction* function = find_integer_function(result.text);
  if (function == nullptr) {
    reader.fail(
        "P-function", result.span,
        "there is no function `" + result.text + "`" + suggestion(result.text, function_names(), "", "functions"));
  }
  reader.take();
  while (!reader.accept(")")) {
    if (!result.arguments.empty()) reader.expect(",", "or `)` after the argument");
    if (reader.peek().kind == TokenKind::value) fail_function_of_values(reader, result.text);
    result.arguments.push_back(parse_expression(reader));
  }
  result.span = result.span.to(reader.last().span);
  const size_t count = result.arguments.size();
  if (count >= function->least && count <= function->most) return result;
  reader.fail("P-function", result.span,
              result.text + " gets " + std::to_string(count) + " arguments; expected " +
                  (function->least == function->most ? "" : "at least ") + std::to_string(function->least));
}

Expr parse_name(TokenReader& reader) {
  if (!reader.is("(", 1)) return leaf(Expr::Kind::name, reader.take());
  if (reader.is_word("rank")) return parse_of_value(reader);
  return reader.is_word("size") ? parse_size(reader) : parse_function(reader);
}

Expr parse_unary(TokenReader& reader) {
  const TokenReader::Nest nest(reader);
  const Token& token = reader.peek();
  if (reader.accept("-")) {
    Expr inner = parse_unary(reader);
    return negated_number(std::move(inner), token.span.to(reader.last().span));
  }
  if (reader.accept("(")) {
    Expr inner = parse_expression(reader);
    reader.expect(")", "after the expression");
    inner.span = token.span.to(reader.last().span);
    return inner;
  }
  if (token.kind == TokenKind::number || token.kind == TokenKind::name) return parse_number_part(reader);
  const bool is_value = token.kind == TokenKind::value;
  reader.fail_expected(
      std::string("a number, a name, size(axis) or a parenthesis") +
      (is_value ? "; values have no numbers here, and arguments are counted from 0, as in wrt=[2, 3]" : ""));
}

bool is_one_of(const TokenReader& reader, std::string_view signs) {
  const Token& token = reader.peek();
  return token.kind == TokenKind::punctuation && token.text.size() == 1 &&
         signs.find(token.text[0]) != std::string_view::npos;
}

/// Operands of one level of precedence joined by the operators of `signs`.
template <class Next>
Expr parse_chain(TokenReader& reader, Expr::Kind kind, std::string_view signs, Next next) {
  Expr first = next(reader);
  if (!is_one_of(reader, signs)) return first;
  Expr result;
  result.kind = kind;
  result.span = first.span;
  first.op = signs[0];
  result.arguments.push_back(std::move(first));
  while (is_one_of(reader, signs)) {
    const char op = reader.take().text[0];
    result.arguments.push_back(next(reader));
    result.arguments.back().op = op;
  }
  result.span = result.span.to(reader.last().span);
  return result;
}

Expr parse_product(TokenReader& reader) {
  Expr result = parse_chain(reader, Expr::Kind::product, "*/%", parse_unary);
  check_end_of_number(reader);
  return result;
}

Expr parse_sum(TokenReader& reader) {
  const TokenReader::Nest nest(reader);
  return parse_chain(reader, Expr::Kind::sum, "+-", parse_product);
}

bool is_comparison(const TokenReader& reader) {
  constexpr std::string_view kSigns[] = {"==", "!=", "<", "<=", ">", ">="};
  return std::any_of(std::begin(kSigns), std::end(kSigns), [&](std::string_view sign) { return reader.is(sign); });
}

/// A value of a field, or `0..k`.
FieldValue parse_list_item(TokenReader& reader) {
  FieldValue first = parse_field_value(reader);
  if (first.kind != FieldValue::Kind::expression || !reader.accept("..")) return first;
  FieldValue result;
  result.kind = FieldValue::Kind::range;
  result.span = first.span;
  result.items.push_back(std::move(first));
  result.items.push_back(parse_field_value(reader));
  result.span = result.span.to(reader.last().span);
  return result;
}

FieldValue parse_field_list(TokenReader& reader, FieldValue::Kind kind, std::string_view close) {
  FieldValue result;
  result.kind = kind;
  result.span = reader.take().span;
  while (!reader.accept(close)) {
    if (!result.items.empty()) reader.expect(",", "or `" + std::string(close) + "` in the list");
    result.items.push_back(parse_list_item(reader));
  }
  result.span = result.span.to(reader.last().span);
  return result;
}

FieldValue parse_list_or_pairs(TokenReader& reader) {
  FieldValue list = parse_field_list(reader, FieldValue::Kind::list, "]");
  if (!reader.is_word("x") || !reader.is("[", 1)) return list;
  reader.take();
  FieldValue result;
  result.kind = FieldValue::Kind::dim_pairs;
  result.span = list.span;
  result.items.push_back(std::move(list));
  result.items.push_back(parse_field_list(reader, FieldValue::Kind::list, "]"));
  if (reader.is("->") && reader.is("[", 1)) {
    reader.take();
    result.kind = FieldValue::Kind::convolution;
    result.items.push_back(parse_field_list(reader, FieldValue::Kind::list, "]"));
  }
  result.span = result.span.to(reader.last().span);
  return result;
}

StateSyntax parse_state_entry(TokenReader& reader) {
  StateSyntax result;
  const Token& letter = reader.peek();
  if (letter.text.size() != 1 || !parse_state(letter.text)) reader.fail_expected("a state: R, I, V, P or =");
  result.letter = reader.take().text[0];
  reader.expect(":", "after the state");
  if (reader.accept("(")) {
    result.axes = parse_words(reader, ")", "an axis");
  } else {
    result.axes.push_back(reader.expect_kind(TokenKind::name, "an axis"));
  }
  return result;
}

std::vector<StateSyntax> parse_states(TokenReader& reader) {
  std::vector<StateSyntax> result;
  reader.take();
  while (!reader.accept("}")) {
    if (!result.empty()) reader.expect(",", "or `}` after the axes of a state");
    result.push_back(parse_state_entry(reader));
  }
  return result;
}

}  // namespace

bool is_tuple(const TokenReader& reader) {
  size_t depth = 0;
  for (size_t i = 0; reader.peek(i).kind != TokenKind::end; ++i) {
    if (reader.is("(", i) || reader.is("[", i)) ++depth;
    if (reader.is(")", i) || reader.is("]", i)) --depth;
    if (depth == 0 || reader.is("}", i) || reader.is("=", i)) return false;
    if (depth == 1 && reader.is(",", i)) return true;
  }
  return false;
}

void fail_comparison(TokenReader& reader, const Span& sign) {
  reader.fail("P-comparison", sign,
              "a comparison is no number; expected one alone between `if` and `{`, as in `if a < b { ... }`");
}

Expr negated_number(Expr inner, const Span& span) {
  Expr result;
  result.kind = Expr::Kind::negate;
  result.text = "-";
  result.arguments.push_back(std::move(inner));
  result.span = span;
  return result;
}

Expr parse_number_part(TokenReader& reader) {
  return reader.peek().kind == TokenKind::name ? parse_name(reader) : leaf(Expr::Kind::number, reader.take());
}

void check_end_of_number(TokenReader& reader) {
  if (reader.peek().kind != TokenKind::value || reader.peek().first_on_line) return;
  if (reader.last().kind == TokenKind::name) {
    const std::string name(reader.last().text);
    reader.fail_expected("`(` behind the name of an op in an expression, as in " + name + "(%x)");
  }
  reader.fail_expected(
      "the end of the expression; a remainder has a blank after the `%`, as in a % b, and operands are separated by "
      "commas");
}

Expr parse_expression(TokenReader& reader) {
  Expr result = parse_sum(reader);
  if (is_comparison(reader)) fail_comparison(reader, reader.peek().span);
  return result;
}

Condition parse_condition(TokenReader& reader) {
  Condition result;
  if (reader.peek().kind == TokenKind::value) {
    reader.fail_expected(
        "integers: `if` chooses while the program is made; of values it is `select(%p, %a, %b)`, where %p is a "
        "predicate such as `%x > 0`");
  }
  result.left = parse_sum(reader);
  if (!is_comparison(reader)) reader.fail_expected("a comparison, as in `if a < b { ... }`");
  result.comparison = reader.take().text;
  result.right = parse_sum(reader);
  if (is_comparison(reader)) fail_comparison(reader, reader.peek().span);
  return result;
}

Range parse_range(TokenReader& reader) {
  Range result;
  result.first = parse_expression(reader);
  reader.expect("..", "and the end of the range, as in 0..4");
  result.limit = parse_expression(reader);
  return result;
}

ValueName parse_value_name(TokenReader& reader) {
  const Word base = reader.expect_kind(TokenKind::value, "a value, as in %x");
  ValueName result{base.text, {}, base.span};
  for (;;) {
    if (reader.peek().kind == TokenKind::part && !result.parts.empty()) {
      result.parts.push_back(NamePart{std::string(reader.take().text)});
    } else if (reader.accept(".{")) {
      Expr first = parse_expression(reader);
      if (reader.accept("..")) {
        result.parts.push_back(NamePart{Range{std::move(first), parse_expression(reader)}});
      } else {
        result.parts.push_back(NamePart{std::move(first)});
      }
      reader.expect("}", "after the index");
    } else {
      break;
    }
  }
  result.span = result.span.to(reader.last().span);
  return result;
}

FieldValue parse_field_value(TokenReader& reader) {
  const TokenReader::Nest nest(reader);
  if (reader.is("[")) return parse_list_or_pairs(reader);
  if (reader.is("{")) return parse_field_list(reader, FieldValue::Kind::set, "}");
  if (reader.is("(") && is_tuple(reader)) return parse_field_list(reader, FieldValue::Kind::tuple, ")");
  FieldValue result;
  if (reader.peek().kind == TokenKind::global) {
    const Word name = reader.expect_kind(TokenKind::global, "a func");
    result.kind = FieldValue::Kind::function;
    result.expression.own().text = name.text;
    result.span = name.span;
    return result;
  }
  if (reader.peek().kind == TokenKind::string) {
    result.kind = FieldValue::Kind::string;
    result.span = reader.peek().span;
    result.text = std::string(reader.take().text);
    return result;
  }
  if (reader.is_word("shape") && reader.is("(", 1)) {
    result.kind = FieldValue::Kind::shape;
    result.expression = parse_of_value(reader);
    result.span = result.expression->span;
    return result;
  }
  result.expression = parse_expression(reader);
  result.span = result.expression->span;
  return result;
}

std::vector<FieldSyntax> parse_fields(TokenReader& reader) {
  std::vector<FieldSyntax> result;
  if (!reader.accept("{")) return result;
  while (!reader.accept("}")) {
    if (!result.empty()) reader.expect(",", "or `}` after the field");
    FieldSyntax field;
    field.name = reader.expect_kind(TokenKind::name, "a field, as in {axis=model}");
    reader.expect("=", "after the field's name");
    field.value = parse_field_value(reader);
    result.push_back(std::move(field));
  }
  return result;
}

TypeSyntax parse_type(TokenReader& reader, bool with_states) {
  TypeSyntax result;
  result.dtype = reader.expect_kind(TokenKind::name, "a type, as in f32[8, 16]");
  reader.expect("[", "and the sizes of the type, as in f32[8, 16]");
  bool first = true;
  result.any_shape = reader.is("*") && reader.is("]", 1);
  if (result.any_shape) reader.take();
  for (; !reader.accept("]"); first = false) {
    if (!first) reader.expect(",", "or `]` after the size");
    result.shape.push_back(parse_expression(reader));
  }
  if (with_states && reader.is("{")) result.states = parse_states(reader);
  result.span = result.dtype.span.to(reader.last().span);
  return result;
}

std::vector<Word> parse_words(TokenReader& reader, std::string_view end, std::string_view what) {
  std::vector<Word> result;
  do {
    result.push_back(reader.expect_kind(TokenKind::name, what));
  } while (reader.accept(","));
  reader.expect(end, "after the names");
  return result;
}

}  // namespace isoshard::text
