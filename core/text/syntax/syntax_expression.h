#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/text/syntax/boxed.h"
#include "core/text/syntax/token.h"

/// The small parts of the syntax tree: words, integer expressions, names of values.
namespace isoshard::text {

/// A word with its place: an axis, a field, a let.
struct Word {
  std::string text;
  Span span;
};

struct ValueName;

/// An integer or number expression; sums and products are lists, so that long ones are not deep.
struct Expr {
  enum class Kind : uint8_t { number, name, size, value_size, value_rank, function, negate, sum, product };
  Kind kind = Kind::number;
  char op = '+';     ///< how it joins its sum (+ -) or product (* / %)
  std::string text;  ///< of a number, a name, a function, or the axis of `size(axis)`
  std::vector<Expr> arguments;
  Boxed<ValueName> value;  ///< of `size(%w, 0)`, `rank(%w)` or `shape(%w)`
  Span span;
};

/// `left < right`, the one place of comparisons: after `if`.
struct Condition {
  Expr left, right;
  std::string comparison;  ///< == != < <= > >=
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

struct OpSyntax;

/// An op that stands where its one result is an operand: `%h * 2` in `tanh(%h * 2)`.
struct Inline {
  std::vector<OpSyntax> op;  ///< one
  Span span;
  uint32_t depth = 1;  ///< how many such ops stand in each other
};

/// An operand: a value (or a spread of values), a number, or an op inline.
using Operand = std::variant<ValueName, Expr, Inline>;

}  // namespace isoshard::text
