#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/text/syntax/outline.h"
#include "core/text/syntax/syntax_statement.h"

/// The syntax tree of a `.shard` file: what was written, names unresolved, expressions unevaluated.
namespace isoshard::text {

struct MeshSyntax {
  Word name;
  std::vector<std::pair<Word, Expr>> axes;
  std::optional<std::vector<Expr>> devices;
};

/// `import "norms.shard"`.
struct ImportSyntax {
  Word path;
};

/// `let d = 64`, or `let act in {silu, gelu}`, which is the first word unless it is set.
struct LetSyntax {
  Word name;
  Expr value;
  std::vector<Word> words;
};

/// `in 0..vocab, -100`
struct ValueRangeSyntax {
  Range range;
  std::vector<Expr> others;
  Span span;
};

/// `global @x, @t : f32[8] input`: one or several that are alike.
struct GlobalSyntax {
  std::vector<Word> names;
  TypeSyntax type;
  Word role;
  std::optional<ValueRangeSyntax> range;
  std::optional<Expr> init;
};

/// `%x: f32[8]`, `%x` or `%eps = 1e-6`.
struct ParameterSyntax {
  ValueName name;
  TypeSyntax type;
  std::optional<Expr> number;  ///< what the parameter is where the call gives nothing
};

/// A func (with parameters and results) or a program.
struct BodySyntax {
  Word name;
  std::shared_ptr<const SourceFile> file;  ///< whose text its spans are of
  bool is_function = false;
  bool untyped = false;
  std::optional<Word> mesh;
  std::vector<ParameterSyntax> parameters;
  std::vector<TypeSyntax> results;
  bool infers_results = false;  ///< a func without `->`
  Block body;

  /// Whether it is made anew for each shape of its arguments: a parameter is `f32[*]`, or has no type.
  bool any_shape() const {
    for (const ParameterSyntax& parameter : parameters) {
      if (parameter.type.any_shape || parameter.type.inferred) return true;
    }
    return false;
  }
};

/// `map @W = @V [layout]`; without a layout all of @V.
struct MapSyntax {
  Word global, source;
  std::optional<LayoutSyntax> layout;
  Span span;
};

/// What stands around the program in `grad(@f.loss, wrt=[@W, @b], convention=shard_map_unchecked)` or `vjp(@f, ...)`.
struct GradientSyntax {
  Word kind;
  std::optional<std::vector<Word>> wrt;
  std::optional<Word> convention;
  Span span;
};

/// `check @a == @b {steps=2, map @W = @V}`, also of gradients: `check grad(@a) == grad(@b)`.
struct CheckSyntax {
  Word left, right;
  std::optional<GradientSyntax> left_gradient, right_gradient;
  std::optional<Expr> steps;
  std::vector<MapSyntax> maps;
};

/// `pipeline @p {stage=@s, stages=EXPR over pp, microbatches=4, loss=@l, schedule="1F1B"}`.
struct PipelineSyntax {
  Word name, stage, loss;
  std::optional<Expr> stages;
  std::optional<Word> file;         ///< of `actions "file.csv"`
  std::vector<FieldSyntax> fields;  ///< those of the op `pipeline`, the axis among them
};

struct Item {
  std::variant<ImportSyntax, MeshSyntax, LetSyntax, GlobalSyntax, BodySyntax, PipelineSyntax, CheckSyntax> data;
  Span span;
};

struct FileSyntax {
  std::vector<Item> items;
  Outline outline;
};

/// Reads `file` into a tree; reports errors of syntax (P-...) and then returns nothing. Recovers at statement ends.
std::optional<FileSyntax> parse(const std::shared_ptr<const SourceFile>& file, DiagnosticSink& sink);

}  // namespace isoshard::text
