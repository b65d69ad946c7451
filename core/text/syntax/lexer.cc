// Cuts a file into tokens in one pass over its bytes, with one character of look-ahead. Names, values (`%x.0.w`),
// globals (`@f`), parts (`.w`), numbers, strings and punctuation are told apart by their first character; a token is a
// view into the file, without a copy. Comments are kept beside the tokens, each token knows how many stand before it,
// so that the formatter can put them back. `%` is a remainder only behind an operand on the same line, else a value
// whose name is missing. Bytes that are not UTF-8, and control characters, stop the lexer, since what follows is no
// text; other errors go on, up to 20. Cost: linear in the file.
#include <algorithm>
#include <cstdio>

#include "core/support/quoted.h"
#include "core/text/syntax/habits.h"
#include "core/text/syntax/token.h"

namespace isoshard::text {
namespace {

constexpr size_t kMaxErrors = 20;
constexpr std::string_view kPairs[] = {"->", "==", "!=", "<=", ">=", "..", ".{"};

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }

/// The length of the UTF-8 sequence that `text` starts with, or 0; overlong forms and surrogates are not UTF-8.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xc2 && lead <= 0xdf ? 2 : lead >= 0xe0 && lead <= 0xef ? 3 : lead >= 0xf0 ? 4 : 0;
  if (length == 0 || lead > 0xf4 || text.size() < length) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  }
  const unsigned second = byte(1);
  const bool bad = (lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f) ||
                   (lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f);
  return bad ? 0 : length;
}

class Lexer {
 public:
  Lexer(const std::shared_ptr<const SourceFile>& file, DiagnosticSink& sink, std::string_view more)
      : file_(file), text_(file->text), more_(more), sink_(sink) {}

  TokenStream run() {
    if (text_.substr(0, 3) == "\xef\xbb\xbf") at_ = line_start_ = 3;
    while (!stopped_ && skip_blank()) scan();
    push(TokenKind::end, at_, at_);
    return std::move(result_);
  }

 private:
  char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  Span span(size_t begin, size_t end) const {
    return Span{static_cast<uint32_t>(begin), static_cast<uint32_t>(end), line_,
                static_cast<uint32_t>(begin - line_start_ + 1)};
  }

  void push(TokenKind kind, size_t begin, size_t end, size_t skip = 0) {
    Token token{kind, span(begin, end), text_.substr(begin + skip, end - begin - skip), fresh_line_,
                static_cast<uint32_t>(result_.comments.size())};
    result_.tokens.push_back(token);
    fresh_line_ = false;
    at_ = end;
  }

  void error(const char* rule, size_t begin, size_t end, std::string message) {
    sink_.error(rule, locate(file_, span(begin, end)), std::move(message));
    stopped_ = ++errors_ >= kMaxErrors;
    at_ = end;
  }

  /// Skips blanks and comments; false at the end of the text.
  bool skip_blank() {
    for (; at_ < text_.size() && !stopped_; ++at_) {
      const char c = text_[at_];
      if (c == '\n') {
        ++line_;
        line_start_ = at_ + 1;
        fresh_line_ = true;
      } else if (c == '/' && peek(1) == '/') {
        comment();
        --at_;
      } else if (c != ' ' && c != '\t' && c != '\r') {
        return true;
      }
    }
    return false;
  }

