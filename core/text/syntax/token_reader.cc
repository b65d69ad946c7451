// The part of the parser that knows only tokens: looking ahead, accepting, expecting and reporting. The parser is
// written by hand and descends by recursion, without going back: looking ahead, at most to the end of a parenthesis,
// decides every rule, and messages can say what was found and what belongs there. An error throws; the statement in
// which it lies is then skipped to the next line, or to the brace that closes the block, and parsing goes on, so that
// one run reports several errors. Nesting is limited, because recursion uses the stack of the process.
#include "core/support/quoted.h"
#include "core/text/syntax/parser.h"

namespace isoshard::text {
namespace {

/// Whether a line that ends with `last` plainly goes on.
bool goes_on(const Token& last) {
  const std::string_view text = last.text;
  return last.kind == TokenKind::punctuation &&
         (text == "{" || text == ".{" || text == "(" || text == "[" || text == ",");
}

std::string shown(const Token& token, const std::shared_ptr<const SourceFile>& file) {
  if (token.kind == TokenKind::end) return "the end of the file";
  const std::string_view text = std::string_view(file->text).substr(token.span.offset);
  return isoshard::quoted(text.substr(0, token.span.end - token.span.offset), 40);
}

}  // namespace

const Token& TokenReader::take() {
  const Token& token = peek();
  if (token.kind != TokenKind::end) ++at_;
  return token;
}

bool TokenReader::is_word(std::string_view word) const { return peek().kind == TokenKind::name && peek().text == word; }

bool TokenReader::accept(std::string_view punctuation) {
  if (!is(punctuation)) return false;
  take();
  return true;
}

void TokenReader::expect(std::string_view punctuation, std::string_view where) {
  if (!accept(punctuation)) fail_expected("`" + std::string(punctuation) + "` " + std::string(where));
}

Word TokenReader::expect_kind(TokenKind kind, std::string_view what) {
  if (peek().kind != kind) fail_expected(what);
  const Token& token = take();
  return Word{std::string(token.text), token.span};
}

void TokenReader::fail_expected(std::string_view what) {
  // What is missing is missing on the line before, not on that of the next token.
  const bool begins = !outline_.starts.empty() && outline_.starts.back() == peek().span.offset;
  if (at_ > 0 && !at_end() && peek().first_on_line && !begins && !goes_on(last())) {
    const Span& end = last().span;
    fail("P-expected", Span{end.end, end.end, end.line, end.column + end.end - end.offset},
         "found the end of the line; expected " + std::string(what));
  }
  fail("P-expected", peek().span, "found " + shown(peek(), file_) + "; expected " + std::string(what));
}

void TokenReader::fail(std::string rule, const Span& span, std::string message) {
  sink_.error(std::move(rule), locate(file_, span), std::move(message));
  ++errors_;
  throw SyntaxError{};
}

void TokenReader::fail_unclosed(const Span& open) {
  const std::string here = shown(peek(), file_) + " in line " + std::to_string(peek().span.line);
  sink_.error("P-brace", locate(file_, open), "the brace has no `}`; expected one before " + here)
      .note(locate(file_, peek().span), "the block goes on to here");
  ++errors_;
  throw SyntaxError{};
}

void TokenReader::enter() {
  if (++depth_ <= kMaxDepth) return;
  --depth_;
  fail("P-nesting", peek().span,
       "nesting is deeper than " + std::to_string(kMaxDepth) + " levels; expected fewer parentheses, lists and loops");
}

void TokenReader::skip_statement(size_t begin) {
  size_t depth = 0;
  for (size_t i = begin; i < at_; ++i) {  // braces of fields in which the error is
    const std::string_view text = stream_.tokens[i].text;
    if (text == "{" || text == ".{") ++depth;
    if (text == "}" && depth > 0) --depth;
  }
  for (; !at_end(); ++at_) {
    if (at_ > begin && peek().first_on_line) return;
    if (is("{") || is(".{")) ++depth;
    if (is("}") && depth-- == 0) return;
  }
}

void TokenReader::skip_line(size_t begin) {
  size_t depth = 0;
  at_ = begin;
  do {
    if (is("{")) ++depth;
    if (is("}") && depth > 0) --depth;
    take();
  } while (!at_end() && (depth > 0 || !peek().first_on_line));
}

}  // namespace isoshard::text
