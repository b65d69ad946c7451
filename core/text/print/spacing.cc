// Decides whether a blank stands between two adjacent tokens. The answer depends on the two tokens, at most two more
// before them, and the innermost bracket that is open, which `pass` keeps as a stack. The rules are asked in order and
// the first that applies decides, from brackets and commas to operators. The author's choice is kept only for binary
// operators: `a + b` or `a+b`. A `%` that is a remainder needs its blanks, because without them `%b` is a value. Cost:
// a few comparisons per token.
#include "core/text/print/spacing.h"

#include <algorithm>

#include "core/text/syntax/integer_math.h"

namespace isoshard::text {

Spacing::Spacing(const std::vector<Token>& tokens, const Outline& outline)
    : tokens_(tokens), calls_(outline.calls), others_(outline.others) {
  for (const auto& [open, close] : outline.blocks) {
    blocks_.insert({open, close});
    closings_.insert({close, open});
  }
}

void Spacing::pass(size_t i) {
  if (is_any(i, "([{") || is(i, ".{")) brackets_.push_back(opens_block(i) ? 'B' : tokens_[i].text.back());
  if (is_any(i, ")]}") && !brackets_.empty()) brackets_.pop_back();
}

bool Spacing::is(size_t i, std::string_view sign) const {
  return tokens_[i].kind == TokenKind::punctuation && tokens_[i].text == sign;
}

bool Spacing::is_any(size_t i, std::string_view signs) const {
  const Token& token = tokens_[i];
  return token.kind == TokenKind::punctuation && token.text.size() == 1 &&
         signs.find(token.text[0]) != std::string_view::npos;
}

bool Spacing::is_name(size_t i, std::string_view word) const {
  return tokens_[i].kind == TokenKind::name && tokens_[i].text == word;
}

bool Spacing::is_comparison(size_t i) const {
  return is(i, "==") || is(i, "!=") || is(i, "<") || is(i, "<=") || is(i, ">") || is(i, ">=");
}

bool Spacing::is_noted(const std::vector<uint32_t>& offsets, size_t i) const {
  return std::binary_search(offsets.begin(), offsets.end(), tokens_[i].span.offset);
}

/// `add` in `%y = add (2), %x`: what follows is an operand, not the arguments of a function.
bool Spacing::names_op(size_t i) const {
  return i >= 2 && kind(i, TokenKind::name) && is(i - 1, "=") && !kind(i - 2, TokenKind::name) && !is_noted(others_, i);
}

/// `size` in `size(model)`, `grad` in `check grad(@f)`.
bool Spacing::calls_function(size_t i) const {
  const std::string_view name = tokens_[i].text;
  const bool behind_check = i > 0 && (is_name(i - 1, "check") || is(i - 1, "=="));
  if (behind_check && (name == "grad" || name == "vjp")) return true;
  return kind(i, TokenKind::name) && (name == "size" || find_integer_function(name) != nullptr);
}

/// `axis=model`, `init=zeros`; not `let d = 64`, `%y = ...`, `@y = ...`.
bool Spacing::is_tight_equals(size_t i) const {
  return i >= 2 && kind(i - 1, TokenKind::name) && !is_name(i - 2, "let");
}

bool Spacing::is_operator(size_t i) const { return is_any(i, "+-*/%"); }

/// A sign, `-` as an entry of a layout, or the star of `f32[*]`: no operand stands before it.
bool Spacing::is_prefix(size_t i) const {
  if (i == 0) return true;
  const size_t before = i - 1;
  if (is_any(before, ")]}")) return false;
  if (kind(before, TokenKind::punctuation)) return true;
  return names_op(before) || is_name(before, "in") || is_name(before, "if") || is_name(before, "of");
}

/// A blank on both sides or on none, as the author chose; a remainder needs them.
bool Spacing::is_spaced_operator(size_t i) const {
  const bool before = tokens_[i - 1].span.end < tokens_[i].span.offset;
  const bool after = tokens_[i].span.end < tokens_[i + 1].span.offset;
  return is(i, "%") || (before && after);
}

bool Spacing::blank_at_operator(size_t i) const {
  if (is_operator(i - 1)) return !is_prefix(i - 1) && is_spaced_operator(i - 1);
  if (!is_prefix(i)) return is_spaced_operator(i);
  return is(i - 1, ",") || is_comparison(i - 1) || !kind(i - 1, TokenKind::punctuation) ||
         (is(i - 1, "=") && !is_tight_equals(i - 1));
}

bool Spacing::blank_before_bracket(size_t i) const {
  if (is(i, "(")) return !kind(i - 1, TokenKind::global) && !calls_function(i - 1) && !is_noted(calls_, i);
  if (is(i, "[") && is_noted(others_, i)) return true;
  if (is(i, "[")) return !kind(i - 1, TokenKind::name) && !is(i - 1, "]");
  return !(i >= 2 && is_name(i - 1, "I") && is_name(i - 2, "as"));
}

bool Spacing::blank_before(size_t i) const {
  const char inside = brackets_.empty() ? 'B' : brackets_.back();
  if (opens_block(i)) return true;
  if (opens_block(i - 1) || closes_block(i)) return !(opens_block(i - 1) && closes_block(i));
  if (is_any(i - 1, "([{") || is(i - 1, ".{") || is_any(i, ")]},") || is(i, ".{")) return false;
  if (is(i - 1, "..") || is(i, "..") || kind(i, TokenKind::part)) return false;
  if (is(i - 1, ",")) return true;
  if (is(i, ":")) return inside == 'B';
  if (is(i - 1, ":")) return inside != '[';
  if (is_operator(i - 1) || is_operator(i)) return blank_at_operator(i);
  if (is(i, "=")) return !is_tight_equals(i);
  if (is(i - 1, "=")) return !is_tight_equals(i - 1);
  if (is(i - 1, "->") && i >= 2 && is(i - 2, "]")) return !is(i, "[");
  if (is_any(i, "([{")) return blank_before_bracket(i);
  if (is(i, "->")) return !(is(i - 1, "]") && is(i + 1, "["));  // of dimension numbers, all tight
  return !(is(i - 1, "]") && is_name(i, "x") && is(i + 1, "["));
}

}  // namespace isoshard::text
