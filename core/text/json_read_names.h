#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/module.h"
#include "core/text/json_read_values.h"

namespace isoshard::text {

/// The names of values in one program of a JSON module. A body of a scan sees its own only.
///
/// Functions that return an optional report errors and then return nothing.
class JsonNames {
 public:
  explicit JsonNames(const Scope& scope) : scope_(scope) {}

  void open_body() { bodies_.emplace_back(); }
  void close_body() { bodies_.pop_back(); }
  void define(const std::string& name, ValueId value) { bodies_.back().insert({name, value}); }

  /// The `name` of an object, for a value that is new.
  std::optional<Word> new_name(const JsonNode& object) const;
  /// The names of an array of values.
  std::optional<std::vector<std::string>> new_names(const JsonNode& node) const;
  /// The value that a name means (E-undefined, E-capture); `subject` names it in messages.
  std::optional<ValueId> find(const JsonNode& node, const std::string& subject) const;
  /// The values that an array of names means.
  std::optional<std::vector<ValueId>> values(const JsonNode& node, const std::string& subject) const;

 private:
  using Body = std::unordered_map<std::string, ValueId>;

  const Scope& scope_;
  std::vector<Body> bodies_{Body{}};  ///< open ones, innermost last
};

}  // namespace isoshard::text
