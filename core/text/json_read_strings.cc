// Strings of a JSON module that hold a piece of the language, read by its own parser.

#include <utility>

#include "core/support/quoted.h"
#include "core/text/json_read_values.h"
#include "core/text/parser.h"

namespace isoshard::text {
namespace {

/// What `parse` makes of all of `text`; its errors are those of `node`.
template <class Parse>
auto parse_all(const std::string& text, const JsonNode& node, const std::string& subject, const Scope& scope,
               Parse parse) -> std::optional<decltype(parse(std::declval<TokenReader&>()))> {
  const auto file = std::make_shared<const SourceFile>(SourceFile{"", text});
  DiagnosticSink errors;
  const TokenStream tokens = tokenize(file, errors);
  try {
    TokenReader reader(file, tokens, errors);
    if (!errors.has_errors()) {
      auto result = parse(reader);
      if (reader.at_end()) return result;
      reader.fail_expected("its end");
    }
  } catch (const SyntaxError&) {
  }
  const Diagnostic& first = errors.diagnostics().front();
  scope.error(first.rule, node.span, subject + " is " + isoshard::quoted(node.text) + ": " + first.message);
  return std::nullopt;
}

/// Gives all of an expression the place of the string that holds it.
void move_to(const Span& span, Expr& expr) {
  expr.span = span;
  for (Expr& argument : expr.arguments) move_to(span, argument);
}

void move_to(const Span& span, EntrySyntax& entry) {
  entry.span = span;
  for (Word& axis : entry.axes) axis.span = span;
  for (std::optional<Expr>* expr : {&entry.offset, &entry.index, &entry.count}) {
    if (*expr) move_to(span, **expr);
  }
}

const char* sign(TokenKind kind) { return kind == TokenKind::value ? "%" : kind == TokenKind::global ? "@" : ""; }

const char* form(TokenKind kind) {
  return kind == TokenKind::value    ? "the name of a value without `%`, as in \"x.3\""
         : kind == TokenKind::global ? "a name without `@`, as in \"W1\""
                                     : "a name of letters, digits and `_`";
}

}  // namespace

std::optional<Word> json_word(const JsonNode& node, TokenKind kind, const std::string& subject, const Scope& scope) {
  if (!json_is(node, JsonKind::string, subject, form(kind), scope)) return std::nullopt;
  const auto file = std::make_shared<const SourceFile>(SourceFile{"", sign(kind) + node.text});
  DiagnosticSink ignored;
  const TokenStream tokens = tokenize(file, ignored);
  const Token& first = tokens.tokens.front();
  if (!ignored.has_errors() && first.kind == kind && first.text == node.text) return Word{node.text, node.span};
  scope.error("P-value", node.span, subject + " is " + show(node) + "; expected " + form(kind));
  return std::nullopt;
}

std::optional<Expr> json_expression(const JsonNode& node, const std::string& subject, const Scope& scope) {
  if (!json_is(node, JsonKind::string, subject, "a string that holds a number, as in \"1/3\"", scope))
    return std::nullopt;
  std::optional<Expr> result = parse_all(node.text, node, subject, scope, parse_expression);
  if (result) move_to(node.span, *result);
  return result;
}

std::optional<LayoutSyntax> json_layout_syntax(const JsonNode& node, const std::string& subject, const Scope& scope) {
  const std::vector<JsonNode>* entries = json_items(node, subject, scope);
  if (entries == nullptr) return std::nullopt;
  LayoutSyntax result;
  result.span = node.span;
  for (const JsonNode& entry : *entries) {
    if (!json_is(entry, JsonKind::string, "an entry of " + subject, "a string, as in \"-\" or \"model\"", scope))
      return std::nullopt;
    std::optional<LayoutSyntax> one =
        parse_all("[" + entry.text + "]", entry, "an entry of " + subject, scope, parse_layout);
    if (!one) return std::nullopt;
    if (one->entries.size() != 1) {
      scope.error("P-value", entry.span,
                  "an entry of " + subject + " is " + show(entry) + "; expected one entry per string");
      return std::nullopt;
    }
    move_to(entry.span, one->entries[0]);
    result.entries.push_back(std::move(one->entries[0]));
  }
  return result;
}

std::optional<Layout> json_layout(const JsonNode& node, const std::string& subject, const Scope& scope) {
  const std::optional<LayoutSyntax> syntax = json_layout_syntax(node, subject, scope);
  return syntax ? scope.layout(*syntax) : std::nullopt;
}

}  // namespace isoshard::text
