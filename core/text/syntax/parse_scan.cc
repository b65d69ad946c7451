// `scan` and `yield`.

#include <utility>

#include "core/text/syntax/parser.h"

namespace isoshard::text {
namespace {

bool accept_word(TokenReader& reader, std::string_view word) {
  if (!reader.is_word(word)) return false;
  reader.take();
  return true;
}

/// `(%c = %h0, %d = %g0 : f32[4])`.
std::vector<BindingSyntax> parse_bindings(TokenReader& reader, const std::string& where) {
  std::vector<BindingSyntax> result;
  reader.expect("(", where);
  while (!reader.accept(")")) {
    if (!result.empty()) reader.expect(",", "or `)` after the value");
    BindingSyntax binding;
    binding.inside = parse_value_name(reader);
    reader.expect("=", "and the value outside, as in (%c = %h0)");
    binding.outside = parse_value_name(reader);
    if (reader.accept(":")) binding.type = parse_type(reader, true);
    result.push_back(std::move(binding));
  }
  return result;
}

std::vector<Operand> parse_yielded(TokenReader& reader, const std::string& where) {
  std::vector<Operand> result;
  reader.expect("(", where);
  while (!reader.accept(")")) {
    if (!result.empty()) reader.expect(",", "or `)` after the value");
    result.push_back(parse_operand(reader));
  }
  return result;
}

}  // namespace

Statement parse_scan(TokenReader& reader, std::vector<ValueName> results) {
  Statement statement;
  statement.span = reader.take().span;
  ScanSyntax scan;
  scan.results = std::move(results);
  if (reader.is("(")) scan.carries = parse_bindings(reader, "and the carried values");
  if (accept_word(reader, "over")) {
    scan.stacked = parse_bindings(reader, "and the stacked values, as in `over (%w = %ws)`");
  }
  if (accept_word(reader, "index")) scan.index = parse_value_name(reader);
  if (accept_word(reader, "trips")) scan.trips = parse_expression(reader);
  if (!reader.is("{")) {
    reader.fail_expected("`{` and the body, as in `%h, %ys = scan (%c = %h0) over (%w = %ws) { ... }`");
  }
  statement.span = statement.span.to(reader.last().span);
  scan.body = parse_block(reader);
  scan.types = parse_annotations(reader);
  statement.data = std::move(scan);
  return statement;
}

YieldSyntax parse_yield(TokenReader& reader) {
  YieldSyntax result;
  reader.take();
  const bool stack_only = reader.is_word("stack");
  if (!stack_only) result.carries = parse_yielded(reader, "and the next values of the carries, as in `yield (%c)`");
  if (accept_word(reader, "stack")) {
    result.stacked = parse_yielded(reader, "and the values to stack, as in `stack (%y)`");
  }
  return result;
}

}  // namespace isoshard::text
