#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/ir/types/type.h"
#include "core/text/syntax/syntax_expression.h"
#include "core/text/syntax/syntax_layout.h"

namespace isoshard::text {

/// The value of a field before its type is known: `model`, `3*k`, `[1, 2]`, `(data, model)`, `{model}`, `[1]x[0]`,
/// `[b, f, 0]x[o, i, 0]->[b, f, 0]`, `@f_bwd`, `"1F1B"`, `shape(%x)`, and `0..k` as an item of a list.
struct FieldValue {
  enum class Kind : uint8_t { expression, list, tuple, set, dim_pairs, convolution, function, string, range, shape };
  Kind kind = Kind::expression;
  Boxed<Expr> expression;         ///< of a function its text: the name; of a shape its value
  std::vector<FieldValue> items;  ///< two lists for dim_pairs, three for convolution, both ends of a range
  std::string text{};             ///< of a string
  Span span;
};

struct FieldSyntax {
  Word name;
  FieldValue value;
};

/// `V: data` or `V: (data, model)`.
struct StateSyntax {
  char letter = '?';
  std::vector<Word> axes;
};

/// `f32[b, d] {V: data}`; the states are optional. `f32[*]` is any shape, for parameters and results of funcs; a
/// parameter whose type is inferred has none of these.
struct TypeSyntax {
  Word dtype;
  bool inferred = false;
  bool any_shape = false;
  std::vector<Expr> shape;
  std::vector<StateSyntax> states;
  Span span;
};

/// What ops with forms of their own have in front of or behind their operands.
struct OpForm {
  Word target;  ///< the global of `view` and `block_size`, the func of `call`, the stage of `pipeline`
  Word loss;    ///< the func of the loss of `pipeline`, whose operands stand behind those of the stage
  LayoutSyntax layout;
  ViewSyntax view;
  Word equation;  ///< of `einsum`: the string in front of its operands
};

/// `%a, %b = op %x, 2 {field=value} : types`; view, call, einsum and pipeline have forms of their own.
struct OpSyntax {
  std::vector<ValueName> results;
  Word op;
  Boxed<OpForm> form;
  std::vector<Operand> operands;
  std::vector<FieldSyntax> fields;
  std::vector<TypeSyntax> types;
  bool is_expression = false;  ///< written `tanh(%x)` or `%a + %b`: scalars are broadcast
};

/// `return @y = %v [layout] : type` or `update @W = %v [layout]` of a program, or `return %a, %b` of a func. The values
/// may be expressions.
struct ReturnSyntax {
  bool is_update = false;
  std::optional<Word> output;  ///< or the updated global
  std::vector<Operand> values;
  LayoutSyntax layout;
  Boxed<TypeSyntax> type;  ///< of the whole output
};

struct Statement;

struct Block {
  std::vector<Statement> statements;
};

/// `for k in a..b { ... }`.
struct LoopSyntax {
  Word variable;
  Boxed<Range> range;
  Block body;
};

/// `if a < b { ... }`, `else if ...`, or `else { ... }`, which has no condition.
struct Branch {
  std::optional<Condition> condition;
  Block body;
  Span span;  ///< from `if` to the condition, or `else`
};

/// `if ... else if ... else ...`: the first branch whose condition holds.
struct IfSyntax {
  std::vector<Branch> branches;
};

/// `%c = %h0 : f32[4] {R: model}` in the header of a scan: a value inside and what it stands for; the type is optional.
struct BindingSyntax {
  ValueName inside, outside;
  std::optional<TypeSyntax> type;
};

/// `%h, %ys = scan (%c = %h0) over (%w = %ws) index %i trips 5 { ... } : types`.
struct ScanSyntax {
  std::vector<ValueName> results;
  std::vector<BindingSyntax> carries, stacked;
  Boxed<ValueName> index;
  Boxed<Expr> trips;
  Block body;
  std::vector<TypeSyntax> types;
};

/// `yield (%c) stack (%y)`: the end of a scan's body.
struct YieldSyntax {
  std::vector<Operand> carries, stacked;
};

struct Statement {
  std::variant<OpSyntax, ReturnSyntax, LoopSyntax, IfSyntax, ScanSyntax, YieldSyntax> data;
  Span span;  ///< of an op: from its name on; of a loop or scan: its header; of an if: its first condition
};

}  // namespace isoshard::text
