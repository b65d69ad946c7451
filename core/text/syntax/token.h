#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/diagnostic.h"

namespace isoshard::text {

/// A range of bytes of the file, with the 1-based line and byte column of its begin.
struct Span {
  uint32_t offset = 0;
  uint32_t end = 0;
  uint32_t line = 1;
  uint32_t column = 1;

  /// From the begin of this span to the end of `last`.
  Span to(const Span& last) const { return Span{offset, last.end, line, column}; }
};

/// The location of `span` in `file`; spans of several lines end with their first line.
Location locate(const std::shared_ptr<const SourceFile>& file, const Span& span);

enum class TokenKind : uint8_t {
  end,          ///< after the last token, with empty text
  name,         ///< `dot_general`, `model`, `R`
  value,        ///< `%x`, `%x.3`, text without `%`
  global,       ///< `@W1`, text without `@`
  number,       ///< `12`, `0.5`, `1e-5`
  string,       ///< `"1F1B"`, text without the quotes
  part,         ///< `.w` after `}` in `%x.{k}.w`, text without the dot
  punctuation,  ///< one of ( ) [ ] { } , : = + - * / % ? < > -> == != <= >= .. .{
};

struct Token {
  TokenKind kind = TokenKind::end;
  Span span;
  std::string_view text;  ///< into the file
  bool first_on_line = false;
  uint32_t comments_before = 0;  ///< the number of comments of the file that stand before this token

  /// Whether it is these one or two signs.
  bool is(std::string_view signs) const {
    const bool alike = kind == TokenKind::punctuation && text.size() == signs.size() && text.front() == signs.front();
    return alike && text.back() == signs.back();
  }
};

/// A `//` comment, without line end.
struct Comment {
  Span span;
  std::string_view text;
};

struct TokenStream {
  std::vector<Token> tokens;  ///< the last is `end`
  std::vector<Comment> comments;
};

/// Splits a file into tokens and comments.
///
/// Bytes that are not UTF-8, NUL and other control characters end the scan with one error (P-encoding); characters and
/// numbers that no token starts with are reported and skipped (P-character, P-number), as are strings without an end on
/// their line (P-string). CRLF and a leading BOM are read. `more` are further signs of one character that the format
/// of the file has.
TokenStream tokenize(const std::shared_ptr<const SourceFile>& file, DiagnosticSink& sink, std::string_view more = "");

}  // namespace isoshard::text
