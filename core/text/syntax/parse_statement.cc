// Statements.
// A statement is told by its first token: a value begins an op or a scan, a word the others. The form of an op depends
// on its name only for the few that take a global, a func or a layout; all others are operands and fields, so that a
// new op needs no line here. A statement ends with its line. After an error the rest of it is skipped and the block
// goes on, unless an item begins there, which means that a brace is missing: then the error goes up to the items.

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/text/syntax/habits.h"
#include "core/text/syntax/parser.h"

namespace isoshard::text {
namespace {

constexpr std::string_view kStatementWords[] = {"for", "if", "return", "update", "yield"};

std::vector<ValueName> parse_results(TokenReader& reader) {
  std::vector<ValueName> results;
  do {
    results.push_back(parse_value_name(reader));
  } while (reader.accept(","));
  reader.expect("=", "after the name of the result");
  return results;
}

/// `@stage(%x, %W) @loss(%t) {...}`.
void parse_pipeline(TokenReader& reader, OpSyntax& op) {
  OpForm& form = op.form.own();
  for (Word* target : {&form.target, &form.loss}) {
    const bool stage = target == &form.target;
    *target = reader.expect_kind(TokenKind::global,
                                 stage ? "the func of a stage, as in `pipeline @stage(%x, %W) @loss(%t) {...}`"
                                       : "the func of the loss, as in `pipeline @stage(%x, %W) @loss(%t) {...}`");
    reader.expect("(", "after the func");
    if (!reader.is(")")) {
      std::vector<Operand> operands = parse_operands(reader);
      std::move(operands.begin(), operands.end(), std::back_inserter(op.operands));
    }
    reader.expect(")", "after the arguments");
  }
  op.fields = parse_fields(reader);
}

/// Whether the next line is a statement of its own, so that nothing stands behind the `=` of this one.
bool begins_statement(const TokenReader& reader) {
  return reader.peek().first_on_line && std::any_of(std::begin(kStatementWords), std::end(kStatementWords),
                                                    [&](std::string_view word) { return reader.is_word(word); });
}

[[noreturn]] void fail_choice(TokenReader& reader, const Word& word) {
  reader.fail(
      "P-expected", word.span,
      "found `if`; expected an op: of values it is `select(%p, %a, %b)`, where %p is a predicate such as `%x > 0`");
}

OpSyntax parse_op(TokenReader& reader) {
  OpSyntax op;
  constexpr std::string_view kExpected = "an op, as in `%y = add %a, %b`";
  if (begins_statement(reader)) reader.fail_expected(kExpected);
  op.op = reader.expect_kind(TokenKind::name, kExpected);
  if (op.op.text == "if") fail_choice(reader, op.op);
  if (op.op.text == "view") {
    read_view_form(reader, op);
  } else if (op.op.text == "block_size") {
    OpForm& form = op.form.own();
    form.target = reader.expect_kind(TokenKind::global, "a global, as in `block_size @W [uneven model, -] {dim=0}`");
    form.layout = parse_layout(reader);
    op.fields = parse_fields(reader);
  } else if (op.op.text == "pipeline") {
    parse_pipeline(reader, op);
  } else if (op.op.text == "call" || op.op.text == "grad") {
    op.form.own().target =
        reader.expect_kind(TokenKind::global, op.op.text == "call" ? "a func, as in `call @f(%x)`"
                                                                   : "a func, as in `grad @f(%x) {wrt=[0]}`");
    reader.expect("(", "after the func");
    if (!reader.is(")")) op.operands = parse_operands(reader);
    reader.expect(")", "after the arguments");
    op.fields = parse_fields(reader);
  } else {
    if (op.op.text == "einsum") op.form.own().equation = parse_equation(reader);
    const Token& next = reader.peek();
    const bool operand = next.kind == TokenKind::value || next.kind == TokenKind::number ||
                         next.kind == TokenKind::name || next.kind == TokenKind::global || reader.is("(") ||
                         reader.is("-");
    if (operand && !next.first_on_line) op.operands = parse_operands(reader);
    op.fields = parse_fields(reader);
  }
  return op;
}

/// A part of a block or an owner cannot lay out a result.
void refuse_view(TokenReader& reader) {
  const Token& next = reader.peek();
  if (next.first_on_line || !(reader.is("[") || reader.is_word("only"))) return;
  reader.fail("P-output", next.span,
              reader.is("[")
                  ? "a result has no sub-range: its blocks tile the whole; slice the value, or lay out all of it"
                  : "a result has no owner: `only` gives terms of a sum; all_reduce the value first");
}

/// `@y = %y [data, -]`.
ReturnSyntax parse_output(TokenReader& reader, bool update) {
  ReturnSyntax result;
  result.is_update = update;
  result.output =
      reader.expect_kind(TokenKind::global, update ? "a global, as in `update @W = %new [model, -]`" : "an output");
  reader.expect("=", update ? "after the global, as in `update @W = %new [model, -]`"
                            : "after the output, as in `return @y = %y [data, -]`");
  result.values.push_back(parse_operand(reader));
  reader.note_other();
  result.layout = parse_layout(reader);
  refuse_view(reader);
  if (!update && reader.accept(":")) result.type = parse_type(reader, false);
  return result;
}

ReturnSyntax parse_return(TokenReader& reader) {
  const bool update = reader.take().text == "update";
  const bool called = reader.is("(", 1);  // `return @f(%x)`
  if (update || (reader.peek().kind == TokenKind::global && !called)) return parse_output(reader, update);
  ReturnSyntax result;
  result.values = parse_operands(reader);
  return result;
}

/// `, @z = %z [-]` behind an output or update: one more.
void parse_further_outputs(TokenReader& reader, std::vector<Statement>& statements) {
  const auto* before = std::get_if<ReturnSyntax>(&statements.back().data);
  if (before == nullptr || !before->output) return;
  const bool update = before->is_update;
  while (reader.accept(",")) {
    Statement statement;
    statement.span = reader.peek().span;
    statement.data = parse_output(reader, update);
    statement.span = statement.span.to(reader.last().span);
    statements.push_back(std::move(statement));
  }
}

Statement parse_loop(TokenReader& reader) {
  Statement statement;
  statement.span = reader.take().span;
  LoopSyntax loop;
  loop.variable = reader.expect_kind(TokenKind::name, "a loop variable, as in `for k in 0..4 { ... }`");
  if (!reader.is_word("in")) reader.fail_expected("`in` after the loop variable");
  reader.take();
  loop.range = parse_range(reader);
  statement.span = statement.span.to(reader.last().span);
  loop.body = parse_block(reader);
  statement.data = std::move(loop);
  return statement;
}

Branch parse_branch(TokenReader& reader) {
  Branch branch;
  branch.span = reader.take().span;
  branch.condition = parse_condition(reader);
  branch.span = branch.span.to(reader.last().span);
  branch.body = parse_block(reader);
  return branch;
}

Statement parse_if(TokenReader& reader) {
  Statement statement;
  IfSyntax result;
  result.branches.push_back(parse_branch(reader));
  while (reader.is_word("else")) {
    Branch last;
    last.span = reader.take().span;
    if (reader.is_word("if")) {
      result.branches.push_back(parse_branch(reader));
      continue;
    }
    last.body = parse_block(reader);
    result.branches.push_back(std::move(last));
    break;
  }
  statement.span = result.branches.front().span;
  statement.data = std::move(result);
  return statement;
}

[[noreturn]] void fail_statement(TokenReader& reader) {
  if (reader.is_word("else")) reader.fail_expected("a statement; `else` stands only behind the block of an `if`");
  reader.fail_expected(
      std::string("a statement: `%y = op ...`, `return ...`, `update ...`, `yield ...`, `for k in a..b { ... }`, "
                  "or `if a < b { ... }`") +
      did_you_mean(reader, kStatementWords));
}

/// Whether a sign between operands follows on the same line.
bool at_infix(const TokenReader& reader) {
  constexpr std::string_view kSigns[] = {"+", "-", "*", "/", "==", "!=", "<", "<=", ">", ">="};
  const auto next = [&](std::string_view sign) { return reader.is(sign); };
  return !reader.peek().first_on_line && std::any_of(std::begin(kSigns), std::end(kSigns), next);
}

Statement parse_statement(TokenReader& reader) {
  const TokenReader::Nest nest(reader);
  if (reader.is_word("for")) return parse_loop(reader);
  if (reader.is_word("if")) return parse_if(reader);
  Statement statement;
  statement.span = reader.peek().span;
  if (reader.peek().kind == TokenKind::value) {
    std::vector<ValueName> results = parse_results(reader);
    if (reader.is_word("scan")) return parse_scan(reader, std::move(results));
    statement.span = reader.peek().span;
    OpSyntax op = starts_expression(reader) ? parse_expression_statement(reader) : parse_op(reader);
    op.results = std::move(results);
    if (at_infix(reader)) fail_behind_op(reader, op);
    op.types = parse_annotations(reader);
    statement.data = std::move(op);
  } else if (reader.is_word("return") || reader.is_word("update")) {
    statement.data = parse_return(reader);
  } else if (reader.is_word("yield")) {
    statement.data = parse_yield(reader);
  } else {
    fail_statement(reader);
  }
  statement.span = statement.span.to(reader.last().span);
  return statement;
}

}  // namespace

std::vector<TypeSyntax> parse_annotations(TokenReader& reader) {
  std::vector<TypeSyntax> types;
  if (!reader.accept(":")) return types;
  do {
    types.push_back(parse_type(reader, true));
  } while (reader.accept(","));
  return types;
}

namespace {

[[noreturn]] void fail_same_line(TokenReader& reader) {
  const std::string advice = habit_advice(reader);
  reader.fail_expected("the end of the line" + (advice.empty() ? "; operands are separated by commas" : advice));
}

}  // namespace

Block parse_block(TokenReader& reader) {
  const TokenReader::Nest nest(reader);
  reader.expect("{", "and the statements");
  const Span open_brace = reader.last().span;
  const uint32_t open = open_brace.offset;
  Block block;
  for (;;) {
    if (reader.accept("}")) {
      reader.note_block(open);
      return block;
    }
    if (reader.at_end() || starts_item(reader.peek())) reader.fail_unclosed(open_brace);
    const size_t begin = reader.position();
    const bool same_line = !reader.peek().first_on_line && !block.statements.empty();
    try {
      if (same_line) fail_same_line(reader);
      reader.note_start();
      block.statements.push_back(parse_statement(reader));
      parse_further_outputs(reader, block.statements);
    } catch (const SyntaxError&) {
      if (reader.too_many_errors() || starts_item(reader.peek())) throw;
      reader.skip_statement(begin);
    }
  }
}

}  // namespace isoshard::text
