#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/ops/view_op.h"
#include "core/support/diagnostic.h"
#include "core/support/rational.h"
#include "core/text/syntax/integer_math.h"
#include "core/text/syntax/syntax.h"

namespace isoshard::text {

/// What the items of a file declare for its expressions.
struct FileScope {
  std::shared_ptr<const SourceFile> file;
  DiagnosticSink& sink;
  std::vector<std::shared_ptr<const Mesh>> meshes;
  std::map<std::string, std::optional<int64_t>> lets;  ///< without a value after an error
};

/// The values of a body, for `size(%w, 0)`.
class ValueShapes {
 public:
  /// The local shape of the one value that `name` stands for; nothing after an error, which is reported.
  virtual std::optional<Shape> shape_of(const ValueName& name) = 0;

 protected:
  ~ValueShapes() = default;
};

/// How a condition came out, with its numbers: `2 < 4`.
struct Decision {
  bool holds = false;
  std::string numbers;
};

/// An expression over coordinates of devices, and a bound of its absolute values.
struct Coordinates {
  isoshard::Expr value;
  double bound = 0;
};

/// What names mean at one place of a file: lets, loop variables, the axes of the mesh in use, and how it was reached.
///
/// Every method reports its errors (E-...) and then returns nothing. A let that failed is not reported again.
class Scope {
 public:
  /// Without a mesh, `size(axis)` looks in every mesh of the file.
  explicit Scope(const FileScope& file, const Mesh* mesh = nullptr) : file_(&file), mesh_(mesh) {}

  /// The mesh of the program; a mesh without axes outside of one.
  const Mesh& mesh() const;
  Location at(const Span& span) const;
  void error(std::string rule, const Span& span, std::string message) const;
  /// The source text of `span` in backquotes.
  std::string quote(const Span& span) const;

  /// From now on, locations are reached from `outer` ("iteration k = 3", "called from here").
  void reach_from(Location outer, std::string note);
  /// A loop variable; false when a variable of an outer loop has the name.
  bool push_variable(const std::string& name, int64_t value);
  void pop_variable() { variables_.pop_back(); }
  bool has_variable(const std::string& name) const;

  /// From now on, `size(%w, 0)` asks `values`.
  void use_values(ValueShapes* values) { values_ = values; }

  /// An integer in i64 with exact division.
  std::optional<int64_t> integer(const Expr& expr) const;
  /// A number with rational division; also `inf` and `nan`.
  std::optional<Rational> number(const Expr& expr) const;
  std::optional<Decision> decide(const Condition& condition) const;

  std::optional<AxisId> axis(const Word& word) const;
  /// Different axes, in the order written.
  std::optional<Group> group(const std::vector<Word>& words) const;
  std::optional<Layout> layout(const LayoutSyntax& syntax) const;
  /// Everything of a view but the global.
  std::optional<View> view(const LayoutSyntax& layout, const ViewSyntax& syntax) const;
  std::optional<TensorType> type(const TypeSyntax& syntax) const;

 private:
  bool names_axis(const Expr& expr) const;
  std::optional<ViewEntry> entry(const EntrySyntax& syntax) const;
  std::optional<BlockOf> block_of(const EntrySyntax& syntax) const;
  std::optional<Coordinates> coordinates(const Expr& expr) const;
  std::optional<Coordinates> coordinate_chain(const Expr& expr) const;
  std::optional<Coordinates> combine(const Span& span, char op, Coordinates left, const Coordinates& right) const;
  std::optional<int64_t> name(const Expr& expr) const;
  std::optional<int64_t> axis_size(const Expr& expr) const;
  std::optional<int64_t> integer_chain(const Expr& expr) const;
  std::optional<int64_t> function(const Expr& expr) const;
  std::optional<int64_t> negation(const Expr& expr) const;
  std::optional<int64_t> value_size(const Expr& expr) const;
  /// The result, or the error about `span` with its `operands` as numbers.
  std::optional<int64_t> checked(const IntegerResult& result, const Span& span, const std::string& operands) const;
  std::optional<int64_t> literal(const Expr& expr) const;
  std::optional<Rational> number_chain(const Expr& expr) const;

  const FileScope* file_;
  const Mesh* mesh_;
  ValueShapes* values_ = nullptr;
  std::vector<std::pair<std::string, int64_t>> variables_;
  std::optional<Location> outer_;
  std::string note_;
};

}  // namespace isoshard::text
