// `check @a == @b {...}` and `check grad(@a, wrt=[@W]) == grad(@b, wrt=[@W])`.

#include <utility>

#include "core/text/syntax/parser.h"

namespace isoshard::text {
namespace {

MapSyntax parse_map(TokenReader& reader) {
  MapSyntax map;
  map.span = reader.take().span;
  map.global = reader.expect_kind(TokenKind::global, "a global, as in `map @W = @V`");
  reader.expect("=", "after the global, as in `map @W = @V`");
  map.source = reader.expect_kind(TokenKind::global, "the global that it starts as, as in `map @W = @V`");
  if (reader.is("[")) map.layout = parse_layout(reader);
  map.span = map.span.to(reader.last().span);
  return map;
}

void parse_check_option(TokenReader& reader, CheckSyntax& check) {
  if (reader.is_word("map")) {
    check.maps.push_back(parse_map(reader));
  } else if (reader.is_word("steps") && !check.steps) {
    reader.take();
    reader.expect("=", "after `steps`");
    check.steps = parse_expression(reader);
  } else {
    reader.fail_expected(check.steps ? "`map @W = @V`, or one `steps`" : "`steps=2` or `map @W = @V`");
  }
}

std::vector<Word> parse_wrt(TokenReader& reader) {
  reader.expect("=", "after `wrt`, as in wrt=[@W]");
  reader.expect("[", "and the globals whose gradients are compared, as in wrt=[@W, @b]");
  std::vector<Word> globals;
  while (!reader.accept("]")) {
    if (!globals.empty()) reader.expect(",", "or `]` after the global");
    globals.push_back(reader.expect_kind(TokenKind::global, "a global, as in wrt=[@W, @b]"));
  }
  return globals;
}

void parse_gradient_option(TokenReader& reader, GradientSyntax& gradient) {
  if (reader.is_word("wrt") && !gradient.wrt) {
    reader.take();
    gradient.wrt = parse_wrt(reader);
  } else if (reader.is_word("convention") && !gradient.convention) {
    reader.take();
    reader.expect("=", "after `convention`");
    gradient.convention = reader.expect_kind(TokenKind::name, "shard_map_unchecked");
  } else {
    reader.fail_expected("`wrt=[@W]` or `convention=shard_map_unchecked`, each once");
  }
}

/// A program, or `grad(@program, ...)` and the like around it.
Word parse_side(TokenReader& reader, std::optional<GradientSyntax>& gradient) {
  if (!reader.is_word("grad") && !reader.is_word("vjp")) {
    return reader.expect_kind(TokenKind::global, "a program, as in `check @a == @b`");
  }
  gradient.emplace();
  const Token& kind = reader.take();
  gradient->kind = Word{std::string(kind.text), kind.span};
  reader.expect("(", "and the program, as in grad(@f, wrt=[@W])");
  Word program = reader.expect_kind(TokenKind::global, "a program, or one of its outputs, as in grad(@f.loss)");
  while (reader.accept(",")) parse_gradient_option(reader, *gradient);
  reader.expect(")", "or `,` and `wrt=[@W]`");
  gradient->span = kind.span.to(reader.last().span);
  return program;
}

}  // namespace

CheckSyntax parse_check(TokenReader& reader) {
  CheckSyntax check;
  check.left = parse_side(reader, check.left_gradient);
  reader.expect("==", "after the program, as in `check @a == @b`");
  check.right = parse_side(reader, check.right_gradient);
  if (!reader.accept("{")) return check;
  do {
    parse_check_option(reader, check);
  } while (reader.accept(","));
  reader.expect("}", "or `,` after the option");
  return check;
}

}  // namespace isoshard::text
