// Layouts of views and results, and what may stand behind the layout of a view.
// An entry is `-`, an axis or a tuple with an offset, or `EXPR of COUNT`. Axis and expression begin alike, so an entry
// is read as an expression first and, where no `of` follows, taken apart again into an axis and an offset: `model-k` is
// a sum whose first term is the axis, and that term becomes 0. Words behind a layout belong to it only on the same
// line.

#include <utility>

#include "core/text/syntax/parser.h"

namespace isoshard::text {
namespace {

bool ends_entry(const TokenReader& reader, size_t ahead) { return reader.is(",", ahead) || reader.is("]", ahead); }

bool starts_operand(const TokenReader& reader, size_t ahead) {
  const TokenKind kind = reader.peek(ahead).kind;
  return kind == TokenKind::name || kind == TokenKind::number || reader.is("(", ahead);
}

/// `stack model`, `uneven (data, model)`; an axis may have the name of such a word.
bool is_split(const TokenReader& reader) {
  return (reader.is_word("stack") || reader.is_word("uneven")) && starts_operand(reader, 1);
}

Expr zero_at(const Span& span) {
  Expr zero;
  zero.text = "0";
  zero.span = span;
  return zero;
}

/// `model` or `model-k`, which were read as an expression.
void take_simple(TokenReader& reader, Expr expression, EntrySyntax& entry) {
  const bool is_sum = expression.kind == Expr::Kind::sum;
  Expr& first = is_sum ? expression.arguments.front() : expression;
  if (first.kind != Expr::Kind::name) {
    reader.fail_expected("`of` and the number of blocks, as in [2*c+pp of 8, -]");
  }
  entry.axes.push_back(Word{first.text, first.span});
  if (!is_sum) return;
  const Span at = first.span;
  first = zero_at(at);
  entry.offset = std::move(expression);
}

/// `+k` behind a tuple.
void take_offset(TokenReader& reader, EntrySyntax& entry) {
  if (!reader.is("+") && !reader.is("-")) return;
  const Span at = reader.peek().span;
  const bool minus = reader.is("-");
  if (!minus) reader.take();
  Expr sum;
  sum.kind = Expr::Kind::sum;
  sum.arguments.push_back(zero_at(at));
  sum.arguments.push_back(parse_expression(reader));
  sum.span = at.to(reader.last().span);
  entry.offset = std::move(sum);
}

EntrySyntax parse_entry(TokenReader& reader) {
  EntrySyntax result;
  result.span = reader.peek().span;
  if (reader.is("-") && !starts_operand(reader, 1)) {
    reader.take();
    return result;
  }
  if (is_split(reader)) result.split = reader.take().text;
  if (reader.is("(") && is_tuple(reader)) {
    reader.take();
    result.axes = parse_words(reader, ")", "an axis");
    take_offset(reader, result);
  } else if (starts_operand(reader, 0) || reader.is("-")) {
    Expr expression = parse_expression(reader);
    if (reader.is_word("of")) {
      reader.take();
      result.index = std::move(expression);
      result.count = parse_expression(reader);
    } else {
      take_simple(reader, std::move(expression), result);
    }
  } else {
    reader.fail_expected("`-`, an axis, a tuple of axes, or EXPR of COUNT as a layout entry");
  }
  result.span = result.span.to(reader.last().span);
  return result;
}

std::vector<PartSyntax> parse_range_list(TokenReader& reader) {
  std::vector<PartSyntax> result;
  reader.take();
  while (!reader.accept("]")) {
    if (!result.empty()) reader.expect(",", "or `]` after the range");
    PartSyntax part;
    if (!reader.is(":")) part.start = parse_expression(reader);
    reader.expect(":", "in the range of the block, as in [0:8, :]");
    if (!ends_entry(reader, 0)) part.limit = parse_expression(reader);
    result.push_back(std::move(part));
  }
  return result;
}

std::vector<OwnerSyntax> parse_owners(TokenReader& reader) {
  std::vector<OwnerSyntax> result;
  do {
    OwnerSyntax owner;
    owner.axis = reader.expect_kind(TokenKind::name, "an axis, as in `only model=0`");
    reader.expect("=", "after the axis, as in `only model=0`");
    owner.coordinate = parse_expression(reader);
    result.push_back(std::move(owner));
  } while (reader.accept(","));
  return result;
}

std::vector<Word> parse_invariant(TokenReader& reader) {
  if (!reader.is_word("I")) reader.fail_expected("`I{axes}` after `as`");
  reader.take();
  reader.expect("{", "and the axes, as in I{model}");
  return parse_words(reader, "}", "an axis");
}

}  // namespace

LayoutSyntax parse_layout(TokenReader& reader) {
  LayoutSyntax result;
  result.span = reader.peek().span;
  reader.expect("[", "and one entry per dimension, as in [data, -]");
  while (!reader.accept("]")) {
    if (!result.entries.empty()) reader.expect(",", "or `]` after the layout entry");
    result.entries.push_back(parse_entry(reader));
  }
  result.span = result.span.to(reader.last().span);
  return result;
}

ViewSyntax parse_view(TokenReader& reader) {
  ViewSyntax result;
  const auto accept = [&](std::string_view word) {
    const bool found = reader.is_word(word) && !reader.peek().first_on_line;
    if (found) reader.take();
    return found;
  };
  if (reader.is("[") && !reader.peek().first_on_line) result.range = parse_range_list(reader);
  if (accept("only")) result.only = parse_owners(reader);
  if (accept("as")) result.invariant = parse_invariant(reader);
  if (accept("times")) {
    result.times = parse_expression(reader);
  } else if (accept("incomplete")) {
    result.incomplete = true;
  } else {
    accept("once");
  }
  return result;
}

void read_view_form(TokenReader& reader, OpSyntax& op) {
  OpForm& form = op.form.own();
  form.target = reader.expect_kind(TokenKind::global, "a global, as in `view @W [model, -]`");
  form.layout = parse_layout(reader);
  form.view = parse_view(reader);
}

}  // namespace isoshard::text
