#pragma once  // internal

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/support/name_map.h"
#include "core/support/rational.h"
#include "core/text/elaborate/elaboration.h"

namespace isoshard::text {

/// The values of one body by name; indices and spreads of names are evaluated in the body's current scope.
///
/// Methods report their errors (E-...) and then return nothing.
class ValueNames {
 public:
  /// `scope` is the body's own and may change between calls.
  ValueNames(Elaboration& elaboration, const BodySyntax& body, const Scope& scope)
      : elaboration_(elaboration), scope_(scope) {
    enter(body.body);
  }

  /// All names that `name` stands for: one, or those of its spread.
  std::optional<std::vector<std::string>> spell(const ValueName& name);
  /// The one name of an argument or returned value.
  std::optional<std::string> spell_one(const ValueName& name);
  /// New names for results.
  std::optional<std::vector<std::string>> spell_results(const std::vector<ValueName>& results);

  /// The value called `name`, written as `use`; an invalid id when its definition had an error.
  std::optional<ValueId> find(const std::string& name, const ValueName& use);
  /// Reports a name that is taken.
  bool check_free(const std::string& name, const Span& span);
  /// After an error that left definitions out, unknown names are taken for those.
  void mark_incomplete() { incomplete_ = true; }
  /// From now on, and until leave(), names are those of a scan's body: outer ones are not in reach (E-capture).
  void enter(const Block& body);
  void leave();
  /// Makes a parameter stand for a number, in scans, too.
  void define_number(const std::string& name, const Rational& number, const Span& span);
  /// The number that `name` stands for; null where it is a value or unknown.
  const Rational* find_number(const std::string& name) const;
  /// Whether a value has the name.
  bool knows(const std::string& name) const { return levels_.back().values.find(name) != nullptr; }
  bool has_numbers() const { return !numbers_.empty(); }
  /// Gives a free name a meaning; an invalid value keeps later uses quiet.
  void define(const std::string& name, ValueId value, const Span& span);

 private:
  struct Definition {
    ValueId value;
    Span span;
  };

  /// What `%x.T` is called here, where there is %x; empty for other names.
  std::string method_advice(const std::string& name) const;
  std::optional<std::string> index(const Expr& expr);
  /// The names that `.{first..limit}` adds to `prefix`.
  bool spread(const Range& range, const std::string& prefix, const Span& span, std::vector<std::string>& names);

  Elaboration& elaboration_;
  const Scope& scope_;
  /// The names of one body: of the program or func, or of a scan in it.
  struct Level {
    const Block* body;
    NameMap<Definition> values;
  };

  const Definition* find_outside(const std::string& name) const;

  std::vector<Level> levels_;                          ///< innermost last
  std::unordered_map<std::string, Rational> numbers_;  ///< parameters that are numbers
  bool incomplete_ = false;
};

}  // namespace isoshard::text
