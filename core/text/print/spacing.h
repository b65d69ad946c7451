#pragma once  // internal

#include <map>
#include <vector>

#include "core/text/syntax/outline.h"
#include "core/text/syntax/token.h"

namespace isoshard::text {

/// Decides whether a blank stands between two tokens of one line; goes over the tokens of a file in order.
class Spacing {
 public:
  Spacing(const std::vector<Token>& tokens, const Outline& outline);

  /// Whether a blank stands before token `i` when it is on the line of token `i - 1`.
  bool blank_before(size_t i) const;
  /// Tells that token `i` has been written: follows brackets.
  void pass(size_t i);

  bool opens_block(size_t i) const { return blocks_.count(tokens_[i].span.offset) != 0; }
  bool closes_block(size_t i) const { return closings_.count(tokens_[i].span.offset) != 0; }
  /// The offset of the brace that closes the block that token `i` opens.
  uint32_t closing(size_t i) const { return blocks_.at(tokens_[i].span.offset); }

 private:
  bool is(size_t i, std::string_view sign) const;
  bool is_any(size_t i, std::string_view signs) const;
  bool is_name(size_t i, std::string_view word) const;
  bool kind(size_t i, TokenKind kind) const { return tokens_[i].kind == kind; }
  bool is_comparison(size_t i) const;
  bool is_noted(const std::vector<uint32_t>& offsets, size_t i) const;
  bool names_op(size_t i) const;
  bool calls_function(size_t i) const;
  bool is_tight_equals(size_t i) const;
  bool is_operator(size_t i) const;
  bool is_prefix(size_t i) const;
  bool is_spaced_operator(size_t i) const;
  bool blank_at_operator(size_t i) const;
  bool blank_before_bracket(size_t i) const;

  const std::vector<Token>& tokens_;
  std::map<uint32_t, uint32_t> blocks_;    ///< opening -> closing brace
  std::map<uint32_t, uint32_t> closings_;  ///< closing -> opening brace
  std::vector<uint32_t> calls_, others_;   ///< of the outline
  std::vector<char> brackets_;             ///< open ones: ( [ { of lists, B of blocks
};

}  // namespace isoshard::text
