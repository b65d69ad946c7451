// What is said where somebody writes .shard as if it were Python. The parser reports what it found and what belongs
// there; this file adds what the thing found is called here, told by the token that comes next and the one before it.
// Nothing is accepted for that: a second way to write the same would have to be read by everybody. Cost: one look at a
// short table, on errors only.
#include "core/text/syntax/habits.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace isoshard::text {
namespace {

constexpr std::string_view kMatrixProduct = "; a product of matrices is `einsum(\"ij,jk->ik\", %x, %w)`";
constexpr std::string_view kPower = "; a power is `power(%x, 2)`, or the product `%x * %x`";
constexpr std::string_view kLogic = "; of predicates it is `and(%a, %b)`, `or(%a, %b)` or `not(%a)`";
constexpr std::string_view kChoice = "; of values it is `select(%p, %a, %b)`, where %p is a predicate such as `%x > 0`";

struct Habit {
  std::string_view token, advice;
};

constexpr Habit kWords[] = {{"and", kLogic}, {"or", kLogic}, {"not", kLogic}, {"if", kChoice}, {"else", kChoice}};

constexpr Habit kCharacters[] = {{"#", "; a comment begins with `//`"},
                                 {";", "; a statement ends with its line"},
                                 {"^", kPower},
                                 {"&", kLogic},
                                 {"|", kLogic},
                                 {"!", kLogic},
                                 {"~", kLogic},
                                 {"'", "; a string has double quotes, as in einsum(\"ij,jk->ik\", %x, %w)"}};

template <size_t N>
std::string find_advice(const Habit (&habits)[N], std::string_view token) {
  const auto found =
      std::find_if(std::begin(habits), std::end(habits), [&](const Habit& habit) { return habit.token == token; });
  return found == std::end(habits) ? "" : std::string(found->advice);
}

/// `(view @b [-])`, `all_reduce(%x) {axis=model}`: `op`, which was read last, as a part of an expression; empty for the
/// ops that cannot be one.
std::string as_part(const TokenReader& reader, const OpSyntax& op) {
  const std::string& text = reader.file()->text;
  const size_t begin = op.op.span.offset, end = reader.last().span.end;
  if (op.op.text == "view") return "(" + text.substr(begin, end - begin) + ")";
  if (!op.form->target.text.empty() || op.op.text == "einsum") return "";
  const size_t behind = op.fields.empty() ? end : text.rfind('{', op.fields.front().name.span.offset);
  std::string operands = text.substr(op.op.span.end, behind - op.op.span.end);
  const size_t first = operands.find_first_not_of(' ');
  operands = first == std::string::npos ? "" : operands.substr(first, operands.find_last_not_of(' ') - first + 1);
  const std::string fields = op.fields.empty() ? "" : " " + text.substr(behind, end - behind);
  return op.op.text + "(" + operands + ")" + fields;
}

}  // namespace

std::string habit_advice(const TokenReader& reader) {
  const Token &next = reader.peek(), &last = reader.last();
  if (next.first_on_line) return "";
  const bool behind_block = last.text == "}";
  if (next.kind == TokenKind::name) return behind_block ? "" : find_advice(kWords, next.text);
  if (next.kind == TokenKind::string) {
    return "; a string stands only in `einsum`, as in einsum(\"ij,jk->ik\", %x, %w)";
  }
  const bool behind_value = last.kind == TokenKind::value;
  if (next.kind == TokenKind::global && behind_value) return std::string(kMatrixProduct);
  if (reader.is("*") && last.text == "*") return std::string(kPower);
  if (reader.is("[") && (behind_value || last.text == ")")) {
    return "; a part of a value is `slice %x {start=[0, 0], limit=[1, 4]}`";
  }
  if (reader.is("(") && behind_value) {
    return "; a value has no methods: an op stands before its operands, as in `reduce(%x) {op=add, dims=[0]}`";
  }
  return "";
}

std::string character_advice(char character, bool after_operand) {
  if (character == '@') return after_operand ? std::string(kMatrixProduct) : "";
  return find_advice(kCharacters, std::string_view(&character, 1));
}

void fail_behind_op(TokenReader& reader, const OpSyntax& op) {
  const std::string sign(reader.peek().text), part = as_part(reader, op);
  reader.fail_expected("the end of the line" +
                       (part.empty()
                            ? "; give the result a name, which may stand in an expression"
                            : "; `" + op.op.text + "` is written as `" + part + " " + sign + " ...` in an expression"));
}

void fail_global_alone(TokenReader& reader, const Word& name) {
  reader.fail("P-expected", name.span,
              "found `@" + name.text + "` alone; expected `view @" + name.text +
                  " [-]`, with an entry for each dimension, to read a global, or `@" + name.text +
                  "(%x)` to call a func");
}

}  // namespace isoshard::text
