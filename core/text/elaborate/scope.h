#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ir/ops/view_op.h"
#include "core/support/diagnostic.h"
#include "core/support/name_map.h"
#include "core/support/rational.h"
#include "core/text/syntax/syntax.h"

namespace isoshard::text {

/// A `let` that is one of several words.
struct WordLet {
  std::string value;
  std::vector<std::string> words;  ///< all that it may be
};

/// What the items of a file declare for its expressions.
struct FileScope {
  std::shared_ptr<const SourceFile> file;
  DiagnosticSink& sink;
  std::vector<std::shared_ptr<const Mesh>> meshes;
  std::map<std::string, std::optional<int64_t>> lets;  ///< without a value after an error
  std::map<std::string, WordLet> words{};
  /// Numbers that were read, by their texts: a program has a few of them over and over.
  std::unique_ptr<NameMap<Rational>> numbers = std::make_unique<NameMap<Rational>>();
};

/// The values of a body, for `size(%w, 0)`.
class ValueShapes {
 public:
  /// The local shape of the one value that `name` stands for; nothing after an error, which is reported.
  virtual std::optional<Shape> shape_of(const ValueName& name) = 0;

 protected:
  ~ValueShapes() = default;
};

/// What names mean at one place of a file: lets, loop variables, the axes of the mesh in use, and how it was reached.
///
/// Every method reports its errors (E-...) and then returns nothing. A let that failed is not reported again.
class Scope {
 public:
  /// Without a mesh, `size(axis)` looks in every mesh of the file. `source` is the text that spans are of: that of the
  /// file, or an imported one.
  explicit Scope(const FileScope& file, const Mesh* mesh = nullptr, std::shared_ptr<const SourceFile> source = nullptr)
      : file_(&file), mesh_(mesh), source_(source != nullptr ? std::move(source) : file.file) {}

  /// The mesh of the program; a mesh without axes outside of one.
  const Mesh& mesh() const;
  const std::shared_ptr<const SourceFile>& source() const { return source_; }
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

  /// The value of the let or the variable that `name` names.
  std::optional<int64_t> look_up(const Expr& name) const;
  /// Whether a let or a variable has the name.
  bool declares(const std::string& name) const;
  /// The let called `name` that is a word; null where there is none.
  const WordLet* find_word(const std::string& name) const;
  /// The number that is written so; nothing where its exponent is too large.
  std::optional<Rational> number(std::string_view text) const;
  /// The size of the axis in `size(axis)`.
  std::optional<int64_t> axis_size(const Expr& expr) const;
  /// The shape of the value in `size(%w, 0)`.
  std::optional<Shape> shape_of(const Expr& expr) const;

  std::optional<AxisId> axis(const Word& word) const;
  /// Different axes, in the order written.
  std::optional<Group> group(const std::vector<Word>& words) const;

 private:
  const FileScope* file_;
  const Mesh* mesh_;
  std::shared_ptr<const SourceFile> source_;
  ValueShapes* values_ = nullptr;
  std::vector<std::pair<std::string, int64_t>> variables_;
  std::optional<Location> outer_;
  std::string note_;
};

}  // namespace isoshard::text
