#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/text/token.h"

/// The small parts of the syntax tree: comments, words, integer expressions, names of values.
namespace isoshard::text {

/// Comments around an item or statement, so that a formatter can put them back.
struct Trivia {
  std::vector<std::string> leading;  ///< on lines of their own before it, or inside it
  std::string trailing;              ///< on its last line
  bool blank_line_before = false;
};

/// A word with its place: an axis, a field, a let.
struct Word {
  std::string text;
  Span span;
};

/// An integer or number expression; sums and products are lists, so that long ones are not deep.
struct Expr {
  enum class Kind : uint8_t { number, name, size, negate, sum, product };
  Kind kind = Kind::number;
  char op = '+';     ///< how it joins its sum (+ -) or product (* /)
  std::string text;  ///< of a number, a name, or the axis of `size(axis)`
  std::vector<Expr> arguments;
  Span span;
};

/// `first..limit`, half-open.
struct Range {
  Expr first, limit;
};

/// One part of an indexed name: `.3` or `.w` are text, `.{k+1}` an index, `.{0..n}` a spread.
struct NamePart {
  std::variant<std::string, Expr, Range> part;
};

/// `%x.{k+1}`: a value, or with a spread a list of values.
struct ValueName {
  std::string base;  ///< with the static parts that follow it directly
  std::vector<NamePart> parts;
  Span span;
};

/// An operand: a value (or a spread of values), or a number.
using Operand = std::variant<ValueName, Expr>;

}  // namespace isoshard::text