  void comment() {
    const size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '\n' && !stopped_) {
      const size_t length = checked_length();
      at_ += stopped_ ? 0 : length;
    }
    size_t end = at_;
    if (end > begin && text_[end - 1] == '\r') --end;
    result_.comments.push_back(Comment{span(begin, end), text_.substr(begin, end - begin)});
  }

  /// The length of the character at `at_`; reports bytes that no text file has and stops.
  size_t checked_length() {
    const unsigned char c = static_cast<unsigned char>(text_[at_]);
    const size_t length = utf8_length(text_.substr(at_, 4));
    const bool control = (c < 0x20 && c != '\t' && c != '\r') || c == 0x7f;
    if (length != 0 && !control) return length;
    char byte[8];
    std::snprintf(byte, sizeof byte, "0x%02x", c);
    error("P-encoding", at_, at_ + 1,
          std::string("the byte ") + byte + (control ? " is a control character" : " is not UTF-8") +
              "; expected a .shard file, which is UTF-8 text");
    stopped_ = true;
    return 1;
  }

  void scan() {
    const char c = peek();
    // `lax.psum` is one name, so that a message can say what it is here.
    if (is_letter(c)) return push(TokenKind::name, at_, dotted_end(at_));
    if (is_digit(c)) return number();
    if (c == '"') return string();
    if (c == '%' && is_word(peek(1))) return push(TokenKind::value, at_, dotted_end(at_ + 1), 1);
    if (c == '@' && is_letter(peek(1))) return push(TokenKind::global, at_, dotted_end(at_ + 1), 1);
    if (c == '.' && is_word(peek(1))) return push(TokenKind::part, at_, dotted_end(at_ + 1), 1);
    for (const std::string_view pair : kPairs) {
      if (text_.substr(at_, 2) == pair) return push(TokenKind::punctuation, at_, at_ + 2);
    }
    if (std::string_view("()[]{},:=+-*/?<>").find(c) != std::string_view::npos || more_.find(c) != std::string::npos) {
      return push(TokenKind::punctuation, at_, at_ + 1);
    }
    if (c == '%' && after_operand()) return push(TokenKind::punctuation, at_, at_ + 1);
    const size_t begin = at_, length = checked_length();
    if (stopped_) return;
    const std::string shown = isoshard::quoted(text_.substr(begin, length));
    const std::string advice = character_advice(c, behind_operand());
    const bool is_name = advice.empty() && (c == '%' || c == '@');
    error("P-character", begin, begin + length,
          is_name ? "a name is missing after " + shown + "; expected letters and digits, as in " + c + "x"
                  : "unexpected character " + shown + advice);
    if (c == '#') skip_line();
  }

  /// What stands behind a `#` is a comment for whoever wrote it.
  void skip_line() {
    while (at_ < text_.size() && text_[at_] != '\n') ++at_;
  }

  void string() {
    const size_t begin = at_;
    size_t end = begin + 1;
    while (end < text_.size() && text_[end] != '"' && text_[end] >= ' ' && text_[end] < 0x7f) ++end;
    if (end < text_.size() && text_[end] == '"') {
      push(TokenKind::string, begin, end + 1, 1);
      result_.tokens.back().text.remove_suffix(1);
      return;
    }
    error("P-string", begin, end,
          "a string has no end on its line; expected printable ASCII characters and `\"`, as in \"1F1B\"");
  }

  /// Whether `%` here is a remainder and not a value whose name is missing.
  bool after_operand() const {
    if (result_.tokens.empty() || fresh_line_) return false;
    const Token& last = result_.tokens.back();
    return last.kind == TokenKind::number || last.kind == TokenKind::name || last.text == ")" || last.text == "]";
  }

  /// Whether what comes next stands behind an operand that is no bare name, which may be a word of the language.
  bool behind_operand() const {
    if (result_.tokens.empty() || fresh_line_) return false;
    const Token& last = result_.tokens.back();
    return last.kind == TokenKind::value || (last.kind != TokenKind::name && after_operand());
  }

  size_t word_end(size_t at) const {
    while (at < text_.size() && is_word(text_[at])) ++at;
    return at;
  }

  /// The end of `x.3.w`: words joined by single dots.
  size_t dotted_end(size_t at) const {
    at = word_end(at);
    while (at + 1 < text_.size() && text_[at] == '.' && is_word(text_[at + 1])) at = word_end(at + 1);
    return at;
  }

  size_t digits_end(size_t at) const {
    while (at < text_.size() && is_digit(text_[at])) ++at;
    return at;
  }

  void number() {
    const size_t begin = at_;
    size_t end = digits_end(at_);
    const auto digit_at = [&](size_t i) { return i < text_.size() && is_digit(text_[i]); };
    if (end < text_.size() && text_[end] == '.' && digit_at(end + 1)) end = digits_end(end + 1);
    if (end < text_.size() && (text_[end] == 'e' || text_[end] == 'E')) {
      const bool sign = end + 1 < text_.size() && (text_[end + 1] == '-' || text_[end + 1] == '+');
      if (digit_at(end + 1 + sign)) end = digits_end(end + 1 + sign);
    }
    const size_t word = word_end(end);
    if (word == end) return push(TokenKind::number, begin, end);
    error("P-number", begin, word,
          isoshard::quoted(text_.substr(begin, word - begin)) +
              " is not a number; expected digits, as in 12, 0.5 or 1e-5");
  }

  const std::shared_ptr<const SourceFile>& file_;
  std::string_view text_, more_;
  DiagnosticSink& sink_;
  TokenStream result_;
  size_t at_ = 0;
  size_t line_start_ = 0;
  uint32_t line_ = 1;
  size_t errors_ = 0;
  bool fresh_line_ = true;
  bool stopped_ = false;
};

}  // namespace

Location locate(const std::shared_ptr<const SourceFile>& file, const Span& span) {
  const std::string_view text = std::string_view(file->text).substr(span.offset, span.end - span.offset);
  const size_t length = std::min(text.size(), text.find_first_of("\r\n"));
  return Location::span(file, span.line, span.column, span.column + static_cast<uint32_t>(length),
                        span.offset + 1 - span.column);
}

TokenStream tokenize(const std::shared_ptr<const SourceFile>& file, DiagnosticSink& sink, std::string_view more) {
  return Lexer(file, sink, more).run();
}

}  // namespace isoshard::text
