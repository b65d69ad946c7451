#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/ir/type.h"
#include "core/text/token.h"

/// The syntax tree of a `.shard` file: what was written, names unresolved, expressions unevaluated, comments kept.
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

/// The value of a field before its type is known: `model`, `3*k`, `[1, 2]`, `(data, model)`, `{model}`, `[1]x[0]`.
struct FieldValue {
  enum class Kind : uint8_t { expression, list, tuple, set, dim_pairs };
  Kind kind = Kind::expression;
  Expr expression;
  std::vector<FieldValue> items;  ///< two lists for dim_pairs
  Span span;
};

struct FieldSyntax {
  Word name;
  FieldValue value;
};

/// One entry of a layout: `-`, `model-k`, `(data, model)`.
struct EntrySyntax {
  std::vector<Word> axes;  ///< empty for `-`
  std::optional<Expr> offset;
  Span span;
};

struct LayoutSyntax {
  std::vector<EntrySyntax> entries;
  Span span;
};

/// `V: data` or `V: (data, model)`.
struct StateSyntax {
  char letter = '?';
  std::vector<Word> axes;
};

/// `f32[b, d] {V: data}`; the states are optional.
struct TypeSyntax {
  Word dtype;
  std::vector<Expr> shape;
  std::vector<StateSyntax> states;
  Span span;
};

/// `%a, %b = op %x, 2 {field=value} : types`; view and call have forms of their own.
struct OpSyntax {
  std::vector<ValueName> results;
  Word op;
  Word target;  ///< the global of `view`, the func of `call`
  LayoutSyntax layout;
  std::vector<Word> invariant;
  std::vector<Operand> operands;
  std::vector<FieldSyntax> fields;
  std::vector<TypeSyntax> types;
};

/// `return @y = %v [layout]` of a program, or `return %a, %b` of a func.
struct ReturnSyntax {
  std::optional<Word> output;
  std::vector<ValueName> values;
  LayoutSyntax layout;
};

struct Statement;

struct Block {
  std::vector<Statement> statements;
  Trivia closing;  ///< comments before the closing brace
};

/// `for k in a..b { ... }`.
struct LoopSyntax {
  Word variable;
  Range range;
  Block body;
};

struct Statement {
  std::variant<OpSyntax, ReturnSyntax, LoopSyntax> data;
  Span span;  ///< of an op: from its name on; of a loop: its header
  Trivia trivia;
};

struct MeshSyntax {
  Word name;
  std::vector<std::pair<Word, Expr>> axes;
  std::optional<std::vector<Expr>> devices;
};

struct LetSyntax {
  Word name;
  Expr value;
};

struct GlobalSyntax {
  Word name;
  TypeSyntax type;
  Word role;
  std::optional<Expr> init;
};

struct ParameterSyntax {
  ValueName name;
  TypeSyntax type;
};

/// A func (with parameters and results) or a program.
struct BodySyntax {
  Word name;
  bool is_function = false;
  bool untyped = false;
  std::optional<Word> mesh;
  std::vector<ParameterSyntax> parameters;
  std::vector<TypeSyntax> results;
  Block body;
};

struct CheckSyntax {
  Word left, right;
};

struct Item {
  std::variant<MeshSyntax, LetSyntax, GlobalSyntax, BodySyntax, CheckSyntax> data;
  Span span;
  Trivia trivia;
};

struct FileSyntax {
  std::vector<Item> items;
  Trivia header;   ///< around the version line
  Trivia closing;  ///< after the last item
};

/// Reads `file` into a tree; reports errors of syntax (P-...) and then returns nothing. Recovers at statement ends.
std::optional<FileSyntax> parse(const std::shared_ptr<const SourceFile>& file, DiagnosticSink& sink);

}  // namespace isoshard::text
