#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "core/import/stablehlo/text/syntax.h"
#include "core/support/diagnostic.h"

namespace isoshard::stablehlo {

enum class TokenKind : uint8_t {
  end,
  name,    ///< `stablehlo.add`, `dense`, `x`
  value,   ///< `%arg0`, `%0`; text without %
  symbol,  ///< `@main`; text without @
  alias,   ///< `#loc4`, `#stablehlo.gather`; text without #
  label,   ///< `^bb0`
  number,  ///< `4`, `-1.0e-5`, `0xFF800000`
  string,  ///< text without quotes
  punctuation
};

struct Token {
  TokenKind kind = TokenKind::end;
  std::string_view text;
  Span span;

  bool is(std::string_view punctuation) const { return kind == TokenKind::punctuation && text == punctuation; }
  bool is_name(std::string_view word) const { return kind == TokenKind::name && text == word; }
};

/// Where reading a text ends that cannot be read: the sink has the reason.
struct Unreadable {};

/// Walks over the tokens of a text, two ahead.
class Lexer {
 public:
  Lexer(std::shared_ptr<const SourceFile> file, DiagnosticSink& sink);

  const Token& peek() const { return next_; }
  /// The token behind peek().
  const Token& second() const { return second_; }
  Token take();
  bool accept(std::string_view punctuation);
  bool accept_name(std::string_view word);
  /// Takes this punctuation; `what` says in which place it is missing, where it is.
  Token expect(std::string_view punctuation, std::string_view what);
  Token expect(TokenKind kind, std::string_view what);
  /// What stands between the `<` that comes next and its `>`, which is taken, too.
  Token take_angle(std::string_view what);

  /// Reports an error at `span` and throws Unreadable.
  [[noreturn]] void fail(std::string_view rule, Span span, std::string message) const;
  [[noreturn]] void fail_expected(std::string_view expectation) const;
  Location location(Span span) const;
  const std::shared_ptr<const SourceFile>& file() const { return file_; }

 private:
  Token scan();
  Token token(TokenKind kind, size_t begin, size_t text_begin) const;
  Token scan_string();
  void skip_space();

  std::shared_ptr<const SourceFile> file_;
  DiagnosticSink& sink_;
  std::string_view text_;
  size_t at_ = 0;
  Token next_, second_;
};

/// Line and column of a span of a file, as a location.
Location location_of(const std::shared_ptr<const SourceFile>& file, Span span);

/// What a token looks like in a message: "`add`" or "the end of the file".
std::string in_words(const Token& token);

}  // namespace isoshard::stablehlo
