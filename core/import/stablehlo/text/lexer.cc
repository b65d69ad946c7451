// Tokens of MLIR's printed form. Names may have dots (`stablehlo.add`), aliases and symbols too; `tensor<4x8xf32>` and
// `dense<...>` are no tokens, since `4x8xf32` would be a number and a name: who meets their `<` takes the text up to
// its
// `>` as it is. Comments and spaces are skipped. Cost: one pass; a line number is counted only for a message or a
// location that is kept.
#include "core/import/stablehlo/text/lexer.h"

#include <algorithm>
#include <utility>

#include "core/support/quoted.h"

namespace isoshard::stablehlo {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_name_part(char c) { return is_letter(c) || is_digit(c) || c == '.' || c == '$'; }

}  // namespace

Location location_of(const std::shared_ptr<const SourceFile>& file, Span span) {
  const std::string_view text = file->text;
  const size_t begin = std::min(span.begin, text.size());
  const auto line = static_cast<uint32_t>(std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(begin), '\n'));
  const size_t before = begin == 0 ? std::string_view::npos : text.rfind('\n', begin - 1);
  const size_t line_begin = before == std::string_view::npos ? 0 : before + 1;
  const auto column = static_cast<uint32_t>(begin - line_begin + 1);
  const auto length = static_cast<uint32_t>(span.end > begin ? span.end - begin : 1);
  return Location::span(file, line + 1, column, column + length, static_cast<uint32_t>(line_begin));
}

std::string in_words(const Token& token) {
  if (token.kind == TokenKind::end) return "the end of the file";
  static constexpr std::string_view kMark[] = {"", "", "%", "@", "#", "^", "", "\"", ""};
  const std::string_view mark = kMark[static_cast<size_t>(token.kind)];
  return quoted(std::string(mark) + std::string(token.text.substr(0, 40)) + (mark == "\"" ? "\"" : ""));
}

Lexer::Lexer(std::shared_ptr<const SourceFile> file, DiagnosticSink& sink)
    : file_(std::move(file)), sink_(sink), text_(file_->text) {
  next_ = scan();
  second_ = scan();
}

Token Lexer::take() {
  Token result = std::exchange(next_, second_);
  second_ = scan();
  return result;
}

bool Lexer::accept(std::string_view punctuation) {
  if (!next_.is(punctuation)) return false;
  take();
  return true;
}

bool Lexer::accept_name(std::string_view word) {
  if (!next_.is_name(word)) return false;
  take();
  return true;
}

Token Lexer::expect(std::string_view punctuation, std::string_view what) {
  if (!next_.is(punctuation)) fail_expected("`" + std::string(punctuation) + "` " + std::string(what));
  return take();
}

Token Lexer::expect(TokenKind kind, std::string_view what) {
  if (next_.kind != kind) fail_expected(what);
  return take();
}

Token Lexer::take_angle(std::string_view what) {
  if (!next_.is("<")) fail_expected("`<` " + std::string(what));
  const size_t begin = next_.span.end;
  size_t depth = 1, at = begin;
  for (; at < text_.size() && depth > 0; ++at) {
    if (text_[at] == '"') {
      at = std::min(text_.find('"', at + 1), text_.size() - 1);
    } else if (text_[at] == '<') {
      ++depth;
    } else if (text_[at] == '>' && text_[at - 1] != '-') {
      --depth;
    }
  }
  if (depth > 0) fail("M-syntax", next_.span, "`<` has no `>`; the text may be cut off");
  at_ = at;
  next_ = scan();
  second_ = scan();
  return Token{TokenKind::string, text_.substr(begin, at - 1 - begin), Span{begin, at - 1}};
}

void Lexer::fail(std::string_view rule, Span span, std::string message) const {
  sink_.error(std::string(rule), location(span), std::move(message));
  throw Unreadable{};
}

void Lexer::fail_expected(std::string_view expectation) const {
  fail("M-syntax", next_.span, in_words(next_) + " here; expected " + std::string(expectation));
}

Location Lexer::location(Span span) const { return location_of(file_, span); }

void Lexer::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      ++at_;
    } else if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else {
      return;
    }
  }
}

Token Lexer::token(TokenKind kind, size_t begin, size_t text_begin) const {
  return Token{kind, text_.substr(text_begin, at_ - text_begin), Span{begin, at_}};
}

Token Lexer::scan_string() {
  const size_t begin = at_++;
  while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? size_t{2} : size_t{1};
  if (at_ >= text_.size()) fail("M-syntax", {begin, begin + 1}, "a string without an end; the text may be cut off");
  ++at_;
  return Token{TokenKind::string, text_.substr(begin + 1, at_ - begin - 2), Span{begin, at_}};
}

Token Lexer::scan() {
  skip_space();
  if (at_ >= text_.size()) return Token{TokenKind::end, {}, Span{text_.size(), text_.size()}};
  const size_t begin = at_;
  const char c = text_[at_], behind = at_ + 1 < text_.size() ? text_[at_ + 1] : '\0';
  const auto run = [&](auto is_part) {
    while (at_ < text_.size() && is_part(text_[at_])) ++at_;
  };
  if (c == '"') return scan_string();
  if (c == '@' && behind == '"') {  // `@"<lambda>"`
    ++at_;
    const Token name = scan_string();
    return Token{TokenKind::symbol, name.text, Span{begin, name.span.end}};
  }
  const std::pair<char, TokenKind> sigils[] = {
      {'%', TokenKind::value}, {'@', TokenKind::symbol}, {'#', TokenKind::alias}, {'^', TokenKind::label}};
  for (const auto& [sigil, kind] : sigils) {
    if (c != sigil || !is_name_part(behind)) continue;
    ++at_;
    run(is_name_part);
    return token(kind, begin, begin + 1);
  }
  if (is_letter(c) || c == '!') {
    ++at_;
    run(is_name_part);
    return token(TokenKind::name, begin, begin);
  }
  if (is_digit(c) || (c == '-' && is_digit(behind))) {
    at_ += 1;
    const auto is_number_part = [&](char d) {
      const char last = text_[at_ - 1];
      return is_digit(d) || is_letter(d) || d == '.' || ((d == '-' || d == '+') && (last == 'e' || last == 'E'));
    };
    run(is_number_part);
    return token(TokenKind::number, begin, begin);
  }
  at_ += c == '-' && behind == '>' ? size_t{2} : size_t{1};
  return token(TokenKind::punctuation, begin, begin);
}

}  // namespace isoshard::stablehlo
